import type { Usage } from '../../schemas/grade.ts'
import type { Price } from './price.ts'

/**
 * Dollars of one call; null where usage or price is unknown: an unknown cost is never reported as nothing. No tokens cost nothing,
 * whatever the price.
 */
export function costUsd(usage: Usage | null, price: Price | null): number | null {
  if (usage !== null && usage.input_tokens === 0 && usage.output_tokens === 0) return 0
  if (usage === null || price === null) return null
  const uncached = Math.max(0, usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens)
  const dollars =
    uncached * price.input_per_mtok +
    usage.output_tokens * price.output_per_mtok +
    usage.cache_read_tokens * price.cache_read_per_mtok +
    usage.cache_write_tokens * price.cache_write_per_mtok
  return dollars / 1e6
}

/**
 * Dollars that a call of at most so many tokens cannot exceed: all of its input at the dearest of plain, written to the cache and read
 * from it, its output up to the limit. Holds for every usage whose cached tokens are part of its input tokens, which is how providers’
 * counts are stored here. Output that a model thinks and does not show is billed, and limited, as output.
 */
export function upperBoundUsd(tokens: { readonly input: number; readonly output: number }, price: Price): number {
  const input = Math.max(price.input_per_mtok, price.cache_write_per_mtok, price.cache_read_per_mtok)
  return (tokens.input * input + tokens.output * price.output_per_mtok) / 1e6
}
