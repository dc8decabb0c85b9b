import { count } from '../../domain/count.ts'
import type { Certificate, Measure, Share } from '../../schemas/audit/certificate.ts'
import { COST_UNKNOWN } from '../output/cost-text.ts'
import { statisticText } from '../output/flips-format.ts'
import { clip, dollars, oneLine, type Paint, pad, percent, tally } from '../results/terminal-text.ts'
import type { Comparison } from './against.ts'

const shareOrNone = (share: number | null): string => (share === null ? '–' : percent(share))

/** `89 of 184, 48.4% [41.2, 55.6]` */
export function shareText({ n, count: fits, share, ci95, method }: Share): string {
  const interval = ci95 === null ? '' : ` [${ci95.map((limit) => (100 * limit).toFixed(1)).join(', ')}]`
  return `${fits} of ${n}, ${shareOrNone(share)}${interval}${method === 'cluster_bootstrap' ? ' c' : ''}`
}

const row = (name: string, text: string): string => `  ${pad(name, 22)}  ${text}`

/** A validation for people: the facts, then each question. */
export function validationTable(certificate: Certificate, paint: Paint): string {
  const { data, rubric, judge, ends, failures, unmet, citations, contradictions, cost } = certificate
  const models = judge.models_resolved.map(({ model, grades }) => `${clip(model ?? 'unnamed', 100)} (${grades})`)
  const facts: (readonly [string, string])[] = [
    [
      'data',
      `${data.name}, ${count(data.items, 'labelled run')}${data.skipped > 0 ? `, ${data.skipped} skipped` : ''}, ${data.digest.slice(0, 19)}…`,
    ],
    ['rubric', `${rubric.name}, ${rubric.digest.slice(0, 19)}…`],
    ['judge', `${oneLine(judge.name)}${models.length > 0 ? `, answered as ${models.join(', ')}` : ''}`],
    ['date', certificate.created_at],
    ['ended', tally(ends)],
    ['failures', tally(failures)],
    ['evidence', tally(citations)],
    ['unproved claims', tally(unmet)],
    ['contradictions', tally(contradictions)],
    ['cost', costLine(cost)],
  ]
  const lines = [
    paint('bold', `How ${oneLine(judge.name)} agrees with people`),
    ...facts.flatMap(([name, text]) => (text === '' ? [] : [row(name, text)])),
    ...certificate.measures.flatMap((one) => questionLines(one, paint)),
    '',
    'Shares have 95% intervals: Wilson’s, or (c) from resampled clusters of runs that share a task. An item without a verdict',
    'is not right. A label is one rater’s: people disagree, too (docs/validation.md).',
  ]
  return `${lines.join('\n')}\n`
}

function costLine({ calls, input_tokens, output_tokens, cost_usd, paid_usd }: Certificate['cost']): string {
  const dollarsOf = (usd: number | null) => (usd === null ? COST_UNKNOWN : dollars(usd))
  return `${count(calls, 'call')}, ${input_tokens} input and ${output_tokens} output tokens, ${dollarsOf(cost_usd)}, of which now paid ${dollarsOf(paid_usd)}`
}

function questionLines({ question, type, of, confidence }: Certificate['measures'][number], paint: Paint): string[] {
  const levels = confidence.filter(({ right }) => right.n > 0)
  return [
    '',
    paint('bold', `${question} (${type})`),
    ...of.flatMap((measure) => measureLines(measure, of.length > 1, paint)),
    ...levels.map(({ level, right }) => row(`confidence ${level}`, `${shareText(right)} right`)),
  ]
}

function measureLines(measure: Measure, hasGroups: boolean, paint: Paint): string[] {
  const { group, right, right_of_graded, refused_right, majority, chance, near, cohen_kappa, gwet_ac1 } = measure
  return [
    ...(hasGroups ? [` ${paint('dim', group === null ? 'all' : clip(group, 100))}`] : []),
    row('right', shareText(right)),
    row('right of graded', shareText(right_of_graded)),
    ...(refused_right > 0 ? [row('right, but unproved', String(refused_right))] : []),
    ...(majority === null
      ? []
      : [row('majority class', `${shareText(majority.right)}, always ${clip(majority.value, 60)}`)]),
    row('chance', shareOrNone(chance)),
    ...near.map(({ within, right: some, chance: by }) =>
      row(`within ±${within}`, `${shareText(some)}, chance ${shareOrNone(by)}`),
    ),
    ...(cohen_kappa === null ? [] : [row('Cohen’s κ, graded', statisticText(cohen_kappa))]),
    ...(gwet_ac1 === null ? [] : [row('Gwet’s AC1, graded', statisticText(gwet_ac1))]),
    ...(group === null ? [...confusionLines(measure), ...classLines(measure)] : []),
  ]
}

const MOST_WIDE = 16

/** Answers that neither people nor the judge gave are left out. */
function confusionLines({ confusion }: Measure): string[] {
  if (confusion === null) return []
  const { values, counts } = confusion
  const used = values
    .map((value, index) => ({ value, index }))
    .filter(({ index }) => [...(counts[index] ?? []), ...counts.map((line) => line[index] ?? 0)].some((n) => n > 0))
  const cell = (text: string | number): string => clip(String(text), MOST_WIDE).padStart(MOST_WIDE + 1)
  const head = [...used.map(({ value }) => value), 'no verdict'].map(cell).join('')
  return [
    row('human \\ judge', head),
    ...used.map(({ value, index }) => {
      const line = counts[index] ?? []
      return row(
        clip(value, 22),
        [...used.map((one) => line[one.index] ?? 0), line[values.length] ?? 0].map(cell).join(''),
      )
    }),
  ]
}

const classLines = ({ classes }: Measure): string[] =>
  classes
    .filter(({ n_human, n_judge }) => n_human + n_judge > 0)
    .map(({ value, n_human, n_judge, precision, recall, f1 }) =>
      row(
        `class ${clip(value, 60)}`,
        `human ${n_human}, judge ${n_judge}; precision ${shareOrNone(precision)}, recall ${shareOrNone(recall)}, F1 ${shareOrNone(f1)}`,
      ),
    )

const VERDICTS = {
  equivalent: 'equivalent',
  different: 'different by more than the margin',
  not_shown: 'equivalence is not shown: the interval crosses the margin',
} as const

/** What two certificates say of each other. */
export function comparisonTable(
  { margin, base, base_created_at, equivalent, questions }: Comparison,
  paint: Paint,
): string {
  const points = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`
  const lines = [
    paint(
      'bold',
      `Against ${oneLine(base.name)} of ${oneLine(base_created_at)}, margin ±${(100 * margin).toFixed(1)} points`,
    ),
    ...questions.map(
      ({ question, n, base_right, head_right, base_only, head_only, same, difference, ci95, verdict }) => {
        const interval = ci95 === null ? 'no interval' : `[${ci95.map(points).join(', ')}]`
        const change = difference === null ? '–' : points(difference)
        const counts = `${base_right} then and ${head_right} now of ${n}, ${base_only} only then, ${head_only} only now, same answer ${same}`
        return row(
          oneLine(question),
          `${change} ${interval}: ${paint(verdict === 'equivalent' ? 'green' : 'yellow', VERDICTS[verdict])} (${counts})`,
        )
      },
    ),
    equivalent ? paint('green', 'equivalent') : paint('yellow', 'not equivalent, as far as these items can tell'),
  ]
  return `\n${lines.join('\n')}\n`
}
