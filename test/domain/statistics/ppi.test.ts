import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Z95 } from '../../../src/domain/statistics/intervals.ts'
import { at, sum } from '../../../src/domain/statistics/shares/linear-algebra.ts'
import { type PpiEstimate, type PpiTable, ppiInfluence, ppiShares } from '../../../src/domain/statistics/shares/ppi.ts'
import { clusteredVariance } from '../../../src/domain/statistics/shares/share-estimators.ts'
import { ORACLES } from './correction-oracles.ts'

const estimate = (table: PpiTable): PpiEstimate => {
  const found = ppiShares(table)
  if (found.shares === null) throw new Error(found.reason)
  return found
}

/** ppi_py’s standard errors: the root of the summed squares of what each item adds. */
function errorsOf(table: PpiTable, found: PpiEstimate): number[] {
  const { ofReview, ofOther } = ppiInfluence(table, found)
  const contributions = [
    ...table.confusion.flatMap((row, h) => row.map((count, j) => ({ psi: ofReview(h, j), count, cluster: null }))),
    ...table.unreviewed.map((count, j) => ({ psi: ofOther(j), count, cluster: null })),
  ]
  return clusteredVariance(contributions, table.unreviewed.length).map(Math.sqrt)
}

/** Its normal intervals. */
const normalIntervals = (table: PpiTable, found: PpiEstimate): [low: number, high: number][] =>
  errorsOf(table, found).map((error, k) => [at(found.shares, k) - Z95 * error, at(found.shares, k) + Z95 * error])

describe.each(ORACLES)('ppi_py executed (%s)', (_source, { ppi_mean }) => {
  test.each(ppi_mean)('$TP_FN_FP_TN', ({ TP_FN_FP_TN: [tp, fn, fp, tn], unlabeled_1_0: [ones, zeros], ...oracle }) => {
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
      const found = estimate({ ...table, lambda })
      const seen = [at(found.shares, 0), ...(normalIntervals(table, found)[0] ?? [])]
      seen.forEach((value, i) => {
        expect(value).toBeCloseTo(at(numbers, i), 9)
      })
      if (lambda === 'tuned') expect(found.lambda).toBeCloseTo(lam, 9)
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
  const intervals = normalIntervals(FIVE, found)
  found.shares.forEach((share, k) => {
    expect(share).toBeCloseTo(at(shares, k), 12)
    expect(intervals[k]?.[0]).toBeCloseTo(at(lows, k), 12)
    expect(intervals[k]?.[1]).toBeCloseTo(at(highs, k), 12)
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
      const errors = errorsOf(table, found)
      found.shares.forEach((share, k) => {
        const human = sum(table.confusion[k] ?? []) / n
        expect(share).toBeCloseTo(human, 12)
        expect(errors[k]).toBeCloseTo(Math.sqrt((human * (1 - human)) / n), 10)
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
})
