import fc from 'fast-check'
import { expect, test } from 'vitest'
import { labelScores } from '../../../src/audit/report/report-quality.ts'

/**
 * scikit-learn’s documented example of `precision_recall_fscore_support`: y_true = cat dog pig cat dog pig,
 * y_pred = cat pig dog cat cat dog. It gives precision 2/3, 0, 0; recall 1, 0, 0; F1 0.8, 0, 0.
 */
test('scikit-learn’s example', () => {
  const scores = labelScores(
    ['cat', 'dog', 'pig'],
    [
      [2, 0, 0],
      [1, 0, 1],
      [0, 2, 0],
    ],
  )
  expect(scores.map((score) => score.precision)).toEqual([2 / 3, 0, 0])
  expect(scores.map((score) => score.recall)).toEqual([1, 0, 0])
  expect(scores.map((score) => score.f1)).toEqual([0.8, 0, 0])
  expect(scores.map((score) => score.n_human)).toEqual([2, 2, 2])
  expect(scores.map((score) => score.n_judge)).toEqual([3, 2, 1])
})

test('a label never given has no precision, one that never occurs no recall, one of neither no F1', () => {
  const [given, never, absent] = labelScores(
    ['given', 'never given', 'absent'],
    [
      [3, 0, 0],
      [2, 0, 0],
      [0, 0, 0],
    ],
  )
  expect(given?.precision).toBe(0.6)
  expect(never).toMatchObject({ precision: null, recall: 0, f1: 0 })
  expect(absent).toMatchObject({ precision: null, recall: null, f1: null })
})

test('F1 is the harmonic mean, and the transposed matrix swaps precision and recall', () => {
  const matrix = fc.array(fc.array(fc.nat(20), { minLength: 4, maxLength: 4 }), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(matrix, (rows) => {
      const labels = ['a', 'b', 'c', 'd']
      const transposed = labelScores(
        labels,
        labels.map((_, at) => rows.map((row) => row[at] ?? 0)),
      )
      labelScores(labels, rows).forEach((score, index) => {
        const { precision, recall } = score
        expect(transposed[index]?.recall).toBe(precision)
        if (precision !== null && recall !== null && precision + recall > 0)
          expect(score.f1).toBeCloseTo((2 * precision * recall) / (precision + recall), 12)
      })
    }),
  )
})
