import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costUsd, type Price, upperBoundUsd } from '../../src/domain/money/price.ts'

const PRICE: Price = {
  input_per_mtok: 2,
  output_per_mtok: 10,
  cache_read_per_mtok: 0.2,
  cache_write_per_mtok: 2.5,
  as_of: '2026-11-01',
}
const usage = (input: number, output: number, read = 0, write = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: read,
  cache_write_tokens: write,
})

describe('costUsd', () => {
  // By hand: tokens × dollars / 1e6.
  test.each([
    ['plain', usage(1_000_000, 100_000), 3],
    ['part of the input read from the cache', usage(1_000_000, 0, 900_000), 0.2 + 0.18],
    ['part of it written to the cache', usage(1_000_000, 0, 0, 400_000), 1.2 + 1],
    ['nothing', usage(0, 0), 0],
  ])('%s', (_name, used, dollars) => expect(costUsd(used, PRICE)).toBeCloseTo(dollars, 12))

  test('what is unknown is not nothing', () => {
    expect(costUsd(null, PRICE)).toBeNull()
    expect(costUsd(usage(1, 1), null)).toBeNull()
  })

  // Anthropic’s published prices of a cache: five minutes 1.25 times the input, an hour twice.
  test('what is kept for longer has its own price, or none', () => {
    const written = { ...usage(1_000_000, 0, 0, 500_000), cache_write_long_tokens: 400_000 }
    expect(costUsd(written, PRICE)).toBeNull()
  })

  test.each([
    ['default', 3],
    ['standard', 3],
    ['batch', 3],
    ['flex', null],
    ['priority', null],
    ['unknown', null],
    ['constructor', null],
  ])('service tier %s', (service_tier, dollars) => {
    const cost = costUsd({ ...usage(1_000_000, 100_000), service_tier }, PRICE)
    if (dollars === null) expect(cost).toBeNull()
    else expect(cost).toBeCloseTo(dollars, 12)
  })
})

describe('upperBoundUsd', () => {
  test('input at the dearest of its prices, output at its own', () => {
    expect(upperBoundUsd({ input: 1_000_000, output: 100_000 }, PRICE)).toBeCloseTo(2.5 + 1, 12)
    expect(upperBoundUsd({ input: 1_000_000, output: 0 }, { ...PRICE, input_per_mtok: 4 })).toBeCloseTo(4, 12)
  })

  const dollars = fc.double({ min: 0, max: 1000, noNaN: true })
  const prices = fc.record({
    input_per_mtok: dollars,
    output_per_mtok: dollars,
    cache_read_per_mtok: dollars,
    cache_write_per_mtok: dollars,
    as_of: fc.constant('2026-11-01'),
  })
  const tokens = fc.nat(2_000_000)
  const share = fc.double({ min: 0, max: 1, noNaN: true })

  test('no usage within the limits costs more', () => {
    fc.assert(
      fc.property(prices, tokens, tokens, share, share, share, (price, input, output, part, read, write) => {
        const used = Math.floor(input * part)
        const cached = Math.floor(used * read)
        const written = Math.floor((used - cached) * write)
        const cost = costUsd(usage(used, Math.floor(output * part), cached, written), price) ?? Number.NaN
        const bound = upperBoundUsd({ input, output }, price)
        // Sums in another order differ in the last digit.
        expect(cost).toBeLessThanOrEqual(bound * (1 + 1e-12))
      }),
      { numRuns: 500 },
    )
  })
})
