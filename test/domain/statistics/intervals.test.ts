import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { correctedShares } from '../../../src/domain/statistics/corrected-shares.ts'
import { shareInterval, wilson } from '../../../src/domain/statistics/intervals.ts'
import { rateOf, tally } from '../../../src/domain/statistics/rates.ts'
import { at, clusteredVariance, range, weighReviews } from '../../../src/domain/statistics/weighted-shares.ts'
import { exactInterval, exactLimit } from '../../attack/clopper-pearson.ts'
import { readTables } from '../../tables.ts'

type Wilson = [successes: number, trials: number, low: number, high: number]

test.each(readTables<{ wilson: Wilson[] }>('domain/tables/statistics').wilson)(
  'Wilson %i of %i',
  (successes, trials, low, high) => {
    const ci95 = wilson(successes / trials, trials)
    expect(ci95[0]).toBeCloseTo(low, 4)
    expect(ci95[1]).toBeCloseTo(high, 4)
  },
)

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

test('nothing but the reviews to go by: Wilson’s interval of them, with Student’s quantile', () => {
  // SciPy: t.ppf(.975, 29) = 2.0452296421327034
  const [, high] = wilson(0, 30, 2.0452296421327034)
  expect(shareInterval(0, 0, { items: 30, units: 30 })).toEqual([0, expect.closeTo(high, 12)])
})

test('a variance of 0 is no certainty', () => {
  for (const share of [0, 0.001, 0.2, 0.5, 1]) {
    const [low, high] = shareInterval(share, 0, { items: 30, units: 30 }) ?? [0, 0]
    expect(high - low).toBeGreaterThan(share === 0.5 ? 0.1 : 0.05)
  }
})

test('one unit has no interval', () => expect(shareInterval(0.5, 0.01, { items: 30, units: 1 })).toBeNull())

const unit = fc.double({ min: 0, max: 1, noNaN: true })

test('the interval holds the share, is that of the other label mirrored, and grows with the variance', () => {
  fc.assert(
    fc.property(unit, fc.double({ min: 0, max: 0.2, noNaN: true }), fc.integer({ min: 2, max: 500 }), (p, v, units) => {
      const evidence = { items: units * 2, units }
      const [low, high] = shareInterval(p, v, evidence) ?? [1, 0]
      expect(low).toBeLessThanOrEqual(p + 1e-12)
      expect(high).toBeGreaterThanOrEqual(p - 1e-12)
      const [otherLow, otherHigh] = shareInterval(1 - p, v, evidence) ?? [1, 0]
      expect(otherLow).toBeCloseTo(1 - high, 10)
      expect(otherHigh).toBeCloseTo(1 - low, 10)
      const wider = shareInterval(p, v + 0.01, evidence) ?? [0, 0]
      expect(wider[1] - wider[0]).toBeGreaterThanOrEqual(high - low - 1e-12)
    }),
  )
})

test('reviews of one task alone: a share without an interval, and why', () => {
  const found = correctedShares({
    labels: ['a', 'b'],
    graded: ['t', 'u'].flatMap((cluster) => ['a', 'b'].map((judge) => ({ judge, count: 50, cluster }))),
    reviews: ['a', 'b', 'b'].map((label) => ({ human: label, judge: label, cluster: 't' })),
    sampling: 'random',
  })
  expect(found.shares['a']).toMatchObject({ value: expect.any(Number), ci95: null })
  expect(found.reviews_to_halve).toBeNull()
  expect(found.warnings.join()).toMatch(/less than two tasks/)
})

interface Weighted {
  readonly label: number
  readonly weight: number
}
const THREE_AND_ONE: Weighted[] = [
  { label: 0, weight: 2 },
  { label: 0, weight: 2 },
  { label: 0, weight: 2 },
  { label: 1, weight: 10 },
]

/** Hájek's estimate: the one stratum. */
const hajek = (reviews: readonly Weighted[], labels: number) =>
  weighReviews(
    reviews.map(({ weight }) => ({ weight, stratum: 0, cluster: null })),
    [{ stratum: 0, count: 100, cluster: null }],
  )(
    labels,
    reviews.map(({ label }) => label),
  )

describe('by hand', () => {
  test('Hájek: 6 of 16, SE² = (3·(2·.625)² + (10·.375)²)/16²', () => {
    const found = hajek(THREE_AND_ONE, 2)
    expect(found.shares).toEqual([0.375, 0.625])
    expect(at(found.variances, 0)).toBeCloseTo(18.75 / 256, 12)
    expect(found.items).toBeCloseTo(256 / 112, 12)
  })

  test('post-stratified: .8·.9 + .2·.3, variance of Cochran 12.2 with n − 1', () => {
    const inStratum = (stratum: number) => range(10).map(() => ({ stratum, weight: 1, cluster: null }))
    const estimate = weighReviews(
      [...inStratum(0), ...inStratum(1)],
      [
        { stratum: 0, count: 80, cluster: null },
        { stratum: 1, count: 20, cluster: null },
      ],
    )
    const humans = range(20).map((i) => Number(i === 9 || i >= 13))
    const found = estimate(2, humans)
    expect(at(found.shares, 0)).toBeCloseTo(0.78, 12)
    const wanted = (0.64 * 0.09) / 9 + (0.04 * 0.21) / 9 + (0.8 * 0.12 ** 2 + 0.2 * 0.48 ** 2) / 100
    expect(at(found.variances, 0)).toBeCloseTo(wanted, 12)
    // Of the reviews but the last three of each stratum: .8·.7 + .2·.3 of .8·.7 + .2·.7, the ratio of two estimates.
    const domain = estimate(
      2,
      humans.map((human, i) => (i % 10 > 6 ? -1 : human)),
    )
    expect(at(domain.shares, 0)).toBeCloseTo((0.8 * 0.7 + 0.2 * 0.3) / 0.7, 12)
    expect(domain.items).toBeCloseTo(14, 12)
  })
})

test('the clustered variance of a mean: oracle clustered_se of the shared statistics.json', () => {
  const scores = [1, 1, 0, 0, 0, 1, 1, 1, 0, 1]
  const clusters = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3]
  const items = (named: boolean) =>
    scores.map((score, i) => ({ psi: [(score - 0.6) / 10], count: 1, cluster: named ? `${at(clusters, i)}` : null }))
  expect(Math.sqrt(at(clusteredVariance(items(true), 1), 0))).toBeCloseTo(0.1414213562373095, 12)
  expect(Math.sqrt(at(clusteredVariance(items(false), 1), 0))).toBeCloseTo(0.15491933384829668, 12)
})
