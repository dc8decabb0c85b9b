import { count } from '../../domain/words.ts'
import type { BatchEstimate } from '../../schemas/batch.ts'
import type { Session } from '../session.ts'
import type { OutputFormat } from './results-format.ts'
import { dollars, line } from './text.ts'

/** Writes the estimate of a dry run, for people or as a JSON line. */
export async function writeEstimate(
  session: Session,
  estimate: BatchEstimate,
  as: OutputFormat = session.format,
): Promise<void> {
  const { view, target } = session
  session.data = estimate
  view.end()
  await target.write(as === 'ndjson' || as === 'csv' ? line(estimate) : estimateText(estimate))
  await target.commit()
}

const estimateText = ({ items, cached, to_grade, calls, input_tokens, output_tokens, cost_usd }: BatchEstimate) => `\
${count(items, 'item')}: ${cached} answered by stored grades, replies or equal items, ${to_grade} to ask a judge
  calls          ${figures(calls, short)}
  input tokens   ${figures(input_tokens, short)}
  output tokens  ${figures(output_tokens, short)}
  cost           ${cost_usd === null ? 'unknown: no price is configured for a model' : figures(cost_usd, dollars)}
No judge was asked. The upper bound is for all repairs of all items; --max-cost-usd reserves one call at a time.
`

const figures = ({ expected, most }: BatchEstimate['calls'], show: (n: number) => string): string =>
  show(expected) === show(most) ? show(most) : `expected ${show(expected)}, at most ${show(most)}`

const short = (n: number): string => {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)}M`
  return n >= 10_000 ? `${Math.round(n / 1000)}k` : String(Math.round(n))
}
