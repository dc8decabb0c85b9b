import betaQuantile from '@stdlib/stats-base-dists-beta-quantile'
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

/** A human review of a grade: the level of confidence that the judge reported, and whether the human gave the same label. */
export interface ReviewOutcome<Level extends string = string> {
  readonly level: Level
  readonly correct: boolean
}

interface CalibratedLevel<Level extends string = string> {
  readonly level: Level
  readonly n_reviews: number
  readonly n_correct: number
  /** Probability that a grade of this level is right. */
  readonly value: number | null
  readonly ci95: [number, number] | null
  readonly reason: 'too_few_reviews' | null
}

/** Reviews of a level below which its confidence is null: with 30, a 95% interval is still up to ±0.18 wide. */
export const MIN_REVIEWS_A_LEVEL = 30

/**
 * Calibrated confidence of each reported level: mean of the posterior Beta(½ + right, ½ + wrong) with its 2.5% and 97.5% quantiles
 * (Jeffreys’ prior; Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001)), null
 * below `MIN_REVIEWS_A_LEVEL` reviews. The reviews must be a random sample within each level; those picked because judges disagreed make every
 * level look worse. Recalibrate for another judge, model or rubric.
 */
export function calibrateLevels<Level extends string>(
  levels: readonly Level[],
  reviews: readonly ReviewOutcome<Level>[],
): CalibratedLevel<Level>[] {
  return levels.map((level) => {
    const reviewed = reviews.filter((review) => review.level === level)
    const n_reviews = reviewed.length
    const n_correct = reviewed.filter((review) => review.correct).length
    const counts = { level, n_reviews, n_correct }
    if (n_reviews < MIN_REVIEWS_A_LEVEL) return { ...counts, value: null, ci95: null, reason: 'too_few_reviews' }
    const right = n_correct + 0.5
    const wrong = n_reviews - n_correct + 0.5
    // At the ends the limit is 0 or 1, as Brown, Cai and DasGupta advise: the quantile alone covers too little there.
    const low = n_correct === 0 ? 0 : betaQuantile(0.025, right, wrong)
    const high = n_correct === n_reviews ? 1 : betaQuantile(0.975, right, wrong)
    return { ...counts, value: right / (right + wrong), ci95: [low, high], reason: null }
  })
}
