import { expect, test } from 'vitest'
import { bootstrap, expandedTail, seededRandom } from '../../../src/domain/statistics/bootstrap.ts'
import { quantile } from '../../../src/domain/statistics/weighted-shares.ts'
import { readTables } from '../../tables.ts'

const SETTINGS = { draws: 2000, seed: 1 }

/** The mean of 0 … n − 1, from how often each was drawn. */
const mean = (weights: Float64Array) => weights.reduce((sum, times, unit) => sum + times * unit, 0) / weights.length

test('the interval of a mean is ± 1.96 standard errors, for many units', () => {
  const units = 400
  const [interval] = bootstrap(units, SETTINGS, (weights) => [mean(weights)])
  const error = Math.sqrt((units ** 2 - 1) / 12 / units)
  const [low = 0, high = 0] = interval?.ci95 ?? []
  expect((high - low) / 2 / error).toBeGreaterThan(1.85)
  expect((high - low) / 2 / error).toBeLessThan(2.07)
  expect((low + high) / 2).toBeCloseTo(199.5, -0.5)
})

test('undefined draws are counted and left out', () => {
  const [interval] = bootstrap(10, SETTINGS, (weights) => [weights[0] === 0 ? null : (weights[0] ?? 0)])
  // (9/10)¹⁰ = 0.3487 of 2000, standard deviation 21.3.
  expect(Math.abs((interval?.undefined_draws ?? 0) - 697)).toBeLessThan(100)
  expect(interval?.ci95?.[0]).toBe(1)
})

test.each([
  ['no unit', 0, () => 1, 'too_few_units'],
  ['one unit', 1, () => 1, 'too_few_units'],
  ['one value', 5, () => 0.1, 'no_spread'],
  [
    'one value, rounded in two ways',
    5,
    (weights: Float64Array) => ((weights[0] ?? 0) > 0 ? 0.3 : 0.1 + 0.2),
    'no_spread',
  ],
  ['no value', 5, () => null, 'mostly_undefined'],
  ['few values', 5, (weights: Float64Array) => ((weights[0] ?? 0) > 2 ? mean(weights) : null), 'mostly_undefined'],
] as const)('%s: no interval', (_name, units, statistic, reason) => {
  const [interval] = bootstrap(units, SETTINGS, (weights) => [statistic(weights)])
  expect(interval).toMatchObject({ ci95: null, reason })
})

test.each(readTables<{ tails: [units: number, tail: number][] }>('domain/tables/statistics').tails)(
  'the tail for %i units',
  (units, tail) => {
    expect(expandedTail(units) / tail).toBeCloseTo(1, 5)
  },
)

test('few units are resampled with little left to cut off; many with 2.5%', () => {
  expect(expandedTail(2)).toBeLessThan(1e-12)
  expect(expandedTail(100_000)).toBeCloseTo(0.025, 5)
})

test('quantiles as R’s type 7', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
  expect(quantile([10, 20, 30, 40, 50], 0.025)).toBeCloseTo(11, 12)
  expect(quantile([10, 20, 30, 40, 50], 0.975)).toBeCloseTo(49, 12)
  expect(quantile([5], 0.975)).toBe(5)
  expect(quantile([1, 2], 1)).toBe(2)
  expect(quantile([], 0.5)).toBeNaN()
})

test('the same seed gives the same numbers, another seed others', () => {
  const from = (seed: number) => {
    const random = seededRandom(seed)
    return Array.from({ length: 5 }, () => random.below(2 ** 32))
  }
  expect(from(1)).toEqual(from(1))
  const seeds = [0, 1, 2, 3, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]
  expect(new Set(seeds.map((seed) => from(seed).join())).size).toBe(seeds.length)
})
