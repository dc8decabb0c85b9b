import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ElidablePart,
  type ElidableStep,
  planElision,
  planWindows,
  splitOversized,
} from '../../src/domain/trajectory/reading-plan.ts'
import { ACTORS } from '../../src/schemas/vocabulary.ts'

const output = (chars: number, tokens = chars / 2): ElidablePart => ({
  actor: 'tool_output',
  chars,
  tokens,
  protected: false,
})
const step = (...parts: ElidablePart[]): ElidableStep => ({ parts, protected: false })
const short = step(output(100))
const between = (...steps: ElidableStep[]): ElidableStep[] => [short, short, ...steps, short, short]

describe('planElision', () => {
  test('cuts nothing where everything fits', () => {
    expect(planElision(between(step(output(9000))), 4700)).toEqual({ fits: true, cuts: [], tokens: 4700 })
  })

  test('cuts the longest output first and keeps as much of it as fits', () => {
    const plan = planElision(between(step(output(3000)), step(output(100_000))), 10_000)
    expect(plan.cuts).toHaveLength(1)
    expect(plan.cuts[0]).toMatchObject({ step: 3, part: 0 })
    expect(plan.tokens).toBeGreaterThan(9_990)
    expect(plan.tokens).toBeLessThanOrEqual(10_000)
  })

  test('says so where even the smallest cap is too much, and then cuts nothing', () => {
    const plan = planElision(between(step(output(10_000)), step(output(10_000))), 1000)
    expect(plan).toEqual({ fits: false, cuts: [], tokens: 10_200 })
  })
})

const PART = fc.record({
  actor: fc.constantFrom(...ACTORS, 'tool_output' as const, 'tool_output' as const),
  chars: fc.nat(60_000),
  tokens: fc.nat(30_000),
  protected: fc.boolean(),
})
const STEPS = fc.array(fc.record({ parts: fc.array(PART, { maxLength: 4 }), protected: fc.boolean() }), {
  maxLength: 15,
})

describe('planElision on any steps', () => {
  test('cuts only what may be cut, in order, and what it says it keeps is inside the part', () => {
    fc.assert(
      fc.property(STEPS, fc.nat(300_000), (steps, budget) => {
        const { cuts } = planElision(steps, budget)
        let last = -1
        for (const cut of cuts) {
          const { parts = [], protected: whole } = steps[cut.step] ?? {}
          const part = parts[cut.part]
          expect(part).toMatchObject({ actor: 'tool_output', protected: false })
          expect(whole).toBe(false)
          expect(cut.step).toBeGreaterThanOrEqual(2)
          expect(cut.step).toBeLessThan(steps.length - 2)
          expect(cut.kept).toBeGreaterThanOrEqual(400)
          expect(2 * cut.kept).toBeLessThan(part?.chars ?? 0)
          expect(cut.step * 100 + cut.part).toBeGreaterThan(last)
          last = cut.step * 100 + cut.part
        }
      }),
    )
  })

  test('is within the budget exactly where it says that it fits, and is the same every time', () => {
    fc.assert(
      fc.property(STEPS, fc.nat(300_000), (steps, budget) => {
        const plan = planElision(steps, budget)
        expect(plan.tokens <= budget).toBe(plan.fits)
        expect(planElision(structuredClone(steps), budget)).toEqual(plan)
      }),
    )
  })

  test('what fits a budget fits a larger one, and loses no more there', () => {
    fc.assert(
      fc.property(STEPS, fc.nat(300_000), fc.nat(50_000), (steps, budget, more) => {
        const tight = planElision(steps, budget)
        const loose = planElision(steps, budget + more)
        fc.pre(tight.fits)
        expect(loose.fits).toBe(true)
        expect(loose.tokens).toBeGreaterThanOrEqual(tight.tokens)
        expect(loose.cuts.length).toBeLessThanOrEqual(tight.cuts.length)
      }),
    )
  })
})

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
