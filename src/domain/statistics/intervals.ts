import betaQuantile from '@stdlib/stats-base-dists-beta-quantile'

/** The 97.5% quantile of the normal distribution. */
export const Z95 = 1.959963984540054

/** A rate with its 95% interval; all null, with the reason, where there were no trials. */
interface Rate {
  readonly value: number | null
  readonly ci95: [number, number] | null
  readonly reason: 'no_cases' | null
}

const NO_TRIALS: Rate = { value: null, ci95: null, reason: 'no_cases' }

/**
 * Wilson’s score interval: (p̂ + z²/2n ± z √(p̂q̂/n + z²/4n²)) / (1 + z²/n). Wilson, JASA 22 (1927); Newcombe, Statistics in Medicine
 * 17 (1998), method 3. For independent trials: where they share tasks, resample the tasks.
 *
 * @example wilson(81, 263).ci95 // → [0.2553, 0.3662]
 */
export function wilson(successes: number, trials: number, z: number = Z95): Rate {
  checkCounts(successes, trials)
  if (trials === 0) return NO_TRIALS
  const value = successes / trials
  return { value, ci95: wilsonOf(value, trials, z), reason: null }
}

/** The same of a share p of n items, where n may be an effective, broken number. */
export function wilsonOf(p: number, n: number, z: number = Z95): [number, number] {
  const shrink = (z * z) / n
  const centre = p + shrink / 2
  const half = z * Math.sqrt((p * (1 - p)) / n + shrink / (4 * n))
  // At the ends the limit is exact; the subtraction leaves a rounding error, which could lie outside of [0, 1].
  return [p === 0 ? 0 : (centre - half) / (1 + shrink), p === 1 ? 1 : (centre + half) / (1 + shrink)]
}

/** The 97.5% quantile of Student’s distribution: t² / (ν + t²) has the distribution Beta(½, ν/2). */
export function studentQuantile(freedom: number): number {
  const share = betaQuantile(0.95, 0.5, freedom / 2)
  return Math.sqrt((freedom * share) / (1 - share))
}

/**
 * Clopper and Pearson’s exact interval: quantiles α/2 of Beta(x, n − x + 1) and 1 − α/2 of Beta(x + 1, n − x), 0 and 1 at the ends.
 * Clopper and Pearson, Biometrika 26 (1934).
 */
export function clopperPearson(successes: number, trials: number): Rate {
  checkCounts(successes, trials)
  if (trials === 0) return NO_TRIALS
  const low = clopperPearsonLimit(successes, trials, 'lower', 0.975)
  const high = clopperPearsonLimit(successes, trials, 'upper', 0.975)
  return { value: successes / trials, ci95: [low, high], reason: null }
}

/**
 * One limit of it, with so much confidence on that side alone.
 *
 * @example clopperPearsonLimit(0, 59, 'upper', 0.95) // → 0.0495: no error in 59 shows a rate under 5%
 */
export function clopperPearsonLimit(
  successes: number,
  trials: number,
  side: 'lower' | 'upper',
  confidence: number,
): number {
  checkCounts(successes, trials)
  const failures = trials - successes
  if (side === 'lower') return successes === 0 ? 0 : betaQuantile(1 - confidence, successes, failures + 1)
  return failures === 0 ? 1 : betaQuantile(confidence, successes + 1, failures)
}

/** Throws a RangeError unless both are whole and 0 ≤ successes ≤ trials. */
function checkCounts(successes: number, trials: number): void {
  const fits = Number.isSafeInteger(successes) && Number.isSafeInteger(trials) && successes >= 0 && successes <= trials
  if (!fits) throw new RangeError(`not a count of trials: ${successes} of ${trials}`)
}
