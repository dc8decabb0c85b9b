import { type Estimate, ratio } from '../estimate.ts'

/** A judge’s confidence, 0 … 1, and whether it was right. */
export interface Forecast {
  readonly confidence: number
  readonly correct: boolean
}

/**
 * Expected calibration error over bins of equal width: Σ_b (n_b / n) · |share right − mean confidence|. Naeini, Cooper and Hauskrecht,
 * AAAI 2015. Bins are (k/B, (k+1)/B], the first with 0: Guo et al., ICML 2017. Null where there are no forecasts.
 */
export function expectedCalibrationError(forecasts: readonly Forecast[], bins = 10): Estimate {
  if (!(Number.isSafeInteger(bins) && bins >= 1 && bins <= 10_000)) throw new RangeError('bins: a whole number from 1')
  const gaps = new Float64Array(bins)
  for (const { confidence, correct } of forecasts) {
    checkConfidence(confidence)
    const bin = Math.max(0, Math.ceil(confidence * bins) - 1)
    gaps[bin] = (gaps[bin] ?? 0) + (correct ? 1 : 0) - confidence
  }
  let sum = 0
  for (const gap of gaps) sum += Math.abs(gap)
  return ratio(sum, forecasts.length, 'no_cases')
}

/** Brier score: the mean of (confidence − right)². Brier, Monthly Weather Review 78 (1950), its form for two outcomes. */
export function brierScore(forecasts: readonly Forecast[]): Estimate {
  let sum = 0
  for (const { confidence, correct } of forecasts) {
    checkConfidence(confidence)
    sum += (confidence - (correct ? 1 : 0)) ** 2
  }
  return ratio(sum, forecasts.length, 'no_cases')
}

function checkConfidence(confidence: number): void {
  if (!(confidence >= 0 && confidence <= 1)) throw new RangeError(`a confidence is from 0 to 1: ${confidence}`)
}
