import { type Static, Type } from 'typebox'
import type { Price } from '../domain/price.ts'

const PriceSchema = Type.Object(
  {
    input_per_mtok: Type.Number({ minimum: 0 }),
    output_per_mtok: Type.Number({ minimum: 0 }),
    cache_read_per_mtok: Type.Number({ minimum: 0 }),
    cache_write_per_mtok: Type.Number({ minimum: 0 }),
    as_of: Type.String({ description: 'The day on which the price was read.' }),
    valid_from: Type.Optional(
      Type.String({ description: 'The day (UTC) from which it holds; absent: it always did.' }),
    ),
  },
  { additionalProperties: false },
)

/** Part of a judge: one price, or several of which each holds from its day on. */
export const PriceSettings = {
  price: Type.Optional(Type.Union([PriceSchema, Type.Null()])),
  prices: Type.Optional(Type.Array(PriceSchema, { maxItems: 1000 })),
}

interface PricesGiven {
  readonly price?: Static<typeof PriceSchema> | null
  readonly prices?: readonly Static<typeof PriceSchema>[]
}

/** The prices that a judge was given, checked; empty where it was given none. Throws with the place of what cannot be used. */
export function resolvePrices({ price, prices }: PricesGiven, place: string): readonly Price[] {
  if (price !== undefined && prices !== undefined)
    throw new Error(`VERIDICT_CONFIG: ${place}: price and prices cannot both be given`)
  if (price) return [checkDays(price, `${place}/price`)]
  const seen = new Map<string, number>()
  return (prices ?? []).map((one, index) => {
    const here = `${place}/prices/${index}`
    const from = checkDays(one, here).valid_from ?? 'the beginning'
    const earlier = seen.get(from)
    if (earlier !== undefined)
      throw new Error(`VERIDICT_CONFIG: ${here}: ${place}/prices/${earlier} holds from ${from} on, too`)
    seen.set(from, index)
    return one
  })
}

function checkDays(price: Price, place: string): Price {
  for (const name of ['as_of', 'valid_from'] as const) {
    const day = price[name]
    if (day !== undefined && !isDay(day))
      throw new Error(`VERIDICT_CONFIG: ${place}/${name}: ${JSON.stringify(day)} is not a day such as 2026-11-01`)
  }
  return price
}

/** `2026-02-30` is none: `Date` would make it the second of March. */
const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
