import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { at, clusteredVariance, range, sum, weightedShares } from '../../../src/domain/statistics/weighted-shares.ts'

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
  weightedShares(
    labels,
    reviews.map(({ label, weight }) => ({ human: label, weight, stratum: 0, cluster: null })),
    [{ stratum: 0, count: 100, cluster: null }],
  )

describe('by hand', () => {
  test('Hájek: 6 of 16, SE² = (3·(2·.625)² + (10·.375)²)/16²', () => {
    const found = hajek(THREE_AND_ONE, 2)
    expect(found.shares).toEqual([0.375, 0.625])
    expect(at(found.variances, 0)).toBeCloseTo(18.75 / 256, 12)
    expect(found.effectiveSize).toBeCloseTo(256 / 112, 12)
  })

  test('post-stratified: .8·.9 + .2·.3, variance of Cochran 12.2 with n − 1', () => {
    const times = (n: number, human: number, stratum: number) =>
      range(n).map(() => ({ human, stratum, weight: 1, cluster: null }))
    const found = weightedShares(
      2,
      [...times(9, 0, 0), ...times(1, 1, 0), ...times(3, 0, 1), ...times(7, 1, 1)],
      [
        { stratum: 0, count: 80, cluster: null },
        { stratum: 1, count: 20, cluster: null },
      ],
    )
    expect(at(found.shares, 0)).toBeCloseTo(0.78, 12)
    const wanted = (0.64 * 0.09) / 9 + (0.04 * 0.21) / 9 + (0.8 * 0.12 ** 2 + 0.2 * 0.48 ** 2) / 100
    expect(at(found.variances, 0)).toBeCloseTo(wanted, 12)
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

const reviews = fc.array(fc.record({ label: fc.nat(4), weight: fc.double({ min: 1, max: 50, noNaN: true }) }), {
  minLength: 2,
  maxLength: 60,
})

test('Hájek shares add to 1 and do not change with the scale of the weights', () => {
  fc.assert(
    fc.property(reviews, fc.double({ min: 0.01, max: 100, noNaN: true }), (items, scale) => {
      const found = hajek(items, 5)
      const other = items.map((item) => ({ ...item, weight: item.weight * scale }))
      const scaled = hajek(other, 5)
      expect(sum(found.shares)).toBeCloseTo(1, 10)
      for (const k of range(5)) {
        expect(at(scaled.shares, k)).toBeCloseTo(at(found.shares, k), 10)
        expect(at(scaled.variances, k)).toBeCloseTo(at(found.variances, k), 10)
      }
    }),
  )
})

test('even weights are the classical shares, with all reviews effective', () => {
  fc.assert(
    fc.property(reviews, (items) => {
      const even = items.map(({ label }) => ({ label, weight: 3 }))
      const found = hajek(even, 5)
      expect(found.effectiveSize).toBeCloseTo(items.length, 8)
      for (const k of range(5)) {
        const share = items.filter(({ label }) => label === k).length / items.length
        expect(at(found.shares, k)).toBeCloseTo(share, 10)
        expect(at(found.variances, k)).toBeCloseTo((share * (1 - share)) / items.length, 10)
      }
    }),
  )
})
