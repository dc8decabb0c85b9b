import { leastTokens, mostTokens, UNLIMITED_OUTPUT_TOKENS } from '../../asking/margin.ts'
import { callsPerQuestion, likelyOutput, type OutputHistory } from '../../domain/money/history.ts'
import { type Price, upperBoundUsd } from '../../domain/money/price.ts'
import type { Question } from '../../grading/question.ts'
import { WINDOW_SCALES } from '../../grading/reading-budget.ts'
import { MOST_REPAIRS } from '../../grading/sample.ts'
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
/** Citations that fail, and claims that are not met: at most 60 lines and their reasons. */
const COMPLAINT_TOKENS = 3500
/** What `sample.ts` keeps of the window for repairs. */
const KEPT_FOR_REPAIRS = 8000

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

/** A reading that is larger than was estimated overflows: in one piece it is made again smaller, in windows these are cut in two. */
export function mostOfSample(question: Question, price: Price): Spent {
  let total = NOTHING
  for (const scale of WINDOW_SCALES) {
    const plan = planSample(question, scale)
    const overflows = mayOverflow(plan, question)
    total = add(total, mostOfReading(plan, question, price, overflows))
    if (plan.windows.length > 0 || !overflows) break
  }
  return total
}

/** Every call that one reading can lead to, each cut off once. */
export function mostOfReading(plan: ReadingPlan, question: Question, price: Price, overflows: boolean): Spent {
  const { max_output_tokens, token_factor } = question.judge.info
  const limit = max_output_tokens ?? UNLIMITED_OUTPUT_TOKENS
  const limits = max_output_tokens === null ? [limit] : [limit, 2 * limit]
  const complaint = Math.max(...limits) + mostTokens(COMPLAINT_TOKENS * token_factor)
  const around = plan.system + plan.schema
  const pieces = [...plan.windows, ...(overflows ? plan.splits() : [])].map((tokens) => mostTokens(around + tokens))
  const repair = Math.max(...limits) + mostTokens(COMPLAINT_TOKENS * token_factor + plan.shown_again)
  const inputs = [
    ...pieces.flatMap((input) => [input, input + complaint]),
    ...decisionsOf(plan, overflows).map(({ tokens, repairs }) => mostTokens(around + tokens) + repairs * repair),
  ]
  return inputs
    .flatMap((input) =>
      limits.map((output) => ({ calls: 1, input, output, usd: upperBoundUsd({ input, output }, price) })),
    )
    .reduce(add, NOTHING)
}

/** One decision and its repairs; over windows it is begun again while it overflows, and the repairs are for all of these together. */
function decisionsOf({ windows, decision }: ReadingPlan, overflows: boolean) {
  if (decision === null) return []
  const begun = windows.length > 0 && overflows ? WINDOW_SCALES.length : 1
  const repairs = Array.from({ length: MOST_REPAIRS }, (_, round) => round + 1)
  return [...Array.from({ length: begun }, () => 0), ...repairs].map((one) => ({
    tokens: decision.max,
    repairs: one,
  }))
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
