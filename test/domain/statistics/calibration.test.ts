import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brierScore, expectedCalibrationError, type Forecast } from '../../../src/domain/statistics/rates.ts'

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
