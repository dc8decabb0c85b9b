import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Price, priceOn } from '../../src/domain/money/price.ts'

const price = (as_of: string, valid_from?: string): Price => ({
  input_per_mtok: 1,
  output_per_mtok: 1,
  cache_read_per_mtok: 1,
  cache_write_per_mtok: 1,
  as_of,
  ...(valid_from !== undefined && { valid_from }),
})

const ALWAYS = price('a')
const MAY = price('b', '2026-05-01')
const JULY = price('c', '2026-07-01')

test.each<[string, readonly Price[], string, Price | null]>([
  ['none is known', [], '2026-06-01', null],
  ['one with no beginning held always', [ALWAYS], '1999-01-01', ALWAYS],
  ['before the first', [MAY, JULY], '2026-04-30T23:59:59.999Z', null],
  ['from the first moment of its day, UTC', [MAY, JULY], '2026-05-01T00:00:00Z', MAY],
  ['until the next', [MAY, JULY], '2026-06-30T23:59:59.999Z', MAY],
  ['the newest', [ALWAYS, MAY, JULY], '2026-12-01', JULY],
  ['a dated one before one with no beginning', [MAY, ALWAYS], '2026-06-01', MAY],
  ['one with no beginning until then', [MAY, ALWAYS], '2026-04-01', ALWAYS],
])('%s', (_name, prices, date, expected) => {
  expect(priceOn(prices, new Date(date))).toBe(expected)
})

const days = fc
  .uniqueArray(fc.integer({ min: 0, max: 4000 }), { maxLength: 8 })
  .map((all) => all.map((day) => price(`day ${day}`, new Date(day * 86_400_000).toISOString().slice(0, 10))))

test('the order of the list does not matter, and no price of the future is picked', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -10, max: 4010 }), (prices, day) => {
      const date = new Date(day * 86_400_000)
      const picked = priceOn(prices, date)
      expect(priceOn([...prices].reverse(), date)).toBe(picked)
      const past = prices.filter((one) => Date.parse(one.valid_from ?? '') <= date.getTime())
      expect(picked?.valid_from ?? null).toBe(
        past
          .map((one) => one.valid_from ?? '')
          .sort()
          .at(-1) ?? null,
      )
    }),
  )
})
