import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wilson } from '../../../src/domain/statistics/intervals.ts'
import { rateOf, tally } from '../../../src/domain/statistics/rates.ts'
import { exactInterval, exactLimit } from '../../attack/clopper-pearson.ts'

/** Newcombe, Statistics in Medicine 17 (1998), table I, method 3; more digits recomputed. */
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
  [29, 29, 0.883, 1],
])('Wilson %i of %i', (successes, trials, low, high) => {
  const ci95 = wilson(successes / trials, trials)
  expect(ci95[0]).toBeCloseTo(low, 4)
  expect(ci95[1]).toBeCloseTo(high, 4)
})

test('Wilson ends exactly at 0 and 1', () => {
  expect(wilson(0, 20)[0]).toBe(0)
  expect(wilson(1, 29)[1]).toBe(1)
})

/** SciPy 1.x, beta.ppf; the last two also in the judge literature as "0 errors of 59". */
test('Clopper–Pearson', () => {
  const ci95 = exactInterval(81, 263)
  expect(ci95?.[0]).toBeCloseTo(0.25273674558527126, 9)
  expect(ci95?.[1]).toBeCloseTo(0.3676219226013514, 9)
  expect(exactInterval(0, 20)?.[0]).toBe(0)
  expect(exactInterval(20, 20)?.[1]).toBe(1)
  expect(exactLimit(0, 59, 'upper', 0.95)).toBeCloseTo(0.04950760988822693, 9)
  expect(exactLimit(0, 29, 'upper', 0.95)).toBeCloseTo(0.0981446276772957, 9)
  expect(exactLimit(2, 100, 'upper', 0.95)).toBeCloseTo(0.0616, 4)
})

test('no trials: null with a reason', () => {
  const none = { value: null, ci95: null, k: 0, n: 0, unknown: 0, reason: 'no_cases' }
  expect(rateOf(tally([], () => null, [() => true]))).toEqual(none)
  expect(exactInterval(0, 0)).toBeNull()
})

test.each([
  [5, 4],
  [-1, 4],
  [1.5, 4],
  [Number.NaN, 4],
  [1, Number.POSITIVE_INFINITY],
])('%d of %d is no count', (successes, trials) => {
  expect(() => exactInterval(successes, trials)).toThrow(RangeError)
})

const counts = fc
  .integer({ min: 1, max: 5000 })
  .chain((trials) => fc.tuple(fc.integer({ min: 0, max: trials }), fc.constant(trials)))

test.each([
  ['Wilson', (successes: number, trials: number) => wilson(successes / trials, trials)],
  ['Clopper–Pearson', exactInterval],
] as const)('%s holds the rate, stays in [0, 1] and mirrors', (_name, interval) => {
  fc.assert(
    fc.property(counts, ([successes, trials]) => {
      const value = successes / trials
      const ci95 = interval(successes, trials)
      const mirrored = interval(trials - successes, trials)
      if (ci95 === null || mirrored === null) throw new Error('undefined')
      expect(ci95[0]).toBeGreaterThanOrEqual(0)
      expect(ci95[0]).toBeLessThanOrEqual(value)
      expect(ci95[1]).toBeGreaterThanOrEqual(value)
      expect(ci95[1]).toBeLessThanOrEqual(1)
      expect(mirrored[0]).toBeCloseTo(1 - ci95[1], 9)
    }),
  )
})

test('Clopper–Pearson holds Wilson’s in the middle: it is the cautious one', () => {
  const exact = exactInterval(81, 263)
  const score = wilson(81 / 263, 263)
  expect(exact?.[0]).toBeLessThan(score[0])
  expect(exact?.[1]).toBeGreaterThan(score[1])
})
