import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Z95 } from '../../domain/statistics/intervals.ts'
import { comparePairs } from '../../domain/statistics/rates.ts'
import { answersTo, type JudgedItem, measuresOf, type Question, shareOf } from '../../domain/statistics/validation.ts'
import { sum } from '../../domain/statistics/weighted-shares.ts'
import { parseJson } from '../../domain/text/json.ts'
import { count } from '../../domain/words.ts'
import { VERSION } from '../../grading/software.ts'
import type { Batch } from '../../schemas/batch.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type Certificate, CertificateSchema, type Measure, type Share } from '../../schemas/documents.ts'
import type { Grade } from '../../schemas/grade.ts'
import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { estimateAnswer, overBudgetText, watchToEnd } from '../follow.ts'
import { GRADING, type Options, option, output, parseShare, settingsOf } from '../options.ts'
import * as t from '../output/text.ts'
import { sessionCommand } from '../session.ts'
import { CliError, EXIT } from '../shell.ts'
import { checkPaths, openTrials } from '../trials.ts'
import { type Judged, labelledRuns, readJudged, rubricOf } from './labelled-commands.ts'

type ValidateOptions = Options & { readonly against?: string; readonly margin: number }

export const validate = sessionCommand<ValidateOptions, [file: string]>('validate', {
  args: { '<file>': 'NDJSON, a labelled run a line' },
  options: [
    ...GRADING,
    ...output(['table', 'json'], 'a table, or the certificate'),
    option('--against <file>', 'an earlier certificate: test whether both judges are right equally often'),
    option('--margin <share>', 'the largest difference that counts as equal', parseShare, 0.05),
  ],
  database: 'make',
  async work(session, { against, margin, ...options }, file) {
    const { veridict, signal, format } = session
    await checkPaths([file], against === undefined ? [] : [against])
    const earlier = against === undefined ? null : readEarlier(against)
    const rubric = await rubricOf(session, options, file)
    const runs = labelledRuns(basename(file), rubric, earlier)
    const sent = { ...settingsOf(options), rubric: rubric.name, signal }
    const { send } = openTrials(session, [file], { rubric: rubric.name }, runs.read)
    if (options.dry_run)
      return estimateAnswer(session, await send((items) => veridict.estimateBatch(items, sent)), options.judge)
    const batch = await watchToEnd(session, await send((items) => veridict.createBatch(items, sent)))
    const certificate = buildCertificate(await readJudged(session, batch, runs.labels), batch, runs)
    const compared = earlier && compareWith(earlier, certificate, margin)
    const data = { ...certificate, ...(compared && { against: compared }) }
    const text = certificateText(certificate, batch) + (compared ? comparisonText(compared) : '')
    const isFailed = batch.counts.failed + batch.counts.cancelled > 0
    return {
      data,
      text: format === 'json' ? t.jsonText(data) : text,
      notes: [overBudgetText(batch)],
      code: isFailed ? EXIT.failed : compared?.equivalent === false ? EXIT.unverified : EXIT.graded,
    }
  },
})

type Runs = ReturnType<typeof labelledRuns>

function buildCertificate(items: readonly Judged[], batch: Batch, { questions, subject }: Runs): Certificate {
  const asked = questions.filter(({ id }) => items.some(({ human }) => human[id] !== undefined))
  const grades = [...new Map(items.flatMap(({ grade }) => (grade === null ? [] : [[grade.id, grade]]))).values()]
  return {
    ...{ kind: 'veridict-validation', version: 2, software: `veridict ${VERSION}`, ...subject },
    created_at: batch.finished_at ?? new Date().toISOString(),
    judge: judgeOf(grades),
    ends: countWords(items.map(({ status }) => status)),
    citations: countWords(grades.flatMap(({ citations }) => citations.map(({ status }) => status))),
    cost: costOf(grades, batch),
    measures: asked.map((question) => {
      const proved = answersTo(question.id, items).filter(({ judge }) => judge !== null)
      const confidence = CONFIDENCE_LEVELS.map((level) => {
        const some = proved.filter(({ confidence }) => confidence === level)
        return { level, right: shareOf(some, ({ right }) => right) }
      })
      return { question: question.id, type: question.type, of: measuresOf(question, items), confidence }
    }),
    results: resultsOf(items, asked),
  }
}

const countWords = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words.toSorted(), (word) => word)].map(([word, some]) => [word, some.length]))

function judgeOf(grades: readonly Grade[]): Certificate['judge'] {
  const receipt: Partial<Grade['receipt']> = grades[0]?.receipt ?? {}
  const { judge: name = 'unknown', provider = null, model_requested = null, samples = 1, settings = null } = receipt
  const resolved = [...Map.groupBy(grades, (grade) => grade.receipt.model_resolved)]
  const models_resolved = resolved.map(([model, some]) => ({ model, grades: some.length }))
  return { name, provider, model_requested, models_resolved, samples, settings }
}

function costOf(grades: readonly Grade[], batch: Batch): Certificate['cost'] {
  const attempts = grades.flatMap(({ receipt }) => receipt.attempts)
  const costs = grades.map(({ receipt }) => receipt.cost_usd)
  return {
    calls: attempts.length,
    input_tokens: sum(attempts.map(({ usage }) => usage?.input_tokens ?? 0)),
    output_tokens: sum(attempts.map(({ usage }) => usage?.output_tokens ?? 0)),
    cost_usd: costs.includes(null) ? null : sum(costs.map(Number)),
    paid_usd: batch.cost_usd,
  }
}

/** Lists the answers of each item. Clusters are numbered: a certificate holds no text of the runs. */
function resultsOf(items: readonly JudgedItem[], questions: readonly Question[]): Certificate['results'] {
  const clusters = [...new Set(items.flatMap(({ cluster }) => cluster ?? []))]
  const numbers = new Map(clusters.map((cluster, number) => [cluster, number]))
  return items.map((judged) => {
    const { item, cluster, status } = judged
    const answers = questions.flatMap(({ id }) =>
      answersTo(id, [judged]).map(({ human, judge, right }) => [id, { human, judge, right }]),
    )
    return { item, cluster: numbers.get(cluster ?? '') ?? null, status, answers: Object.fromEntries(answers) }
  })
}

export const shareText = ({ n, count: fits, share: value, ci95 }: Share): string =>
  `${fits} of ${n}, ${t.percentText({ value, ci95 })}`

const MEASURES = t.tableOf<Measure & { readonly question: string }>([
  ['question', 24, ({ question }) => t.clip(question, 24)],
  ['group', 12, ({ group }) => t.clip(group ?? 'all', 12)],
  ['right', 30, ({ right }) => shareText(right)],
  ['right of graded', 30, ({ right_of_graded }) => shareText(right_of_graded)],
  ['unproved', 8, ({ refused_right }) => String(refused_right)],
  ['majority class', 34, ({ majority: most }) => (most ? `${t.clip(most.value, 14)} ${shareText(most.right)}` : '–')],
  ['Cohen’s κ, graded', 0, ({ cohen_kappa }) => (cohen_kappa === null ? '–' : t.statisticText(cohen_kappa))],
])

function certificateText({ data, rubric, judge, ends, measures }: Certificate, batch: Batch): string {
  const none = judge.provider === null ? 'no model' : 'unnamed'
  const models = judge.models_resolved.map(({ model, grades }) => `${t.clip(model ?? none, 100)} (${grades})`)
  const skipped = data.skipped > 0 ? `, ${data.skipped} skipped` : ''
  const calls = t.present([count(batch.calls.made, 'call'), t.cachedText(batch), t.costText(batch)]).join(', ')
  const rows = measures.flatMap(({ question, of }) => of.map((measure) => MEASURES.row({ question, ...measure })))
  return `How ${t.oneLine(judge.name)} agrees with people: ${t.oneLine(data.name)}, ${count(data.items, 'labelled run')}${skipped}
rubric ${rubric.name} · models ${models.join(', ')} · ${t.tally(ends)} · ${calls}

${MEASURES.head()}${rows.join('')}
Shares have 95% intervals: Wilson’s, with the effective size of runs that share a task. An item without a verdict is not
right; unproved: right claims whose evidence did not hold. \`-o json\` writes all measures, and the answers of each item.
`
}

export function readEarlier(file: string): Certificate {
  const { against: _, ...earlier } = Object(parseJson(readFileSync(file, 'utf8')))
  const [issue] = inputIssues(CertificateSchema, earlier)
  if (issue === undefined) return earlier
  const why = `the file is no certificate: ${t.oneLine(`${issue.path} ${issue.message}`)}`
  throw new CliError(`not comparable with ${t.oneLine(file)}: ${why}`)
}

/**
 * Tests for each question whether two judges are right equally often: two one-sided tests at 2.5 %, so that the 95 % interval of the paired
 * difference lies within ± margin. Clusters are resampled; the interval reaches at least as far as that of judges that never differ on so
 * many items as clusters, z² / (m + z²) (Tango, Statistics in Medicine 17, 1998).
 */
export function compareWith(base: Certificate, head: Certificate, margin: number) {
  const before = new Map(base.results.map(({ item, answers }) => [item, answers]))
  const questions = head.measures.map(({ question }) => {
    const pairs = head.results.flatMap(({ item, cluster, answers }) => {
      const [then, now] = [before.get(item)?.[question], answers[question]]
      if (then === undefined || now === undefined) return []
      return [{ cluster: cluster === null ? null : String(cluster), base: then.right, head: now.right }]
    })
    const { difference: compared, discordant } = comparePairs(pairs)
    const { value: difference, ci95 } = compared
    const { base_only, head_only } = discordant
    const clusters = new Set(pairs.map(({ cluster }, index) => cluster ?? index)).size
    const least = Z95 ** 2 / (clusters + Z95 ** 2)
    const [low = -1, high = 1] = ci95 ?? (base_only + head_only === 0 ? [0, 0] : [])
    const interval = [Math.min(low, (difference ?? 0) - least), Math.max(high, (difference ?? 0) + least)]
    const equivalent = difference !== null && interval.every((limit) => Math.abs(limit) < margin)
    return { question, n: pairs.length, base_only, head_only, difference, ci95: interval, equivalent }
  })
  const equivalent = questions.length > 0 && questions.every((question) => question.equivalent)
  return { margin, base: base.judge, base_created_at: base.created_at, equivalent, questions }
}

function comparisonText({ margin, base, equivalent, questions }: ReturnType<typeof compareWith>): string {
  const lines = questions.map(({ question, n, difference, ci95, base_only, head_only }) => {
    const share = `${t.percent(difference ?? 0)} ${t.intervalText(ci95)} of ${n}`
    return `  ${question}: ${share}; right alone: ${base_only} before, ${head_only} now`
  })
  const verdict = equivalent ? 'equivalent' : 'not equivalent, as far as these items can tell'
  return `\nAgainst ${t.oneLine(base.name)}, within ±${t.percent(margin)}: ${verdict}\n${lines.join('\n')}\n`
}
