import type { Static } from 'typebox'
import { isStandardTier, type Price, type Rates, tierRates } from '../domain/money/price.ts'
import { type Provider, providerRow } from '../schemas/providers.ts'
import { Closed, Type } from '../schemas/type.ts'
import { nullable } from './settings.ts'

const dollars = () =>
  Type.Optional(Type.Number({ minimum: 0, description: 'US dollars for a million tokens, like 2.5' }))

const EXAMPLE = 'write { input: 2, output: 10 }, US dollars for a million tokens'

const KINDS = {
  input: dollars(),
  output: dollars(),
  cache_read: dollars(),
  cache_write: dollars(),
  cache_write_long: dollars(),
}

const PriceSchema = Closed(
  {
    ...KINDS,
    tiers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z_]{1,40}$' }), Closed(KINDS), {
        additionalProperties: false,
        description: 'prices by service tier, such as { flex: { input: 1, output: 5 } }',
      }),
    ),
    as_of: Type.Optional(Type.String({ description: 'a day such as 2026-11-01' })),
  },
  { description: EXAMPLE },
)
type PriceFile = Static<typeof PriceSchema>

/** The price in the settings of a judge. */
export const PriceSettings = { price: Type.Optional(nullable(PriceSchema)) }

interface PriceGiven {
  readonly price?: PriceFile | null
  readonly cache_ttl?: string
  readonly service_tier?: string
}

/**
 * Resolves the price of a judge; null without a price, and without a price of the service tier that the judge asks for: an unknown price is
 * not guessed. Throws with the place of a price that cannot be used.
 */
export function resolvePrice(
  { price: given, service_tier, cache_ttl }: PriceGiven,
  provider: Provider,
  at: string,
): Price | null {
  if (!given) return null
  const { as_of = null } = given
  const isLong = cache_ttl !== undefined && cache_ttl === providerRow(provider).cache_ttls.at(-1)
  const place = `${at}/price`
  if (as_of !== null && !isDay(as_of))
    throw new Error(`VERIDICT_CONFIG: ${place}/as_of: ${JSON.stringify(as_of)} is not a day such as 2026-11-01`)
  const tiers = Object.entries(given.tiers ?? {}).map(([tier, own]) => [
    tier,
    resolveRates(own, provider, isLong, `${place}/tiers/${tier}`),
  ])
  const price: Price = {
    ...resolveRates(given, provider, isLong, place),
    as_of,
    ...(tiers.length > 0 && { tiers: Object.fromEntries(tiers) }),
  }
  return service_tier === undefined || isStandardTier(service_tier) || tierRates(price, service_tier) ? price : null
}

/** Resolves the rates of a price. Without a price of its own, a cached token costs as much as plain input: no cost is reported too low. */
function resolveRates(given: PriceFile, provider: Provider, isLong: boolean, place: string): Rates {
  const { short, long } = providerRow(provider).cache_write
  const { input, output, cache_read, cache_write, cache_write_long } = given
  if (input === undefined || output === undefined)
    throw new Error(`VERIDICT_CONFIG: ${place}/${input === undefined ? 'input' : 'output'} is missing; ${EXAMPLE}`)
  const longWrite = cache_write_long ?? (isLong ? input * long : undefined)
  return {
    input_per_mtok: input,
    output_per_mtok: output,
    cache_read_per_mtok: cache_read ?? input,
    cache_write_per_mtok: cache_write ?? input * short,
    ...(longWrite !== undefined && { cache_write_long_per_mtok: longWrite }),
  }
}

/** Recognizes a day of the calendar; `Date` would make `2026-02-30` the second of March. */
const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
