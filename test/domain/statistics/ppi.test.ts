import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { at, range, sum } from '../../../src/domain/statistics/shares/linear-algebra.ts'
import { type PpiEstimate, type PpiTable, ppiMean, ppiShares } from '../../../src/domain/statistics/shares/ppi.ts'
import { ORACLES } from './correction-oracles.ts'
import { coverage, drawsFrom, evenJudge, judgedShares } from './draws.ts'

const estimate = (table: PpiTable): PpiEstimate => {
  const found = ppiShares(table)
  if (found.shares === null) throw new Error(found.reason)
  return found
}

const repeat = (value: number, count: number): number[] => range(count).map(() => value)

describe.each(ORACLES)('ppi_py executed (%s)', (_source, { ppi_mean }) => {
  test.each(ppi_mean)('$TP_FN_FP_TN', ({ TP_FN_FP_TN: [tp, fn, fp, tn], unlabeled_1_0: [ones, zeros], ...oracle }) => {
    const humans = [...repeat(1, tp + fn), ...repeat(0, fp + tn)]
    const judges = [...repeat(1, tp), ...repeat(0, fn), ...repeat(1, fp), ...repeat(0, tn)]
    const unreviewed = [...repeat(1, ones), ...repeat(0, zeros)]
    const table = {
      confusion: [
        [tp, fn],
        [fp, tn],
      ],
      unreviewed: [ones, zeros],
    }
    const { lam, theta, ci95 } = oracle.ppi_pp
    const wanted = [
      { lambda: 1, numbers: oracle.ppi },
      { lambda: 'tuned', numbers: [theta, ...ci95] },
      ...(oracle.classical === undefined ? [] : [{ lambda: 0, numbers: oracle.classical } as const]),
    ] as const
    for (const { lambda, numbers } of wanted) {
      for (const found of [ppiMean({ humans, judges, unreviewed, lambda }), ppiShares({ ...table, lambda })]) {
        if (found.shares === null) throw new Error(found.reason)
        const seen = [at(found.shares, 0), ...(found.ci95[0] ?? [])]
        seen.forEach((value, i) => {
          expect(value).toBeCloseTo(at(numbers, i), 9)
        })
        if (lambda === 'tuned') expect(found.lambda).toBeCloseTo(lam, 9)
      }
    }
  })
})

/** The formulas of ppi_py's `ppi_mean_ci` (mode `overall`) run in numpy 2.4 on these counts, one-hot. */
const FIVE = {
  confusion: [
    [52, 4, 2, 1, 1],
    [3, 38, 2, 2, 0],
    [2, 3, 30, 4, 1],
    [1, 2, 3, 22, 2],
    [0, 1, 1, 2, 21],
  ],
  unreviewed: [310, 260, 190, 140, 100],
}

test('five labels with one λ: numpy', () => {
  const found = estimate(FIVE)
  expect(found.lambda).toBeCloseTo(0.6433438063299847, 12)
  const shares = [0.3128668761265998, 0.2378668761265998, 0.2, 0.14034984290505026, 0.10891640484175039]
  const lows = [0.271213717136911, 0.19610405279649898, 0.1578884909541442, 0.10113690516950011, 0.0788398353313464]
  const highs = [0.3545200351162886, 0.27962969945670063, 0.24211150904585593, 0.1795627806406004, 0.13899297435215435]
  found.shares.forEach((share, k) => {
    expect(share).toBeCloseTo(at(shares, k), 12)
    expect(found.ci95[k]?.[0]).toBeCloseTo(at(lows, k), 12)
    expect(found.ci95[k]?.[1]).toBeCloseTo(at(highs, k), 12)
  })
})

const counts = (size: number, most: number) => fc.array(fc.nat(most), { minLength: size, maxLength: size })
const tables = fc
  .integer({ min: 2, max: 6 })
  .chain((k) =>
    fc.record({ confusion: fc.array(counts(k, 12), { minLength: k, maxLength: k }), unreviewed: counts(k, 90) }),
  )
  .filter(({ confusion, unreviewed }) => sum(confusion.flat()) >= 2 && sum(unreviewed) >= 2)

test('shares add to 1, and λ lies in [0, 1]', () => {
  fc.assert(
    fc.property(tables, (table) => {
      const found = estimate(table)
      expect(sum(found.shares)).toBeCloseTo(1, 10)
      expect(found.lambda).toBeGreaterThanOrEqual(0)
      expect(found.lambda).toBeLessThanOrEqual(1)
    }),
  )
})

test('λ = 0 is the classical estimate of the human labels', () => {
  fc.assert(
    fc.property(tables, (table) => {
      const n = sum(table.confusion.flat())
      const found = estimate({ ...table, lambda: 0 })
      found.shares.forEach((share, k) => {
        const human = sum(table.confusion[k] ?? []) / n
        expect(share).toBeCloseTo(human, 12)
        expect(found.se[k]).toBeCloseTo(Math.sqrt((human * (1 - human)) / n), 12)
      })
    }),
  )
})

test('a perfect judge needs no rectifier under plain PPI', () => {
  fc.assert(
    fc.property(tables, ({ confusion, unreviewed }) => {
      const perfect = confusion.map((row, i) => row.map((_, j) => (i === j ? sum(row) : 0)))
      const found = estimate({ confusion: perfect, unreviewed, lambda: 1 })
      found.rectifier.forEach((value) => {
        expect(value).toBeCloseTo(0, 12)
      })
      found.shares.forEach((share, k) => {
        expect(share).toBeCloseTo(at(unreviewed, k) / sum(unreviewed), 12)
      })
    }),
  )
})

test('a judge that says the same of everything gets λ = 0, not 0/0', () => {
  expect(
    estimate({
      confusion: [
        [6, 0],
        [4, 0],
      ],
      unreviewed: [50, 0],
    }).lambda,
  ).toBe(0)
})

test('nothing to learn from is null with a reason', () => {
  expect(
    ppiShares({
      confusion: [
        [1, 0],
        [0, 0],
      ],
      unreviewed: [5, 5],
    }),
  ).toEqual({ shares: null, reason: expect.stringMatching(/two/) })
  expect(ppiMean({ humans: [1, 0], judges: [1], unreviewed: [1, 0] })).toEqual({
    shares: null,
    reason: expect.stringMatching(/same item/),
  })
})

test('intervals of five labels cover the truth: 93 to 97%', () => {
  const { pick, pickMany } = drawsFrom(2311_01453)
  const truth = [0.4, 0.3, 0.15, 0.1, 0.05]
  const rates = evenJudge(5, 0.85)
  const held = truth.map((): boolean[] => [])
  for (let trial = 0; trial < 3000; trial++) {
    const confusion = truth.map(() => truth.map(() => 0))
    for (let i = 0; i < 200; i++) {
      const human = pick(truth)
      const row = confusion[human] ?? []
      const judge = pick(rates[human] ?? [])
      row[judge] = at(row, judge) + 1
    }
    const found = estimate({ confusion, unreviewed: pickMany(800, judgedShares(truth, rates)) })
    for (const [k, [low, high]] of found.ci95.entries()) held[k]?.push(low <= at(truth, k) && at(truth, k) <= high)
  }
  for (const label of held) {
    expect(coverage(label)).toBeGreaterThan(0.93)
    expect(coverage(label)).toBeLessThan(0.97)
  }
})
