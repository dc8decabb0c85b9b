import { describe, expect, test } from 'vitest'
import { agreement, MAX_RESAMPLED_ITEMS } from '../../../src/domain/statistics/agreement.ts'
import { groupRatings, itemTable, type Ratings } from '../../../src/domain/statistics/coefficients.ts'
import type { Rating } from '../../../src/schemas/agreement.ts'
import { readTables } from '../../tables.ts'
import { answer, letters, ratingsOf, table } from './oracles.ts'

test('the whole answer for two raters', () => {
  const request = {
    ratings: ratingsOf(letters('b a a b / a a a b')),
    labels: ['a', 'b', 'c'],
  }
  expect(answer(request)).toEqual({
    n_items: 4,
    n_raters: 2,
    n_ratings: 8,
    raw_agreement: { value: 0.75, ci95: expect.anything(), reason: null },
    cohen_kappa: { value: 0.5, ci95: expect.anything(), reason: null },
    fleiss_kappa: { value: expect.closeTo(7 / 15), ci95: expect.anything(), reason: null },
    krippendorff_alpha: { value: expect.closeTo(8 / 15), ci95: expect.anything(), reason: null },
    gwet_ac1: { value: expect.closeTo((0.75 - 15 / 64) / (1 - 15 / 64)), ci95: expect.anything(), reason: null },
    confusion: {
      labels: ['a', 'b', 'c'],
      row_rater: 'rater 0',
      column_rater: 'rater 1',
      matrix: table('2 0 0 / 1 1 0 / 0 0 0'),
    },
    prevalence: { a: 5 / 8, b: 3 / 8, c: 0 },
    base_rate: { label: 'a', share: 5 / 8 },
    constant_guess: { label: 'a', agreement: 1 / 2 },
    effective_raters: { value: expect.closeTo(2 / 1.5), mean_kappa: 0.5, reason: null },
    bootstrap: { draws: 2000, seed: 1, unit: 'item', n_units: 4, undefined: expect.anything() },
  })
})

test.each<[string, string, number | null, string | null]>([
  ['three copies of one rater', 'a b a b / a b a b / a b a b', 1, null],
  ['raters that disagree throughout', 'a b / b a', 2, null],
  ['one rater', 'a b', null, 'no_pairs'],
  ['a pair without a second label', 'a b a / a a a / a a a', null, 'one_category'],
  ['raters of other items', 'a b * * / * * a b', null, 'no_pairs'],
])('the effective number of %s', (_name, ratings, value, reason) => {
  expect(answer({ ratings: ratingsOf(letters(ratings)) }).effective_raters).toMatchObject({ value, reason })
})

test('raters that hardly depend on each other count almost in full, and fifty-one are too many', () => {
  const raters = (n: number) => Array.from({ length: n }, (_, at) => `${at % 2 ? 'a b b a' : 'a a b b'}`).join(' / ')
  expect(answer({ ratings: ratingsOf(letters('a a b b / a b b a')) }).effective_raters).toMatchObject({ value: 2 })
  const many = answer({ ratings: ratingsOf(letters(raters(51))), bootstrap: { draws: 100 } })
  expect(many.effective_raters).toMatchObject({ value: null, reason: 'too_many_raters' })
})

test('no interval of few items goes beyond 1', () => {
  for (const given of ['b a a / b a a', 'b a / b a', 'b a a c / b a a c']) {
    const { fleiss_kappa, krippendorff_alpha, gwet_ac1 } = answer({ ratings: ratingsOf(letters(given)) })
    for (const { ci95 } of [fleiss_kappa, krippendorff_alpha, gwet_ac1]) expect(ci95?.[1]).toBeLessThanOrEqual(1)
  }
})

describe('undefined is null with a reason', () => {
  type Row = readonly [name: string, ratings: string, ...reasons: string[]]
  const { undefined: rows } = readTables<{ undefined: readonly Row[] }>('domain/tables/agreement')

  test.each(rows)('%s', (_name, ratings, ...reasons) => {
    const found = answer({ ratings: ratingsOf(letters(ratings)) })
    const { raw_agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha, gwet_ac1 } = found
    const all = [raw_agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha, gwet_ac1]
    expect(all.map(({ reason }) => reason)).toEqual(reasons)
    for (const { value, ci95, reason } of all) {
      expect(ci95).toBeNull()
      expect(value === null).toBe(!['no_spread', 'too_few_units'].includes(reason ?? ''))
    }
  })

  test('no ratings at all', () => {
    const found = answer({ ratings: [] })
    expect(found).toMatchObject({ n_items: 0, n_raters: 0, n_ratings: 0, confusion: null, prevalence: {} })
    expect(found.fleiss_kappa).toEqual({ value: null, ci95: null, reason: 'no_ratings' })
    expect(found.krippendorff_alpha).toEqual({ value: null, ci95: null, reason: 'no_pairs' })
  })

  test('one category given of two declared: AC1 exists, the κs do not', () => {
    const found = answer({
      ratings: ratingsOf(letters('a a / a a')),
      labels: ['a', 'b'],
    })
    expect(found.gwet_ac1.value).toBe(1)
    expect(found.krippendorff_alpha.value).toBeNull()
  })
})

describe('what is refused', () => {
  test('more work than a few seconds', () => {
    const ratings = Array.from({ length: 20_000 }, (_, item) => ({ item: `${item}`, rater: 'a', label: 'x' }))
    const draws = MAX_RESAMPLED_ITEMS / ratings.length + 1
    expect(agreement({ ratings, bootstrap: { draws } })).toMatchObject({
      ok: false,
      error: [{ path: '/bootstrap/draws' }],
    })
  })
})

const rating = (item: string, rater: string, label: string, cluster?: string): Rating => ({
  item,
  rater,
  label,
  ...(cluster !== undefined && { cluster }),
})

function grouped(ratings: readonly Rating[], labels?: readonly string[]) {
  const result = groupRatings(ratings, labels)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

test('ratings are grouped by item, in order of appearance; labels are sorted', () => {
  expect(grouped([rating('i2', 'b', 'y'), rating('i1', 'a', 'x', 't'), rating('i2', 'a', 'x', 'u')])).toEqual({
    items: [
      { item: 'i2', cluster: 'u', raters: [0, 1], labels: [1, 0] },
      { item: 'i1', cluster: 't', raters: [1], labels: [0] },
    ],
    raters: ['b', 'a'],
    labels: ['x', 'y'],
    n_ratings: 3,
  })
})

test('declared labels keep their order, also those that nobody gave', () => {
  expect(grouped([rating('i', 'a', 'x')], ['z', 'x']).labels).toEqual(['z', 'x'])
})

test.each<[string, Rating[], string[] | undefined, string]>([
  [
    'twice, the same label',
    [rating('i', 'a', 'x'), rating('j', 'a', 'x'), rating('i', 'a', 'x')],
    undefined,
    '/ratings/2',
  ],
  ['twice, another label', [rating('i', 'a', 'x'), rating('i', 'a', 'y')], undefined, '/ratings/1'],
  ['two clusters', [rating('i', 'a', 'x', 't'), rating('i', 'b', 'x', 'u')], undefined, '/ratings/1/cluster'],
  ['an undeclared label', [rating('i', 'a', 'x'), rating('i', 'b', 'y')], ['x'], '/ratings/1/label'],
  ['a label declared twice', [rating('i', 'a', 'x')], ['x', 'y', 'x'], '/labels'],
])('%s is an error at its place', (_name, ratings, labels, path) => {
  const result = groupRatings(ratings, labels)
  expect(result).toMatchObject({ ok: false, error: [{ path }] })
})

test('a hundred labels are categories, more are not', () => {
  const many = (count: number) => groupRatings(Array.from({ length: count }, (_, at) => rating(`${at}`, 'a', `${at}`)))
  expect(many(100).ok).toBe(true)
  expect(many(101)).toMatchObject({ ok: false, error: [{ path: '/ratings' }] })
})

/** Lists the cells of the confusion matrix, item by item. */
function cellsIn(ratings: Ratings): (number | undefined)[] {
  const { profile_of, profiles } = itemTable(ratings)
  return profile_of.map((profile) => profiles[profile]?.cell)
}

test('names that objects have of their own are names like others', () => {
  const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ' ', '\u0000', '\ud800', '1', '01']
  const ratings = hostile.flatMap((name) => [rating(name, '__proto__', name), rating(name, 'constructor', name)])
  const all = grouped(ratings)
  expect(all.items).toHaveLength(hostile.length)
  expect(all.raters).toEqual(['__proto__', 'constructor'])
  const shares = answer({ ratings }).prevalence
  expect(Object.keys(shares).sort()).toEqual([...hostile].sort())
  expect(Object.getPrototypeOf(shares)).toBe(Object.prototype)
  for (const name of hostile) expect(Object.getOwnPropertyDescriptor(shares, name)?.value).toBe(1 / hostile.length)
  expect(JSON.parse(JSON.stringify(shares))).toEqual(shares)
  expect(cellsIn(all).toSorted((a = 0, b = 0) => a - b)).toEqual(hostile.map((_, at) => at * hostile.length + at))
})

test('the cells of the confusion matrix are of the items that both rated', () => {
  const all = grouped([
    rating('i', 'a', 'x'),
    rating('i', 'b', 'y'),
    rating('j', 'b', 'y'),
    rating('k', 'a', 'y'),
    rating('k', 'b', 'y'),
  ])
  expect(cellsIn(all)).toEqual([1, -1, 3])
})
