import type { Static } from 'typebox'
import type { Price } from '../domain/money/price.ts'
import { type Provider, providerRow } from '../schemas/providers.ts'
import { Documented, Type } from '../schemas/type.ts'
import { nullable } from './settings.ts'

const dollars = () =>
  Type.Optional(Type.Number({ minimum: 0, description: 'US dollars for a million tokens, like 2.5' }))

const EXAMPLE = 'write { input: 2, output: 10 }, US dollars for a million tokens'

const PriceSchema = Documented(EXAMPLE, {
  ...{ input: dollars(), output: dollars(), cache_read: dollars(), cache_write: dollars() },
  as_of: Type.Optional(Type.String({ description: 'a day such as 2026-11-01' })),
})
type PriceFile = Static<typeof PriceSchema>

/** The price in the settings of a judge. */
export const PriceSettings = { price: Type.Optional(nullable(PriceSchema)) }

/**
 * Resolves the price of a judge; null: unknown. Without a price of its own, a cached token costs as much as plain input: no cost is reported
 * too low. Throws with the place of a price that cannot be used.
 */
export function resolvePrice(
  { price: given }: { readonly price?: PriceFile | null },
  provider: Provider,
  at: string,
): Price | null {
  if (!given) return null
  const { input, output, cache_read, cache_write, as_of = null } = given
  const place = `VERIDICT_CONFIG: ${at}/price`
  if (as_of !== null && !isDay(as_of))
    throw new Error(`${place}/as_of: ${JSON.stringify(as_of)} is not a day such as 2026-11-01`)
  if (input === undefined || output === undefined)
    throw new Error(`${place}/${input === undefined ? 'input' : 'output'} is missing; ${EXAMPLE}`)
  return {
    input_per_mtok: input,
    output_per_mtok: output,
    cache_read_per_mtok: cache_read ?? input,
    cache_write_per_mtok: cache_write ?? input * providerRow(provider).cache_write,
    as_of,
  }
}

/** Recognizes a day of the calendar; `Date` would make `2026-02-30` the second of March. */
const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
