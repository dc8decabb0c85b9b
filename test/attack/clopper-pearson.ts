import betaQuantile from '@stdlib/stats-base-dists-beta-quantile'

/**
 * Returns a limit of Clopper and Pearson’s exact interval with so much confidence on that side alone: quantile of Beta(x, n − x + 1) below and
 * of Beta(x + 1, n − x) above. Clopper and Pearson, Biometrika 26 (1934).
 *
 * @example exactLimit(0, 59, 'upper', 0.95) // → 0.0495: no error in 59 shows a rate under 5%
 */
export function exactLimit(successes: number, trials: number, side: 'lower' | 'upper', confidence: number): number {
  if (!(Number.isSafeInteger(successes) && Number.isSafeInteger(trials) && successes >= 0 && successes <= trials))
    throw new RangeError(`not a count of trials: ${successes} of ${trials}`)
  if (side === 'lower') return successes === 0 ? 0 : betaQuantile(1 - confidence, successes, trials - successes + 1)
  return successes === trials ? 1 : betaQuantile(confidence, successes + 1, trials - successes)
}

/** Returns the exact 95% interval of a rate; null without trials. */
export const exactInterval = (successes: number, trials: number): [low: number, high: number] | null =>
  trials === 0 ? null : [exactLimit(successes, trials, 'lower', 0.975), exactLimit(successes, trials, 'upper', 0.975)]
