import type { Usage } from '../schemas/grade.ts'

/** Dollars per million tokens, with the day on which the price was read. */
export interface Price {
  readonly input_per_mtok: number
  readonly output_per_mtok: number
  readonly cache_read_per_mtok: number
  readonly cache_write_per_mtok: number
  readonly as_of: string
}

/** Dollars of one call; null where usage or price is unknown: an unknown cost is never reported as nothing. */
export function costUsd(usage: Usage | null, price: Price | null): number | null {
  if (usage === null || price === null) return null
  const uncached = Math.max(0, usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens)
  const dollars =
    uncached * price.input_per_mtok +
    usage.output_tokens * price.output_per_mtok +
    usage.cache_read_tokens * price.cache_read_per_mtok +
    usage.cache_write_tokens * price.cache_write_per_mtok
  return dollars / 1e6
}
