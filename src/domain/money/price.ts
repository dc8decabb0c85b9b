import type { AttemptSummary, Usage } from '../../schemas/grade.ts'

/** The price of a model, in dollars per million tokens. */
export interface Price {
  readonly input_per_mtok: number
  readonly output_per_mtok: number
  readonly cache_read_per_mtok: number
  readonly cache_write_per_mtok: number
  /** The day on which the price was read: `2026-11-01`; null: not known. */
  readonly as_of: string | null
}

/** Words of providers for a call that costs what the price says; `batch` stands beside the factor of batches. */
const STANDARD_TIERS: readonly string[] = ['auto', 'default', 'standard', 'standard_only', 'batch']

export const isStandardTier = (tier: string): boolean => STANDARD_TIERS.includes(tier)

/**
 * Dollars of a call; null, and never 0: usage or price unknown, another service tier, the cache’s longer lifetime. No tokens cost nothing,
 * whatever the price.
 */
export function costUsd(usage: Usage | null, price: Price | null): number | null {
  if (usage === null) return null
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_long_tokens = 0 } = usage
  if (input_tokens === 0 && output_tokens === 0) return 0
  const isPriced = cache_write_long_tokens === 0 && isStandardTier(usage.service_tier ?? 'default')
  if (price === null || !isPriced) return null
  const uncached = Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens)
  const dollars =
    uncached * price.input_per_mtok +
    output_tokens * price.output_per_mtok +
    cache_read_tokens * price.cache_read_per_mtok +
    cache_write_tokens * price.cache_write_per_mtok
  return dollars / 1e6
}

/**
 * Dollars that a call of at most so many tokens cannot exceed: all of its input at the dearest of plain, written to the cache and read
 * from it, and its output up to the limit. Holds for every usage whose cached tokens
 * are part of its input tokens, which is how providers’ counts are stored here. Output that a model thinks and does not show is billed,
 * and limited, as output.
 */
export function upperBoundUsd(tokens: { readonly input: number; readonly output: number }, price: Price): number {
  const input = Math.max(price.input_per_mtok, price.cache_write_per_mtok, price.cache_read_per_mtok)
  return (tokens.input * input + tokens.output * price.output_per_mtok) / 1e6
}

/** Bounds the answers that count and the calls among which they are looked for: neither grows with the database. */
export const MOST_ANSWERS = 200
export const MOST_CALLS = 20_000

/** Counts the newest stored answers of a judge, those of them to a first question and not to a repair, and the output tokens of all. */
export const historyOf = (answers: readonly { purpose: AttemptSummary['purpose']; usage: Usage }[]) => ({
  answers: answers.length,
  questions: answers.filter(({ purpose }) => purpose !== 'repair').length,
  output_tokens: answers.reduce((sum, { usage }) => sum + usage.output_tokens, 0),
})
export type OutputHistory = Readonly<ReturnType<typeof historyOf>>
export const NO_HISTORY: OutputHistory = historyOf([])

/** Output tokens of a call by a judge that has answered nothing yet: an assumption, and shown as one. */
const ASSUMED_OUTPUT_TOKENS = 2000

export const likelyOutput = ({ answers, output_tokens }: OutputHistory): number =>
  answers === 0 ? ASSUMED_OUTPUT_TOKENS : output_tokens / answers

/** Estimates the calls for a question, its repairs included. */
export const callsPerQuestion = ({ answers, questions }: OutputHistory): number =>
  questions === 0 ? 1 : answers / questions
