import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apply, at, dot, identity, sum, transpose } from '../../../src/domain/statistics/shares/linear-algebra.ts'
import { simplexLeastSquares } from '../../../src/domain/statistics/shares/share-estimators.ts'
import { evenJudge } from './draws.ts'

const shares = (k: number) =>
  fc
    .array(fc.integer({ min: 0, max: 50 }), { minLength: k, maxLength: k })
    .filter((counts) => sum(counts) > 0)
    .map((counts) => counts.map((count) => count / sum(counts)))

test('a point of the simplex is found again', () => {
  fc.assert(
    fc.property(shares(5), fc.double({ min: 0.3, max: 1, noNaN: true }), (truth, right) => {
      const a = transpose(evenJudge(5, right))
      const found = simplexLeastSquares(a, apply(a, truth)) ?? []
      found.forEach((share, k) => {
        expect(share).toBeCloseTo(at(truth, k), 8)
      })
    }),
  )
})

test('no other point of the simplex is nearer', () => {
  const wild = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(wild, shares(5), fc.double({ min: 0.3, max: 1, noNaN: true }), (b, other, right) => {
      const a = transpose(evenJudge(5, right))
      const distance = (x: readonly number[]) => {
        const gap = apply(a, x).map((value, i) => value - at(b, i))
        return dot(gap, gap)
      }
      const found = simplexLeastSquares(a, b) ?? []
      expect(found).toHaveLength(5)
      expect(sum(found)).toBeCloseTo(1, 10)
      expect(Math.min(...found)).toBeGreaterThanOrEqual(0)
      expect(distance(found)).toBeLessThanOrEqual(distance(other) + 1e-10)
    }),
  )
})

// Projection by hand (Held, Wolfe & Crowder 1974): take the same amount off until the rest adds to 1.
test.each([
  { point: [0.5, 0.7, -0.2], nearest: [0.4, 0.6, 0] },
  { point: [2, 0, 0], nearest: [1, 0, 0] },
  { point: [0.2, 0.3, 0.5], nearest: [0.2, 0.3, 0.5] },
])('the nearest shares to $point', ({ point, nearest }) => {
  simplexLeastSquares(identity(3), point)?.forEach((share, k) => {
    expect(share).toBeCloseTo(at(nearest, k), 12)
  })
  expect.assertions(3)
})
