/** Dollars per million tokens. */
export interface Rates {
  readonly input_per_mtok: number
  readonly output_per_mtok: number
  readonly cache_read_per_mtok: number
  readonly cache_write_per_mtok: number
  /** Of what is written for the longer of a provider’s lifetimes; absent: unknown. */
  readonly cache_write_long_per_mtok?: number
}

/** The same from a day on. */
export interface Price extends Rates {
  /** What other service tiers cost; one that is not here is of unknown cost. */
  readonly tiers?: Readonly<Record<string, Rates>>
  /** The day on which the price was read: `2026-11-01`; null: not known. */
  readonly as_of: string | null
  /** The day (UTC) from which it holds; absent: it always did. */
  readonly valid_from?: string
}

/**
 * The price that holds on `date`: the newest of those that are valid by then. Null: none is known.
 *
 * @example priceOn([{ …, as_of: '2026-11-01' }, { …, valid_from: '2027-01-01' }], new Date('2026-12-01')) // → the first
 */
export function priceOn(prices: readonly Price[], date: Date): Price | null {
  let newest: Price | null = null
  let since = Number.NEGATIVE_INFINITY
  for (const price of prices) {
    const from = validFrom(price)
    if (from > date.getTime() || (newest !== null && from <= since)) continue
    newest = price
    since = from
  }
  return newest
}

/** Milliseconds since the epoch; a price with no beginning is older than any other. */
const validFrom = (price: Price): number =>
  price.valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(price.valid_from)

/** Words of providers for a call that costs what the price says; `batch` stands beside the factor of batches. */
const STANDARD_TIERS: readonly string[] = ['auto', 'default', 'standard', 'standard_only', 'batch']

export const isStandardTier = (tier: string): boolean => STANDARD_TIERS.includes(tier)

/** Null: unknown. The word comes from outside. */
export const tierRates = ({ tiers = {} }: Price, tier: string): Rates | null =>
  Object.hasOwn(tiers, tier) ? (tiers[tier] ?? null) : null
