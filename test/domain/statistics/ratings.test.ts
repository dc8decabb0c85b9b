import { expect, test } from 'vitest'
import { cellsOf, prevalence } from '../../../src/domain/statistics/agreement.ts'
import { groupRatings, itemTable } from '../../../src/domain/statistics/coefficients.ts'
import type { Rating } from '../../../src/schemas/agreement.ts'

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

test('twenty errors are enough', () => {
  const result = groupRatings(Array.from({ length: 1000 }, () => rating('i', 'a', 'x')))
  expect(result.ok ? 0 : result.error.length).toBe(20)
})

test('a hundred labels are categories, more are not', () => {
  const many = (count: number) => groupRatings(Array.from({ length: count }, (_, at) => rating(`${at}`, 'a', `${at}`)))
  expect(many(100).ok).toBe(true)
  expect(many(101)).toMatchObject({ ok: false, error: [{ path: '/ratings' }] })
})

test('names that objects have of their own are names like others', () => {
  const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ' ', '\u0000', '\ud800', '1', '01']
  const all = grouped(hostile.flatMap((name) => [rating(name, '__proto__', name), rating(name, 'constructor', name)]))
  expect(all.items).toHaveLength(hostile.length)
  expect(all.raters).toEqual(['__proto__', 'constructor'])
  const shares = prevalence(all)
  expect(Object.keys(shares).sort()).toEqual([...hostile].sort())
  expect(Object.getPrototypeOf(shares)).toBe(Object.prototype)
  for (const name of hostile) expect(Object.getOwnPropertyDescriptor(shares, name)?.value).toBe(1 / hostile.length)
  expect(JSON.parse(JSON.stringify(shares))).toEqual(shares)
  expect(cellsOf(all).sort((a, b) => a - b)).toEqual(hostile.map((_, at) => at * hostile.length + at))
})

test('the table folds equal items, whoever gave what', () => {
  const table = itemTable(
    grouped([
      rating('i', 'a', 'x'),
      rating('i', 'b', 'y'),
      rating('j', 'a', 'y'),
      rating('j', 'b', 'x'),
      rating('k', 'c', 'x'),
    ]),
  )
  expect(table.profile_of).toEqual([0, 0, 1])
  expect(table.weights).toEqual([2, 1])
  expect(table.profiles).toEqual([
    { labels: [0, 1], counts: [1, 1], total: 2, squares: 2 },
    { labels: [0], counts: [1], total: 1, squares: 1 },
  ])
})

test('the cells of the confusion matrix are of the items that both rated', () => {
  const all = grouped([
    rating('i', 'a', 'x'),
    rating('i', 'b', 'y'),
    rating('j', 'b', 'y'),
    rating('k', 'a', 'y'),
    rating('k', 'b', 'y'),
  ])
  expect(cellsOf(all)).toEqual([1, -1, 3])
})

test('no ratings have no prevalence', () => {
  expect(prevalence(grouped([], ['x']))).toEqual({})
})
