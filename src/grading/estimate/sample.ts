import { upperBoundUsd } from '../../domain/cost.ts'
import type { Price } from '../../domain/price.ts'
import type { Question } from '../question.ts'
import { WINDOW_SCALES } from '../reading-budget.ts'
import { leastTokens, mostTokens, UNLIMITED_OUTPUT_TOKENS } from './margin.ts'
import { planSample, type ReadingPlan } from './plan.ts'

/** What calls come to. */
export interface Spent {
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly usd: number
}

const NOTHING: Spent = { calls: 0, input: 0, output: 0, usd: 0 }
/** Tokens of the shortest answer in the form of the schema: no citation, no note. */
const SHORT_ANSWER_TOKENS = 40
/** As in `sample.ts`. */
const MOST_REPAIRS = 2
/** Citations that fail, and claims that are not met: at most 60 lines and their reasons. */
const COMPLAINT_TOKENS = 3500
/** What `sample.ts` keeps of the window for repairs. */
const KEPT_FOR_REPAIRS = 8000

/** The first sample pays for what it shows; all others send the same again. */
export function leastOfSamples(plan: ReadingPlan, price: Price, samples: number): Spent {
  const { input_per_mtok, cache_read_per_mtok, cache_write_per_mtok, output_per_mtok } = price
  const shown = [...plan.windows, ...(plan.decision === null ? [] : [plan.decision.min])]
  const calls = shown.length
  const system = leastTokens(plan.system) * calls
  const fresh = shown.reduce((sum, tokens) => sum + leastTokens(tokens), 0)
  const again = Math.min(input_per_mtok, cache_read_per_mtok, cache_write_per_mtok)
  const first = fresh * Math.min(input_per_mtok, cache_write_per_mtok) + system * again
  const answers = calls * SHORT_ANSWER_TOKENS
  const dollars = first + (samples - 1) * (fresh + system) * again + samples * answers * output_per_mtok
  return { calls: calls * samples, input: (fresh + system) * samples, output: answers * samples, usd: dollars / 1e6 }
}

/** A reading that is larger than was estimated overflows, and is made again with a smaller window. */
export function mostOfSample(question: Question, price: Price): Spent {
  let total = NOTHING
  for (const scale of WINDOW_SCALES) {
    const plan = planSample(question, scale)
    total = add(total, mostOfReading(plan, question, price))
    if (!mayOverflow(plan, question)) break
  }
  return total
}

/** Every call that one reading can lead to, each cut off once. */
export function mostOfReading(plan: ReadingPlan, question: Question, price: Price): Spent {
  const { max_output_tokens } = question.judge.info
  const limit = max_output_tokens ?? UNLIMITED_OUTPUT_TOKENS
  const limits = max_output_tokens === null ? [limit] : [limit, 2 * limit]
  const longest = Math.max(...limits)
  const repair = longest + mostTokens(COMPLAINT_TOKENS * question.judge.info.token_factor + plan.shown_again)
  const around = plan.system + plan.schema
  const decision = plan.decision === null ? null : mostTokens(around + plan.decision.max)
  const inputs = [
    ...plan.windows.map((tokens) => mostTokens(around + tokens)),
    ...(decision === null ? [] : Array.from({ length: MOST_REPAIRS + 1 }, (_, round) => decision + round * repair)),
  ]
  return inputs
    .flatMap((input) =>
      limits.map((output) => ({ calls: 1, input, output, usd: upperBoundUsd({ input, output }, price) })),
    )
    .reduce(add, NOTHING)
}

function mayOverflow(plan: ReadingPlan, question: Question): boolean {
  const { window_tokens, max_output_tokens } = question.judge.info
  const shown = Math.max(0, ...plan.windows, plan.decision?.max ?? 0)
  const input = mostTokens(plan.system + plan.schema + shown) + KEPT_FOR_REPAIRS
  return window_tokens !== null && shown > 0 && input + (max_output_tokens ?? 0) > window_tokens
}

const add = (a: Spent, b: Spent): Spent => ({
  calls: a.calls + b.calls,
  input: a.input + b.input,
  output: a.output + b.output,
  usd: a.usd + b.usd,
})
