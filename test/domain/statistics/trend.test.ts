import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fallOver } from '../../../src/domain/statistics/trend.ts'

test.each([
  ['nothing', [], 0, 0, 1],
  ['one run', [[1], [3]], 0, 0, 1],
  [
    'equal values',
    [
      [2, 2, 2],
      [1, 1, 1],
    ],
    0,
    0,
    1,
  ],
  // The sign test: of two runs each change goes either way.
  [
    'five of five fall',
    [
      [3, 2],
      [3, 2],
      [3, 1],
      [2, 1],
      [2, 0],
      [2, 2],
    ],
    5,
    0,
    1 / 32,
  ],
  [
    'four of five fall',
    [
      [3, 2],
      [3, 2],
      [3, 1],
      [2, 1],
      [1, 2],
    ],
    4,
    1,
    6 / 32,
  ],
  // Mann and Kendall: one of 3! orders falls throughout, and one of 5!.
  ['three runs of one item', [[3, 2, 1]], 1, 0, 1 / 6],
  ['five runs of one item', [[5, 4, 3, 2, 1]], 1, 0, 1 / 120],
  // 2 2 1 has three orders, and in one of them the fall is last.
  ['a fall behind two equal values', [[2, 2, 1]], 1, 0, 1 / 3],
  [
    'a rise',
    [
      [1, 2],
      [1, 2],
    ],
    0,
    2,
    1,
  ],
])('%s', (_name, series, fell, rose, p) => {
  const found = fallOver(series)
  expect([found.fell, found.rose]).toEqual([fell, rose])
  expect(found.p).toBeCloseTo(p, 12)
})

test('of all orders of the values at most a share of alpha has a p of alpha or less', () => {
  const level = fc.integer({ min: 0, max: 3 })
  fc.assert(
    fc.property(fc.array(fc.array(level, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 3 }), (series) => {
      const orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ]
      const all = series.reduce<number[][][]>(
        (sets, values) => sets.flatMap((set) => orders.map((order) => [...set, order.map((at) => values[at] ?? 0)])),
        [[]],
      )
      const small = all.filter((one) => fallOver(one).p <= 0.05 + 1e-12).length
      expect(small / all.length).toBeLessThanOrEqual(0.05 + 1e-9)
    }),
    { numRuns: 50 },
  )
})
