import { describe, expect, test } from 'vitest'
import { type BooleanPair, bowker, comparePairs, mcNemar } from '../../../src/domain/statistics/rates.ts'
import { readTables } from '../../tables.ts'
import { table } from './oracles.ts'

test.each(readTables<{ mcnemar: [b: number, c: number, p: number][] }>('domain/tables/statistics').mcnemar)(
  'McNemar %i, %i',
  (b, c, exact) => {
    const digits = exact === 0.378688 ? 6 : 9
    expect(mcNemar(b, c)).toBeCloseTo(exact, digits)
    expect(mcNemar(c, b), 'symmetric').toBeCloseTo(exact, digits)
    expect(Math.abs(mcNemar(b, c) / exact - 1), 'relative').toBeLessThan(1e-5)
  },
)

/** R’s mcnemar.test, in the tests of statsmodels. */
const R_TABLE = table('0 3 4 4 2 / 4 1 2 4 3 / 5 3 0 0 2 / 2 3 0 0 1 / 5 5 5 5 5')
const R_TABLE_2 = table('2 2 3 6 2 / 3 4 3 6 6 / 6 7 1 9 6 / 7 1 1 9 8 / 0 1 8 9 4')

test.each([
  ['5×5 with an empty pair of cells', R_TABLE, 7.001587, 9, null],
  ['5×5, each plus 1', R_TABLE.map((row) => row.map((count) => count + 1)), 5.355988, 10, 0.8661652],
  ['another 5×5', R_TABLE_2, 18.76432, 10, 0.04336035],
])('Bowker of R, whose p counts empty pairs of cells: %s', (_name, matrix, statistic, df, p) => {
  const found = bowker(matrix)
  expect(found.statistic).toBeCloseTo(statistic, 5)
  expect(found.df).toBe(df)
  if (p !== null) expect(found.p).toBeCloseTo(p, 7)
})

test('Bowker leaves out pairs of cells that are both empty, and is null where all are', () => {
  expect(bowker(table('5 3 0 / 1 7 0 / 0 0 9'))).toMatchObject({ statistic: 1, df: 1 })
  expect(bowker(table('5 0 / 0 7'))).toEqual({ statistic: null, df: 0, p: null, reason: 'no_discordant_pairs' })
})

test('a p that cannot be told from 0 is given as its bound', () => {
  expect(bowker(table('0 1000 / 0 0')).p).toBe(Number.EPSILON)
})

/** R’s mcnemar.test, in the tests of statsmodels. */
test('McNemar’s χ² is Bowker’s of two labels', () => {
  const { statistic, p } = bowker(table('101 121 / 59 33'))
  expect(statistic).toBeCloseTo(21.355555555555554, 9)
  expect((p ?? 0) / 3.815135865112594e-6).toBeCloseTo(1, 9)
})

/** Trials of a task, of which so many have the property under base and under head. */
const task = (base: number, head: number, cluster: number, trials = 5): BooleanPair[] =>
  Array.from({ length: trials }, (_, trial) => ({ cluster: `${cluster}`, base: trial < base, head: trial < head }))

describe('rate difference', () => {
  test('of pairs, with the tasks resampled', () => {
    const counts = table('1 4 / 2 5 / 0 2 / 5 5 / 2 2 / 1 3')
    const pairs = counts.flatMap(([base = 0, head = 0], cluster) => task(base, head, cluster))
    const found = comparePairs(pairs)
    expect(found.base.value).toBeCloseTo(11 / 30, 12)
    expect(found.head.value).toBeCloseTo(21 / 30, 12)
    expect(found.difference.value).toBeCloseTo(1 / 3, 12)
    expect(found.difference.ci95?.[0]).toBeGreaterThan(0.05)
    expect(found.difference.ci95?.[1]).toBeLessThan(0.6)
    expect(found.difference.reason).toBeNull()
    expect(comparePairs([...pairs].reverse())).toEqual(found)
    const alone = pairs.map((pair) => ({ ...pair, cluster: null }))
    expect(comparePairs([...alone].reverse())).toEqual(comparePairs(alone))
  })

  test('what cannot be known', () => {
    expect(comparePairs([])).toMatchObject({
      base: { value: null },
      difference: { value: null, ci95: null, reason: 'no_cases' },
      mcnemar_p: null,
    })
    const oneTask = comparePairs(task(1, 3, 0, 4)).difference
    expect(oneTask).toMatchObject({ value: 0.5, ci95: null, reason: 'too_few_units' })
    const alike = comparePairs([...task(1, 4, 0), ...task(1, 4, 1)]).difference
    expect(alike).toMatchObject({ ci95: null, reason: 'no_spread' })
  })
})
