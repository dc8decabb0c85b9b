import fc from 'fast-check'
import { expect, test } from 'vitest'
import { correctedShares } from '../../../src/domain/statistics/corrected-shares.ts'
import { shareInterval, wilson } from '../../../src/domain/statistics/intervals.ts'

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
