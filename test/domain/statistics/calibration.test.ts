import fc from 'fast-check'
import { expect, test } from 'vitest'
import { labelScores } from '../../../src/audit/report/reviewed.ts'
import { brierScore, expectedCalibrationError, type Forecast } from '../../../src/domain/statistics/rates.ts'
import { table } from './oracles.ts'

/** Ten points; ECE and Brier by formula. */
const CONFIDENCE = [0.97, 0.93, 0.86, 0.83, 0.77, 0.66, 0.62, 0.56, 0.91, 0.71]
const CORRECT = [1, 1, 0, 1, 1, 0, 1, 0, 1, 0]

const forecasts = (confidence: readonly number[], correct: readonly number[]): Forecast[] =>
  confidence.map((value, index) => ({ confidence: value, correct: correct[index] === 1 }))

const TEN = forecasts(CONFIDENCE, CORRECT)

test('the ten points', () => {
  expect(expectedCalibrationError(TEN).value).toBeCloseTo(0.22, 12)
  expect(brierScore(TEN).value).toBeCloseTo(0.2233, 12)
})

test('without forecasts null with a reason', () => {
  const none = { value: null, reason: 'no_cases' }
  expect(expectedCalibrationError([])).toEqual(none)
  expect(brierScore([])).toEqual(none)
})

test('bins are closed on the right, the first on both sides', () => {
  // 0 and 0.5 in the first of two bins: mean confidence ¼, share right ½.
  expect(expectedCalibrationError(forecasts([0, 0.5], [0, 1]), 2).value).toBeCloseTo(0.25, 12)
  expect(expectedCalibrationError(forecasts([1, 0], [1, 0])).value).toBe(0)
})

test.each([-0.1, 1.1, Number.NaN])('a confidence of %d is refused', (confidence) => {
  expect(() => brierScore([{ confidence, correct: true }])).toThrow(RangeError)
  expect(() => expectedCalibrationError([{ confidence, correct: true }])).toThrow(RangeError)
})

test.each([0, -1, 1.5, 1e9])('%d bins are refused', (bins) => {
  expect(() => expectedCalibrationError(TEN, bins)).toThrow(RangeError)
})

const anyForecasts = fc.array(
  fc.record({ confidence: fc.integer({ min: 0, max: 20 }).map((n) => n / 20), correct: fc.boolean() }),
  { minLength: 1, maxLength: 60 },
)

test('with one bin ECE is the gap of the means; more bins never hide it', () => {
  fc.assert(
    fc.property(anyForecasts, (all) => {
      const gap = all.reduce((sum, one) => sum + one.confidence - (one.correct ? 1 : 0), 0) / all.length
      const one = expectedCalibrationError(all, 1).value ?? Number.NaN
      expect(one).toBeCloseTo(Math.abs(gap), 12)
      expect(expectedCalibrationError(all, 10).value).toBeGreaterThanOrEqual(one - 1e-12)
    }),
  )
})

/**
 * scikit-learn’s documented example of `precision_recall_fscore_support`: y_true = cat dog pig cat dog pig,
 * y_pred = cat pig dog cat cat dog. It gives precision 2/3, 0, 0; recall 1, 0, 0; F1 0.8, 0, 0.
 */
test('scikit-learn’s example', () => {
  const scores = labelScores(['cat', 'dog', 'pig'], table('2 0 0 / 1 0 1 / 0 2 0'))
  expect(scores.map((score) => score.precision)).toEqual([2 / 3, 0, 0])
  expect(scores.map((score) => score.recall)).toEqual([1, 0, 0])
  expect(scores.map((score) => score.f1)).toEqual([0.8, 0, 0])
  expect(scores.map((score) => score.n_human)).toEqual([2, 2, 2])
  expect(scores.map((score) => score.n_judge)).toEqual([3, 2, 1])
})

test('a label never given has no precision, one that never occurs no recall, one of neither no F1', () => {
  const [given, never, absent] = labelScores(['given', 'never given', 'absent'], table('3 0 0 / 2 0 0 / 0 0 0'))
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
