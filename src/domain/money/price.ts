import type { Usage } from '../../schemas/grade.ts'

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
 * Dollars of one call; null where usage or price is unknown, as of another service tier and of the cache’s longer lifetime: an
 * unknown cost is never reported as nothing. No tokens cost nothing, whatever the price.
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
