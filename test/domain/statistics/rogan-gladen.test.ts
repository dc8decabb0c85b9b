import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { at } from '../../../src/domain/statistics/shares/linear-algebra.ts'
import { roganGladen } from '../../../src/domain/statistics/shares/rogan-gladen.ts'
import { ORACLES } from './correction-oracles.ts'
import { coverage, drawsFrom } from './draws.ts'

const near = (seen: readonly number[] | undefined, wanted: readonly number[], digits = 9) => {
  expect(seen).toHaveLength(wanted.length)
  seen?.forEach((value, i) => {
    expect(value).toBeCloseTo(at(wanted, i), digits)
  })
}

describe.each(ORACLES)('numbers of others (%s)', (_source, { rogan_gladen: [known, estimated] }) => {
  test('the share, RSurveillance::tp', () => {
    const { x, n, se, sp, est } = known
    expect(roganGladen({ p: x / n, q0: sp, q1: se, n, m0: 100, m1: 100 }).value).toBeCloseTo(est, 9)
  })

  test('estimated error rates, code of Lee et al.', () => {
    const found = roganGladen(estimated)
    if (found.value === null) throw new Error(found.reason)
    expect(found.value).toBeCloseTo(estimated.est, 9)
    near(found.ci95, estimated.lee_ci95)
    expect(found.se).toBeCloseTo(estimated.plain_delta_se, 9)
  })
})

test('a perfect judge is left as it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (n, x) => {
      const positives = Math.min(x, n)
      const estimated = roganGladen({ p: positives / n, q0: 1, q1: 1, n, m0: 50, m1: 50 })
      expect(estimated.value).toBeCloseTo(positives / n, 12)
    }),
  )
})

test('the estimate stays in [0, 1] and so does its interval', () => {
  const low = roganGladen({ p: 0.05, q0: 0.9, q1: 0.9, n: 200, m0: 50, m1: 50 })
  if (low.value === null) throw new Error(low.reason)
  expect(low.unclamped).toBeLessThan(0)
  expect(low.value).toBe(0)
  expect(low.ci95[0]).toBe(0)
  expect(low.ci95[1]).toBeGreaterThan(0)
  expect(roganGladen({ p: 1, q0: 0.9, q1: 0.9, n: 200, m0: 50, m1: 50 }).value).toBe(1)
})

test.each([
  { why: 'a coin', input: { p: 0.4, q0: 0.5, q1: 0.5, n: 100, m0: 50, m1: 50 }, reason: /tells too little/ },
  { why: 'worse than a coin', input: { p: 0.4, q0: 0.3, q1: 0.5, n: 100, m0: 50, m1: 50 }, reason: /tells too little/ },
  { why: 'hardly better', input: { p: 0.4, q0: 0.52, q1: 0.52, n: 100, m0: 50, m1: 50 }, reason: /0\.040/ },
  {
    why: 'better only before the added counts',
    input: { p: 0.4, q0: 1, q1: 0.06, n: 100, m0: 1, m1: 100 },
    reason: /tells/,
  },
  { why: 'no review of one class', input: { p: 0.4, q0: 0.9, q1: 0.9, n: 100, m0: 0, m1: 50 }, reason: /at least one/ },
  { why: 'not a rate', input: { p: Number.NaN, q0: 0.9, q1: 0.9, n: 100, m0: 5, m1: 50 }, reason: /\[0, 1\]/ },
])('refuses $why', ({ input, reason }) => {
  const found = roganGladen(input)
  expect(found.value).toBeNull()
  expect(found.reason).toMatch(reason)
})

test('the interval of Lee et al. covers the truth as often as the reference simulated: 93.5 to 96.5%', () => {
  const { pickMany } = drawsFrom(2511_21140)
  const share = (count: number, p: number): number => at(pickMany(count, [1 - p, p]), 1) / count
  const held = Array.from({ length: 4000 }, () => {
    const p = share(1000, 0.3 * 0.9 + 0.7 * 0.15)
    const found = roganGladen({ p, q0: share(200, 0.85), q1: share(200, 0.9), n: 1000, m0: 200, m1: 200 })
    return found.value !== null && found.ci95[0] <= 0.3 && 0.3 <= found.ci95[1]
  })
  expect(coverage(held)).toBeGreaterThan(0.935)
  expect(coverage(held)).toBeLessThan(0.965)
})
