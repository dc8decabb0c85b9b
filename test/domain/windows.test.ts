import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planWindows, splitOversized } from '../../src/domain/trajectory/reading-plan.ts'

const window = (from: number, to: number, oversized = false) => ({ from, to, oversized })

describe('planWindows', () => {
  test.each([
    ['no steps', [], 100, 1, []],
    ['everything fits', [10, 10, 10], 100, 1, [window(0, 3)]],
    ['overlapping by one', [40, 40, 40], 100, 1, [window(0, 2), window(1, 3)]],
    ['no overlap where none is wanted', [40, 40, 40], 100, 0, [window(0, 2), window(2, 3)]],
    ['no overlap where it would not fit', [40, 60, 60], 100, 1, [window(0, 2), window(2, 3)]],
    ['less overlap than wanted', [30, 30, 30, 30], 100, 3, [window(0, 3), window(2, 4)]],
    ['an oversized step alone', [10, 200, 10], 100, 1, [window(0, 1), window(1, 2, true), window(2, 3)]],
    ['oversized at both ends', [200, 10, 200], 100, 2, [window(0, 1, true), window(1, 2), window(2, 3, true)]],
    ['no budget at all', [1, 0], 0, 1, [window(0, 1, true), window(1, 2)]],
  ])('%s', (_, tokens, budget, overlap, expected) => {
    expect(planWindows(tokens, budget, overlap)).toEqual(expected)
  })

  const TOKENS = fc.array(fc.nat(150), { maxLength: 60 })

  test('covers every step, in order, within the budget', () => {
    fc.assert(
      fc.property(TOKENS, fc.nat(200), fc.nat(8), (tokens, budget, overlap) => {
        const windows = planWindows(tokens, budget, overlap)
        let covered = 0
        let lastFrom = -1
        for (const { from, to, oversized } of windows) {
          const sum = tokens.slice(from, to).reduce((total, size) => total + size, 0)
          expect(from).toBeGreaterThan(lastFrom)
          expect(from).toBeLessThanOrEqual(covered)
          expect(covered - from).toBeLessThanOrEqual(overlap)
          expect(to).toBeGreaterThan(covered)
          expect(sum > budget).toBe(oversized)
          if (oversized) expect(to - from).toBe(1)
          covered = to
          lastFrom = from
        }
        expect(covered).toBe(tokens.length)
      }),
    )
  })

  test('overlap never makes more windows than four times the tokens over the budget, plus one', () => {
    fc.assert(
      fc.property(TOKENS, fc.integer({ min: 1, max: 200 }), fc.nat(100), (tokens, budget, overlap) => {
        const total = tokens.reduce((sum, size) => sum + size, 0)
        expect(planWindows(tokens, budget, overlap).length).toBeLessThanOrEqual((4 * total) / budget + 1)
      }),
    )
  })

  test('a hundred thousand steps take linear time, whatever the overlap', () => {
    const before = performance.now()
    planWindows(new Array(100_000).fill(1), 20_000, 100_000)
    expect(performance.now() - before).toBeLessThan(500)
  })
})

describe('splitOversized', () => {
  test.each([
    ['nothing', 0, 0, 100, []],
    ['a part that fits', 5000, 100, 100, [{ start: 0, end: 5000 }]],
    [
      'three slices of one length',
      10_000,
      4000,
      2000,
      [
        { start: 0, end: 3667 },
        { start: 3167, end: 6834 },
        { start: 6334, end: 10_000 },
      ],
    ],
    ['no slice under 1000 characters', 1000, 1000, 1, [{ start: 0, end: 1000 }]],
  ])('%s', (_, chars, tokens, budget, expected) => {
    expect(splitOversized(chars, tokens, budget)).toEqual(expected)
  })

  test('holds everything, overlaps by 500, and every slice is within its share of the budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), fc.nat(200_000), fc.nat(20_000), (chars, tokens, budget) => {
        const slices = splitOversized(chars, tokens, budget)
        expect(slices[0]?.start).toBe(0)
        expect(slices.at(-1)?.end).toBe(chars)
        slices.forEach(({ start, end }, index) => {
          expect(end).toBeGreaterThan(start)
          if (index > 0) expect((slices[index - 1]?.end ?? 0) - start).toBe(500)
          expect(end - start <= 1000 || (end - start) * tokens <= chars * budget).toBe(true)
        })
      }),
    )
  })
})
