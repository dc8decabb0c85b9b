import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/domain/statistics/bootstrap.ts'
import { bowker, mcNemar, type PairedCluster, rateDifference } from '../../../src/domain/statistics/paired.ts'
import { hasOracles, readOracles } from './oracles.ts'

/** statsmodels’ tests against vassarstats (first four), Agresti in exact2x2 (86, 150), the exact binomial (SciPy) for the others. */
test.each([
  [121, 59, 4.4344492637551645e-6],
  [70, 59, 0.378688],
  [80, 59, 0.08945231499446925],
  [30, 60, 0.0020602656809630745],
  [86, 150, 3.7159361395713866e-5],
  [10, 30, 0.0022214337732293643],
  [10, 10, 1],
  [1, 9, 0.021484375],
  [0, 5, 0.0625],
  [0, 6, 0.03125],
  [2, 8, 0.109375],
  [3, 7, 0.34375],
  [0, 0, 1],
])('McNemar %i, %i', (b, c, exact) => {
  const digits = exact === 0.378688 ? 6 : 9
  expect(mcNemar(b, c)).toBeCloseTo(exact, digits)
  expect(mcNemar(c, b), 'symmetric').toBeCloseTo(exact, digits)
  expect(Math.abs(mcNemar(b, c) / exact - 1), 'relative').toBeLessThan(1e-5)
})

test('p against the sum of the binomial', () => {
  const small = fc.integer({ min: 0, max: 25 })
  fc.assert(
    fc.property(small, small, (b, c) => {
      fc.pre(b + c > 0)
      const point = (k: number) => choose(b + c, k) / 2 ** (b + c)
      const outcomes = Array.from({ length: b + c + 1 }, (_, k) => point(k))
      const asRare = (k: number) => Math.abs(k - (b + c) / 2) >= Math.abs(b - c) / 2
      const total = outcomes.filter((_, k) => asRare(k)).reduce((sum, p) => sum + p, 0)
      expect(mcNemar(b, c)).toBeCloseTo(total, 10)
    }),
  )
})

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k)

/** R’s mcnemar.test, in the tests of statsmodels. */
const R_TABLE = [
  [0, 3, 4, 4, 2],
  [4, 1, 2, 4, 3],
  [5, 3, 0, 0, 2],
  [2, 3, 0, 0, 1],
  [5, 5, 5, 5, 5],
]
const R_TABLE_2 = [
  [2, 2, 3, 6, 2],
  [3, 4, 3, 6, 6],
  [6, 7, 1, 9, 6],
  [7, 1, 1, 9, 8],
  [0, 1, 8, 9, 4],
]

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
  expect(
    bowker([
      [5, 3, 0],
      [1, 7, 0],
      [0, 0, 9],
    ]),
  ).toMatchObject({ statistic: 1, df: 1 })
  expect(
    bowker([
      [5, 0],
      [0, 7],
    ]),
  ).toEqual({ statistic: null, df: 0, p: null, reason: 'no_discordant_pairs' })
})

test('a p that cannot be told from 0 is given as its bound', () => {
  expect(
    bowker([
      [0, 1000],
      [0, 0],
    ]).p,
  ).toBe(Number.EPSILON)
})

/** R’s mcnemar.test, in the tests of statsmodels. */
test('McNemar’s χ² is Bowker’s of two labels', () => {
  const { statistic, p } = bowker([
    [101, 121],
    [59, 33],
  ])
  expect(statistic).toBeCloseTo(21.355555555555554, 9)
  expect((p ?? 0) / 3.815135865112594e-6).toBeCloseTo(1, 9)
})

test.each([
  [-1, 2],
  [0.5, 2],
  [Number.NaN, 2],
])('%d, %d are no counts', (b, c) => {
  expect(() => mcNemar(b, c)).toThrow(RangeError)
})

const task = (base: number, head: number, trials = 5) => ({
  base: { successes: base, trials },
  head: { successes: head, trials },
})

describe('rate difference', () => {
  test('of pairs, with the tasks resampled', () => {
    const found = rateDifference([task(1, 4), task(2, 5), task(0, 2), task(5, 5), task(2, 2), task(1, 3)])
    expect(found.base).toBeCloseTo(11 / 30, 12)
    expect(found.head).toBeCloseTo(21 / 30, 12)
    expect(found.value).toBeCloseTo(1 / 3, 12)
    expect(found.ci95?.[0]).toBeGreaterThan(0.05)
    expect(found.ci95?.[1]).toBeLessThan(0.6)
    expect(found).toMatchObject({ reason: null, undefined_draws: 0 })
    expect(rateDifference([task(1, 4), task(2, 5), task(0, 2), task(5, 5), task(2, 2), task(1, 3)])).toEqual(found)
  })

  test('what cannot be known', () => {
    expect(rateDifference([])).toMatchObject({ value: null, ci95: null, reason: 'no_cases' })
    expect(rateDifference([{ base: { successes: 0, trials: 0 }, head: { successes: 1, trials: 2 } }])).toMatchObject({
      base: null,
      head: 0.5,
      value: null,
      reason: 'no_cases',
    })
    expect(rateDifference([task(1, 3, 4)])).toMatchObject({ value: 0.5, ci95: null, reason: 'too_few_units' })
    expect(rateDifference([task(1, 4), task(1, 4)])).toMatchObject({ ci95: null, reason: 'no_spread' })
  })

  test('covers the true difference, 0.2, in 95% of samples of 40 tasks with 5 trials each, which are alike', () => {
    const samples = 500
    let covered = 0
    for (let seed = 0; seed < samples; seed++) {
      const { ci95 } = rateDifference(similarTrials(seed), { draws: 1000, seed })
      if (ci95 !== null && ci95[0] <= 0.2 && 0.2 <= ci95[1]) covered++
    }
    expect(covered / samples).toBeGreaterThanOrEqual(0.93)
    expect(covered / samples).toBeLessThanOrEqual(0.97)
  })

  test('draws with no trials under a condition are counted', () => {
    const none = { successes: 0, trials: 0 }
    const some = { successes: 1, trials: 2 }
    const all = { successes: 2, trials: 2 }
    const found = rateDifference([
      { base: none, head: some },
      { base: all, head: some },
      { base: some, head: all },
    ])
    // All three draws are the first task once in 27.
    expect(found.undefined_draws).toBeGreaterThan(2000 / 27 / 2)
    expect(found.undefined_draws).toBeLessThan((2000 / 27) * 2)
    expect(found.ci95).not.toBeNull()
  })
})

/** In each task every trial succeeds with one and the same chance: 0.1 … 0.7 under base, 0.2 more under head. */
function similarTrials(seed: number): PairedCluster[] {
  const random = seededRandom(seed)
  const successes = (percent: number) => [1, 2, 3, 4, 5].filter(() => random.below(100) < percent).length
  return Array.from({ length: 40 }, () => {
    const percent = 10 + 30 * random.below(3)
    return task(successes(percent), successes(percent + 20))
  })
}

describe.skipIf(!hasOracles)('every number of the oracle file', () => {
  test.each(hasOracles ? readOracles().mcnemar : [])('McNemar %j', ({ table, b, c, exact }) => {
    const found = table ? mcNemar(table[0][1], table[1][0]) : mcNemar(b ?? -1, c ?? -1)
    expect(found).toBeCloseTo(exact, 9)
    expect(found / exact).toBeCloseTo(1, 9)
  })
})
