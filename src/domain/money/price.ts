import type { Usage } from '../../schemas/grade.ts'

/** Dollars per million tokens. */
export interface Rates {
  readonly input_per_mtok: number
  readonly output_per_mtok: number
  readonly cache_read_per_mtok: number
  readonly cache_write_per_mtok: number
  /** Price of tokens written for the longer of a provider’s cache lifetimes; absent: unknown. */
  readonly cache_write_long_per_mtok?: number
}

/** The price of a model. */
export interface Price extends Rates {
  /** Rates of other service tiers; the cost of a tier that is not here is unknown. */
  readonly tiers?: Readonly<Record<string, Rates>>
  /** The day on which the price was read: `2026-11-01`; null: not known. */
  readonly as_of: string | null
}

/** Words of providers for a call that costs what the price says; `batch` stands beside the factor of batches. */
const STANDARD_TIERS: readonly string[] = ['auto', 'default', 'standard', 'standard_only', 'batch']

export const isStandardTier = (tier: string): boolean => STANDARD_TIERS.includes(tier)

/** Null: unknown. The word comes from outside. */
export const tierRates = ({ tiers = {} }: Price, tier: string): Rates | null =>
  Object.hasOwn(tiers, tier) ? (tiers[tier] ?? null) : null

/**
 * Dollars of one call; null where usage or price is unknown, be it only that of its service tier or of the cache’s longer lifetime: an
 * unknown cost is never reported as nothing. No tokens cost nothing, whatever the price.
 */
export function costUsd(usage: Usage | null, price: Price | null): number | null {
  if (usage !== null && usage.input_tokens === 0 && usage.output_tokens === 0) return 0
  const rates = usage === null || price === null ? null : ratesOf(price, usage.service_tier)
  if (usage === null || rates === null) return null
  const long = usage.cache_write_long_tokens ?? 0
  if (long > 0 && rates.cache_write_long_per_mtok === undefined) return null
  const uncached = Math.max(0, usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens)
  const dollars =
    uncached * rates.input_per_mtok +
    usage.output_tokens * rates.output_per_mtok +
    usage.cache_read_tokens * rates.cache_read_per_mtok +
    (usage.cache_write_tokens - long) * rates.cache_write_per_mtok +
    long * (rates.cache_write_long_per_mtok ?? 0)
  return dollars / 1e6
}

const ratesOf = (price: Price, tier: string | undefined): Rates | null =>
  tier === undefined || isStandardTier(tier) ? price : tierRates(price, tier)

/**
 * Dollars that a call of at most so many tokens cannot exceed: all of its input at the dearest of plain, written to the cache and read
 * from it, its output up to the limit, and both at the dearest service tier that has a price. Holds for every usage whose cached tokens
 * are part of its input tokens, which is how providers’ counts are stored here. Output that a model thinks and does not show is billed,
 * and limited, as output.
 */
export function upperBoundUsd(tokens: { readonly input: number; readonly output: number }, price: Price): number {
  const all: readonly Rates[] = [price, ...Object.values(price.tiers ?? {})]
  const input = all.flatMap((one) => [
    one.input_per_mtok,
    one.cache_write_per_mtok,
    one.cache_read_per_mtok,
    one.cache_write_long_per_mtok ?? 0,
  ])
  const output = all.map((one) => one.output_per_mtok)
  return (tokens.input * Math.max(...input) + tokens.output * Math.max(...output)) / 1e6
}
