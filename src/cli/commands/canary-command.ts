import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { fallOver } from '../../domain/statistics/trend.ts'
import { answersTo } from '../../domain/statistics/validation.ts'
import { sum } from '../../domain/statistics/weighted-shares.ts'
import { count } from '../../domain/words.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { watchToEnd } from '../follow.ts'
import { type Judged, labelledRuns, readBundled, readJudged, rubricOf } from '../labelled.ts'
import { JUDGING_CANARIES, type Options, settingsOf } from '../options.ts'
import { clip, oneLine, present, tableOf, tally } from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'
import { checkPaths, NO_COUNTS, readTrialsOf, sift } from '../trials.ts'

/** The set of the bundled examples, where no file is named. */
const BUNDLED = 'examples'

export const canary = sessionCommand<Options, [set?: string]>('canary', {
  args: { '[set]': `NDJSON, a labelled run a line, as validate takes; default: ${BUNDLED}, the bundled ones` },
  options: JUDGING_CANARIES,
  database: 'make',
  work: (session, options, set = BUNDLED) => gradeCanaries(session, options, set),
})

/** Runs that are shown and tested together: `fallOver` counts the orders of the runs out. */
const MOST_RUNS = 6
/** The test of confidence over the runs takes the square of their number. */
const MOST_CANARIES = 500
/** The largest chance at which confidence counts as sliding. */
const ALPHA = 0.05

/** Grades a set of labelled trials afresh, and compares the answers with those of earlier runs of the same set, judge, rubric and samples. */
async function gradeCanaries(session: Session, options: Options, set: string): Promise<Answer> {
  const { veridict, signal, view } = session
  const rubric = await rubricOf(session, set === BUNDLED ? { rubric: 'tab-behavior', ...options } : options, set)
  const { items, labels, digest } = await readSet(session, set, rubric)
  const judge = options.judge ?? (await veridict.listJudges()).items.find((one) => one.default)?.name ?? ''
  const { samples = 1 } = options
  const identity = JSON.stringify([digest, rubric.digest, judge, samples])
  const key = `canary ${createHash('sha256').update(identity).digest('hex')}`
  const { items: earlier } = await veridict.batches({ key, status: 'done', limit: MOST_RUNS - 1 })
  const asked = { ...settingsOf(options), ...(judge !== '' && { judge }), rubric: rubric.name, key, signal }
  const fresh = { cache: 'refresh', mode: 'direct', again: true, name: `canary ${basename(set)}` } as const
  const begun = await veridict.createBatch(items, { ...asked, ...fresh })
  const runs: Run[] = []
  for (const batch of [...earlier.toReversed(), await watchToEnd(session, begun)])
    runs.push(runOf(batch, await readJudged(session, batch, labels), runs.at(-1)?.labels))
  view.end()
  return answerOf(runs, { set: basename(set), items: items.length, judge, rubric: rubric.name, samples })
}

/** Reads the labelled trials of a set, all of them sound, each with its label. */
async function readSet(session: Session, set: string, rubric: RubricView) {
  if (set !== BUNDLED) await checkPaths([set])
  const { labels, subject, read } = labelledRuns(set, rubric)
  const trials = set === BUNDLED ? bundledTrials() : readTrialsOf(session, [set], { rubric: rubric.name })
  const items = []
  const counts = { ...NO_COUNTS }
  for await (const { item_id = '', request, trajectory } of sift(read(trials), counts, session.view))
    items.push({ item: { item_id, ...request, metadata: { ...request.metadata, canary: basename(set) } }, trajectory })
  if (items.length > MOST_CANARIES)
    throw new CliError(`${oneLine(set)} has ${items.length} canaries, and at most ${MOST_CANARIES} are graded`)
  const [bare] = [...labels].flatMap(([name, { human }]) => (human['outcome'] === undefined ? [name] : []))
  if (counts.skipped + counts.files === 0 && bare === undefined && items.length > 0)
    return { items, labels, digest: subject.data.digest }
  const why =
    bare === undefined
      ? 'each line is a labelled run'
      : `${clip(bare, 80)} has no label: add "human": {"outcome": "LABEL"}`
  throw new CliError(`${oneLine(set)} is no set of canaries: ${why}`, [
    '`veridict validate --help` describes such a file.',
  ])
}

/** Makes labelled trials of the examples that have a label. */
const bundledTrials = (): TrialItem[] =>
  readBundled().flatMap(({ name, request, expected: { label } }): TrialItem[] => {
    const human = { outcome: label }
    if (label === null) return []
    return [{ kind: 'trial', name, item_id: name, source: name, human, request, trajectory: null, warnings: [] }]
  })

type Run = ReturnType<typeof runOf>

/** Sums up the answers of a judge to the set at one time. `before`: the labels of the run before; null: an answer without a label. */
function runOf({ id, created_at }: Batch, judged: readonly Judged[], before?: ReadonlyMap<string, string | null>) {
  const answered = judged.filter(({ status }) => status === 'graded' || status === 'unverified')
  const answers = answered.map((one) => ({ ...one, ...answersTo('outcome', [one])[0] }))
  const labels = new Map(answers.map(({ item, judge = null }) => [item, judge === null ? null : String(judge)]))
  /** By item: 1 low to 3 high, 0 without a label. */
  const levels = new Map(
    answered.map(({ item, status, confidence }) => {
      return [item, status === 'graded' ? CONFIDENCE_LEVELS.indexOf(confidence ?? 'low') + 1 : 0]
    }),
  )
  const all = [...levels.values()]
  const [none, low, medium, high] = [0, 1, 2, 3].map((level) => all.filter((one) => one === level).length)
  const row = {
    ...{ batch: id, at: created_at },
    models: [...new Set(answered.map(({ grade }) => grade?.receipt.model_resolved ?? 'unnamed'))].sort(),
    right: answers.filter(({ right }) => right === true).length,
    failed: judged.length - answered.length,
    contradictions: answered.filter(({ grade }) => (grade?.contradictions.length ?? 0) > 0).length,
    wrong: answers.flatMap(({ item, right }) => (right === true ? [] : [item])),
    flipped: [...labels].flatMap(([item, label]) => ((before?.get(item) ?? label) === label ? [] : [item])),
    answered: labels.size,
    confidence: { low, medium, high, none },
    mean_confidence: all.length === 0 ? null : sum(all) / all.length,
  }
  return { row, labels, levels }
}

const TABLE = tableOf<Run['row']>([
  ['run', 24, ({ at }) => at],
  ['model', 30, ({ models }) => clip(models.join(', '), 30)],
  ['right', 9, ({ right, answered }) => `${right} of ${answered}`],
  ['confidence', 38, ({ confidence }) => tally(confidence)],
  ['mean', 5, ({ mean_confidence: mean }) => mean?.toFixed(2) ?? '–'],
  ['contradicted', 12, ({ contradictions }) => String(contradictions)],
  ['flips', 5, ({ flipped }) => String(flipped.length)],
  ['wrong', 5, ({ wrong }) => String(wrong.length)],
  ['failed', 0, ({ failed }) => String(failed)],
])

function answerOf(runs: readonly Run[], subject: Readonly<Record<string, string | number>>): Answer {
  const rows = runs.map(({ row }) => row)
  const items = new Set(runs.flatMap(({ levels }) => [...levels.keys()]))
  const { fell, rose, p } = fallOver([...items].map((item) => runs.flatMap(({ levels }) => levels.get(item) ?? [])))
  const slide = { runs: runs.length, fell, rose, p, slides: p <= ALPHA }
  const { flipped = [], wrong = [], failed = 0 } = rows.at(-1) ?? {}
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? '' : `${what}: ${names.map(oneLine).join(', ')}`
  const changes = present([
    failed > 0 ? `${count(failed, 'canary', 'canaries')} without an answer: the judge failed` : '',
    named('another label than in the last run', flipped),
    named('no label, or another than the known one', wrong),
    slide.slides ? 'confidence slides' : '',
  ])
  const test = `confidence over ${count(runs.length, 'run')}: ${fell} fell, ${rose} rose; one-sided exact p = ${p.toPrecision(2)}`
  const code: ExitCode = failed > 0 ? EXIT.failed : changes.length > 0 ? EXIT.unverified : EXIT.graded
  const well =
    runs.length === 1 ? 'the judge answers as known; no run was before' : 'the judge answers as before, and as known'
  return {
    data: { ...subject, runs: rows, slide, ok: code === EXIT.graded, changes },
    text: `${TABLE.head()}${rows.map(TABLE.row).join('')}\n${test}\n${changes.join('\n') || well}\n`,
    code,
  }
}

/** Throws where the canaries of a judge fail: the batch behind them does not begin. */
export async function requireCanaries(session: Session, options: Options, set: string): Promise<void> {
  const { text = '', data, code = EXIT.graded } = await gradeCanaries(session, options, set)
  session.view.note(text.trimEnd())
  if (code === EXIT.graded) return
  const { changes } = data as { readonly changes: readonly string[] }
  throw new CliError('no batch was made: its canaries fail', changes, code, 'canaries_failed')
}
