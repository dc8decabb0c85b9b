import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  apply,
  at,
  conditionNumber,
  identity,
  inverse,
  multiply,
  rowAt,
  singularValues,
  solve,
  solveVector,
} from '../../../src/domain/statistics/shares/linear-algebra.ts'

const square = fc
  .integer({ min: 1, max: 6 })
  .chain((k) =>
    fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: k, maxLength: k }), {
      minLength: k,
      maxLength: k,
    }),
  )
  // Diagonally dominant, so never singular.
  .map((rows) => rows.map((row, i) => row.map((x, j) => (i === j ? x + Math.sign(x || 1) * rows.length : x))))

test('a solution put back gives the right side', () => {
  fc.assert(
    fc.property(square, (a) => {
      const b = a.map((_, i) => i - 1.5)
      const x = solveVector(a, b)
      expect(x).not.toBeNull()
      apply(a, x ?? []).forEach((value, i) => {
        expect(value).toBeCloseTo(at(b, i), 9)
      })
    }),
  )
})

test('the inverse times the matrix is the identity', () => {
  fc.assert(
    fc.property(square, (a) => {
      multiply(inverse(a) ?? [], a).forEach((row, i) => {
        row.forEach((value, j) => {
          expect(value).toBeCloseTo(i === j ? 1 : 0, 9)
        })
      })
    }),
  )
})

test('pivots where the diagonal is 0', () => {
  expect(
    solveVector(
      [
        [0, 2],
        [4, 0],
      ],
      [6, 8],
    ),
  ).toEqual([2, 3])
})

test('a singular matrix has no solution and no finite condition', () => {
  const singular = [
    [1, 2],
    [2, 4],
  ]
  expect(solve(singular, identity(2))).toBeNull()
  expect(inverse([[0]])).toBeNull()
  expect(conditionNumber(singular)).toBeGreaterThan(1e15)
})

// By hand: [[3, 0], [4, 5]] is the worked example of most textbooks; the last is 0.7·I + 0.1·J, with eigenvalues 1, 0.7, 0.7.
test.each([
  {
    a: [
      [3, 0],
      [4, 5],
    ],
    values: [Math.sqrt(45), Math.sqrt(5)],
    condition: 3,
  },
  {
    a: [
      [1, 1],
      [1, -1],
    ],
    values: [Math.SQRT2, Math.SQRT2],
    condition: 1,
  },
  {
    a: [
      [0.8, 0.1, 0.1],
      [0.1, 0.8, 0.1],
      [0.1, 0.1, 0.8],
    ],
    values: [1, 0.7, 0.7],
    condition: 1 / 0.7,
  },
])('singular values of $a', ({ a, values, condition }) => {
  singularValues(a).forEach((value, i) => {
    expect(value).toBeCloseTo(at(values, i), 12)
  })
  expect(conditionNumber(a)).toBeCloseTo(condition, 12)
})

test('a place outside throws', () => {
  expect(() => at([1], 1)).toThrow(RangeError)
  expect(() => rowAt([], 0)).toThrow(RangeError)
})
