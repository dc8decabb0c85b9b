import type { Static } from 'typebox'
import { isStandardTier, type Price, type Rates, tierRates } from '../domain/money/price.ts'
import { type Provider, providerRow } from '../schemas/providers.ts'
import { Closed, Type } from '../schemas/type.ts'
import { nullable } from './settings.ts'

const PER_MILLION = 'US dollars for a million tokens, like 2.5'
const dollars = () => Type.Optional(Type.Number({ minimum: 0, description: PER_MILLION }))
const olderName = () => Type.Optional(Type.Number({ minimum: 0, description: PER_MILLION, deprecated: true }))
const day = () => Type.Optional(Type.String({ description: 'a day such as 2026-11-01' }))

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
    as_of: day(),
    valid_from: day(),
    input_per_mtok: olderName(),
    output_per_mtok: olderName(),
    cache_read_per_mtok: olderName(),
    cache_write_per_mtok: olderName(),
  },
  { description: EXAMPLE },
)
type PriceFile = Static<typeof PriceSchema>

/** Part of a judge: one price, or several of which each holds from its day on. */
export const PriceSettings = {
  price: Type.Optional(nullable(PriceSchema)),
  prices: Type.Optional(
    Type.Array(PriceSchema, { maxItems: 1000, description: 'write [{ input: 2, output: 10 }, { …, valid_from: … }]' }),
  ),
}

interface PricesGiven {
  readonly price?: PriceFile | null
  readonly prices?: readonly PriceFile[]
  readonly cache_ttl?: string
  readonly service_tier?: string
}

/**
 * The prices that a judge was given, checked; empty where it was given none, or none of the service tier that it asks for: what is not
 * known is not guessed. Throws with the place of what cannot be used.
 */
export function resolvePrices(given: PricesGiven, provider: Provider, place: string): readonly Price[] {
  const { service_tier: tier } = given
  const resolved = resolveAll(given, provider, place)
  return tier === undefined || isStandardTier(tier) ? resolved : resolved.filter((price) => tierRates(price, tier))
}

function resolveAll(given: PricesGiven, provider: Provider, place: string): readonly Price[] {
  const { price, prices, cache_ttl } = given
  const isLong = cache_ttl !== undefined && cache_ttl === providerRow(provider).cache_ttls.at(-1)
  if (price !== undefined && prices !== undefined)
    throw new Error(`VERIDICT_CONFIG: ${place}: price and prices cannot both be given; keep one of them`)
  if (price) return [resolvePrice(price, provider, isLong, `${place}/price`)]
  const seen = new Map<string, number>()
  return (prices ?? []).map((one, index) => {
    const here = `${place}/prices/${index}`
    const resolved = resolvePrice(one, provider, isLong, here)
    const from = resolved.valid_from ?? 'the beginning'
    const earlier = seen.get(from)
    if (earlier !== undefined)
      throw new Error(
        `VERIDICT_CONFIG: ${here}: ${place}/prices/${earlier} holds from ${from} on, too; give one another valid_from`,
      )
    seen.set(from, index)
    return resolved
  })
}

function resolvePrice(given: PriceFile, provider: Provider, isLong: boolean, place: string): Price {
  for (const name of ['as_of', 'valid_from'] as const) {
    const day = given[name]
    if (day !== undefined && !isDay(day))
      throw new Error(`VERIDICT_CONFIG: ${place}/${name}: ${JSON.stringify(day)} is not a day such as 2026-11-01`)
  }
  const tiers = Object.entries(given.tiers ?? {}).map(([tier, own]) => [
    tier,
    resolveRates(own, provider, isLong, `${place}/tiers/${tier}`),
  ])
  return {
    ...resolveRates(given, provider, isLong, place),
    as_of: given.as_of ?? null,
    ...(given.valid_from !== undefined && { valid_from: given.valid_from }),
    ...(tiers.length > 0 && { tiers: Object.fromEntries(tiers) }),
  }
}

/** What is read from the cache costs as much as plain input where no price is set: a cost is never told too low. */
function resolveRates(given: PriceFile, provider: Provider, isLong: boolean, place: string): Rates {
  const { short, long } = providerRow(provider).cache_write
  const input = needDollars(given, 'input', place)
  const longWrite = given.cache_write_long ?? (isLong ? input * long : undefined)
  return {
    input_per_mtok: input,
    output_per_mtok: needDollars(given, 'output', place),
    cache_read_per_mtok: findDollars(given, 'cache_read', place) ?? input,
    cache_write_per_mtok: findDollars(given, 'cache_write', place) ?? input * short,
    ...(longWrite !== undefined && { cache_write_long_per_mtok: longWrite }),
  }
}

type Kind = 'input' | 'output' | 'cache_read' | 'cache_write'

function needDollars(given: PriceFile, name: Kind, place: string): number {
  const found = findDollars(given, name, place)
  if (found === undefined) throw new Error(`VERIDICT_CONFIG: ${place}/${name} is missing; ${EXAMPLE}`)
  return found
}

function findDollars(given: PriceFile, name: Kind, place: string): number | undefined {
  const older = given[`${name}_per_mtok`]
  if (given[name] !== undefined && older !== undefined)
    throw new Error(`VERIDICT_CONFIG: ${place}/${name}_per_mtok says the same as ${name}; keep ${name}`)
  return given[name] ?? older
}

/** `2026-02-30` is none: `Date` would make it the second of March. */
const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
