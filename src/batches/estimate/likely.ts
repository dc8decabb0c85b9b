import { callsPerQuestion, likelyOutput, type OutputHistory } from '../../domain/money/history.ts'
import type { Price } from '../../domain/money/price.ts'
import type { ReadingPlan } from './plan.ts'
import type { Spent } from './sample.ts'

/**
 * What samples take as a rule: input as it is counted, output and repairs as this judge’s answers were so far. What is sent a second time
 * is read from the provider’s cache.
 */
export function likelyOfSamples(plan: ReadingPlan, price: Price, samples: number, history: OutputHistory): Spent {
  const shown = [...plan.windows, ...(plan.decision === null ? [] : [plan.decision.min])]
  const once = shown.reduce((sum, tokens) => sum + plan.system + plan.schema + tokens, 0)
  const times = samples * callsPerQuestion(history)
  const calls = shown.length * times
  const output = calls * likelyOutput(history)
  const again = Math.min(price.input_per_mtok, price.cache_read_per_mtok)
  const dollars = once * (price.input_per_mtok + (times - 1) * again) + output * price.output_per_mtok
  return { calls, input: once * times, output, usd: dollars / 1e6 }
}
