import betaQuantile from '@stdlib/stats-base-dists-beta-quantile'
import type { UndefinedReason } from '../../schemas/agreement.ts'

/** The 97.5% quantile of the normal distribution. */
export const Z95 = 1.959963984540054

export type Interval = [low: number, high: number]

/**
 * Returns Wilson’s score interval of a share p of n trials: (p + z²/2n ± z √(pq/n + z²/4n²)) / (1 + z²/n). Wilson, JASA 22 (1927); Newcombe,
 * Statistics in Medicine 17 (1998), method 3. n may be an effective, broken number.
 *
 * @example wilson(81 / 263, 263) // → [0.2553, 0.3662]
 */
export function wilson(p: number, n: number, z: number = Z95): Interval {
  const shrink = (z * z) / n
  const centre = p + shrink / 2
  const half = z * Math.sqrt((p * (1 - p)) / n + shrink / (4 * n))
  // At the ends the limit is exact; the subtraction leaves a rounding error, which could lie outside of [0, 1].
  return [p === 0 ? 0 : (centre - half) / (1 + shrink), p === 1 ? 1 : (centre + half) / (1 + shrink)]
}

/** Returns the 97.5% quantile of Student’s distribution: t² / (ν + t²) has the distribution Beta(½, ν/2). */
export function studentQuantile(freedom: number): number {
  const share = betaQuantile(0.95, 0.5, freedom / 2)
  return Math.sqrt((freedom * share) / (1 - share))
}

/**
 * Returns the 95% interval of an estimated share with the given variance: Wilson’s, with the effective size p(1 − p)/variance (Kott & Carr
 * 1997, J Official Statistics 13:409; Dean & Pagano 2015) and Student’s quantile with units − 1 degrees of freedom (Korn & Graubard 1998,
 * Survey Methodology 24:193; Cameron & Miller 2015, J Human Resources 50:317).
 *
 * Few items can agree throughout by chance, and then the variance is close to 0. So the effective size is mixed with `units`, at the weight
 * of one item: no error in 30 reviews does not show a judge without errors. Coverage: `npm run bench:judges`, `npm run bench:coverage`.
 * Null with one unit, which tells nothing of other units.
 *
 * @param worth trials or reviews (of unevenly weighted reviews the number of even reviews of the same worth), and the independent units among
 *   them: tasks, and each item without a task.
 */
export function shareInterval(share: number, variance: number, worth: { items: number; units: number }) {
  const { items, units } = worth
  if (units < 2) return null
  const p = Math.min(1, Math.max(0, share))
  const size = (p * (1 - p) + 1 / items) / (variance + 1 / (items * units))
  return wilson(p, size, studentQuantile(units - 1))
}

/** Statistic that may be undefined. Undefined is null with a reason, never 0 or 1. */
export interface Estimate {
  readonly value: number | null
  /** Null exactly where `value` is a number. */
  readonly reason: UndefinedReason | null
}

export const estimated = (value: number): Estimate => ({ value, reason: null })
export const missing = (reason: UndefinedReason): Estimate => ({ value: null, reason })
/** Divides a part by the whole; null with the reason given where the whole is 0. */
export const ratio = (part: number, whole: number, reason: UndefinedReason): Estimate =>
  whole === 0 ? missing(reason) : estimated(part / whole)
