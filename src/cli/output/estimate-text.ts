import { count } from '../../domain/count.ts'
import type { BatchEstimate } from '../../schemas/batch.ts'
import type { Session } from '../client/session.ts'
import type { OutputFormat } from './results-format.ts'
import { dollars, line, oneLine } from './text.ts'

/** Writes the estimate of a dry run, for people or as a JSON line. */
export async function writeEstimate(
  { view, target, format }: Session,
  estimate: BatchEstimate,
  as: OutputFormat = format,
): Promise<void> {
  view.end()
  await target.write(as === 'ndjson' || as === 'csv' ? line(estimate) : estimateText(estimate))
  await target.commit()
}

function estimateText(estimate: BatchEstimate): string {
  const { items, cached, equal, to_grade, cost_usd } = estimate
  const same = equal === 1 ? '1 equals another of this batch' : `${equal} equal others of this batch`
  const parts = [
    `${cached - equal} answered by stored grades or replies`,
    ...(equal > 0 ? [same] : []),
    `${to_grade} to ask a judge`,
  ]
  const answered = `${count(items, 'item')}: ${parts.join(', ')}`
  if (to_grade === 0)
    return `${answered}\nNo judge would be asked, at no cost; with --cache refresh a dry run tells the cost of asking again.\n`
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
