import { count } from '../../domain/count.ts'
import type { BatchEstimate } from '../../schemas/batch.ts'
import { line } from '../input/ndjson.ts'
import type { OutputFormat } from '../results/results-format.ts'
import { dollars, oneLine } from '../results/terminal-text.ts'

/** Renders the estimate of a dry run, for people or as a JSON line. */
export function estimateText(estimate: BatchEstimate, format: OutputFormat): string {
  if (format === 'ndjson' || format === 'csv') return line(estimate)
  const { items, to_grade, cost_usd } = estimate
  const answered = `${count(items, 'item')}: ${[...freeWords(estimate), `${to_grade} to ask a judge`].join(', ')}`
  if (to_grade === 0)
    return `${answered}\nNothing would be asked, and it costs nothing; with --cache refresh a dry run says what asking again would cost.\n`
  const isFree = estimate.input_tokens.most === 0 && estimate.judges.length > 0
  const rows = [
    answered,
    `  calls          ${figures(estimate.calls, short)}`,
    `  input tokens   ${figures(estimate.input_tokens, short)}`,
    `  output tokens  ${figures(estimate.output_tokens, short)}`,
    `  cost           ${cost_usd === null ? 'unknown: no price is configured for a model' : figures(cost_usd, dollars)}`,
    ...estimate.judges.map(
      (judge) => `  judge          ${oneLine(judge.judge)}, ${count(judge.items, 'item')}${priced(judge.price_as_of)}`,
    ),
    ...estimate.judges.filter((judge) => judge.output_tokens_per_call > 0).map(assumption),
    isFree
      ? 'No judge was asked, and none of these is a model: no tokens, no cost.'
      : 'No judge was asked. The upper bound is for all repairs of all items; --max-cost-usd reserves one call at a time.',
  ]
  return `${rows.join('\n')}\n`
}

/** Renders the items that cost nothing. Earlier versions did not count equal items apart. */
function freeWords({ cached, equal }: Omit<BatchEstimate, 'equal'> & Partial<BatchEstimate>): string[] {
  if (equal === undefined) return [`${cached} answered by stored grades or equal to another`]
  const same = equal === 1 ? '1 equals another of this batch' : `${equal} equal others of this batch`
  return [`${cached - equal} answered by stored grades or replies`, ...(equal > 0 ? [same] : [])]
}

/** Renders the assumption behind the expected figures. */
function assumption({ judge, output_tokens_per_call, answers }: BatchEstimate['judges'][number]): string {
  const tokens = `${short(output_tokens_per_call)} output tokens a call`
  const source =
    answers === 0
      ? 'an assumption, as no answer of this judge is stored here yet'
      : `the mean of this judge’s newest ${count(answers, 'stored answer')}`
  return `  expected       ${oneLine(judge)}: ${tokens}, ${source}`
}

const priced = (date: string | null): string => (date === null ? '' : `, prices as of ${oneLine(date)}`)

const figures = ({ expected, most }: BatchEstimate['calls'], show: (n: number) => string): string =>
  show(expected) === show(most) ? show(most) : `expected ${show(expected)}, at most ${show(most)}`

const short = (n: number): string => {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)}M`
  return n >= 10_000 ? `${Math.round(n / 1000)}k` : String(Math.round(n))
}
