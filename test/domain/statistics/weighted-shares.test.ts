import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { at, range, sum } from '../../../src/domain/statistics/shares/linear-algebra.ts'
import { clusteredVariance } from '../../../src/domain/statistics/shares/share-estimators.ts'
import {
  hajekInfluence,
  hajekShares,
  postStratifiedShares,
  type WeightedReview,
} from '../../../src/domain/statistics/shares/weighted-shares.ts'

const THREE_AND_ONE: WeightedReview[] = [
  { label: 0, weight: 2 },
  { label: 0, weight: 2 },
  { label: 0, weight: 2 },
  { label: 1, weight: 10 },
]

const variancesOf = (reviews: readonly WeightedReview[], labels: number) => {
  const found = hajekShares(reviews, labels)
  if (found.shares === null) throw new Error(found.reason)
  const influence = hajekInfluence(found.shares, sum(reviews.map(({ weight }) => weight)))
  return clusteredVariance(
    reviews.map((review) => ({ psi: influence(review), count: 1, cluster: null })),
    labels,
  )
}

describe('by hand', () => {
  test('Hájek: 6 of 16, SE² = (3·(2·.625)² + (10·.375)²)/16²', () => {
    const found = hajekShares(THREE_AND_ONE, 2)
    expect(found.shares).toEqual([0.375, 0.625])
    expect(at(variancesOf(THREE_AND_ONE, 2), 0)).toBeCloseTo(18.75 / 256, 12)
    expect(found.shares !== null && found.effectiveSize).toBeCloseTo(256 / 112, 12)
  })

  test('post-stratified: .8·.9 + .2·.3, variance of Cochran 12.2 with n − 1', () => {
    const found = postStratifiedShares(
      [
        [9, 3],
        [1, 7],
      ],
      [80, 20],
    )
    if (found.shares === null) throw new Error(found.reason)
    expect(at(found.shares, 0)).toBeCloseTo(0.78, 12)
    const variances = clusteredVariance(
      [
        { psi: found.ofGraded(0), count: 80, cluster: null },
        { psi: found.ofGraded(1), count: 20, cluster: null },
        { psi: found.ofReview(0, 0), count: 9, cluster: null },
        { psi: found.ofReview(1, 0), count: 1, cluster: null },
        { psi: found.ofReview(0, 1), count: 3, cluster: null },
        { psi: found.ofReview(1, 1), count: 7, cluster: null },
      ],
      2,
    )
    const wanted = (0.64 * 0.09) / 9 + (0.04 * 0.21) / 9 + (0.8 * 0.12 ** 2 + 0.2 * 0.48 ** 2) / 100
    expect(at(variances, 0)).toBeCloseTo(wanted, 12)
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
      const found = hajekShares(items, 5)
      const other = items.map((item) => ({ ...item, weight: item.weight * scale }))
      const scaled = hajekShares(other, 5)
      if (found.shares === null || scaled.shares === null) throw new Error('refused')
      expect(sum(found.shares)).toBeCloseTo(1, 10)
      for (const k of range(5)) {
        expect(at(scaled.shares, k)).toBeCloseTo(at(found.shares, k), 10)
        expect(at(variancesOf(other, 5), k)).toBeCloseTo(at(variancesOf(items, 5), k), 10)
      }
    }),
  )
})

test('even weights are the classical shares, with all reviews effective', () => {
  fc.assert(
    fc.property(reviews, (items) => {
      const even = items.map(({ label }) => ({ label, weight: 3 }))
      const found = hajekShares(even, 5)
      if (found.shares === null) throw new Error(found.reason)
      expect(found.effectiveSize).toBeCloseTo(items.length, 8)
      for (const k of range(5)) {
        const share = items.filter(({ label }) => label === k).length / items.length
        expect(at(found.shares, k)).toBeCloseTo(share, 10)
        expect(at(variancesOf(even, 5), k)).toBeCloseTo((share * (1 - share)) / items.length, 10)
      }
    }),
  )
})

test.each([
  { why: 'one review', items: [{ label: 0, weight: 1 }], reason: /two reviews/ },
  {
    why: 'a weight of 0',
    items: [
      { label: 0, weight: 1 },
      { label: 0, weight: 0 },
    ],
    reason: /above 0/,
  },
  {
    why: 'an infinite weight',
    items: [
      { label: 0, weight: 1 },
      { label: 0, weight: Infinity },
    ],
    reason: /finite/,
  },
])('refuses $why', ({ items, reason }) => {
  expect(hajekShares(items, 2)).toEqual({ shares: null, reason: expect.stringMatching(reason) })
})

test('post-stratification needs two reviews of each judge label', () => {
  const found = postStratifiedShares(
    [
      [5, 1],
      [1, 0],
    ],
    [10, 10],
    ['aligned', 'ignored'],
  )
  expect(found).toEqual({ shares: null, reason: expect.stringMatching(/^judge label ignored/) })
})
