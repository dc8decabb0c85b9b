import { Z95 } from '../statistics/intervals.ts'
import { type PairedCluster, rateDifference } from '../statistics/paired.ts'
import { clustersOf } from './share.ts'

/** One item that two judges were asked about. */
export interface PairedItem {
  readonly cluster: string | null
  readonly base: { readonly right: boolean; readonly answer: string | null }
  readonly head: { readonly right: boolean; readonly answer: string | null }
}

type Verdict = 'equivalent' | 'different' | 'not_shown'

export interface Equivalence {
  readonly n: number
  readonly base_right: number
  readonly head_right: number
  /** Right in the first alone, and in the second alone. */
  readonly base_only: number
  readonly head_only: number
  /** Same answer, or both without one. */
  readonly same: number
  /** head − base, in shares of right answers. */
  readonly difference: number | null
  readonly ci95: [number, number] | null
  readonly method: 'tango' | 'cluster_bootstrap' | null
  readonly verdict: Verdict
}

/**
 * Whether two judges are right equally often on the same items, within a margin: two one-sided tests, each at 2.5%, which is whether the 95% interval of
 * the paired difference lies within ± margin (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987)). `different`: all of the interval
 * lies beyond the margin. Tango's interval for independent items; where some share a cluster, clusters are resampled.
 */
export function equivalenceOf(items: readonly PairedItem[], margin: number): Equivalence {
  const count = (fits: (item: PairedItem) => boolean) => items.filter(fits).length
  const base_only = count(({ base, head }) => base.right && !head.right)
  const head_only = count(({ base, head }) => !base.right && head.right)
  const { ci95, method } = intervalOf(items, base_only, head_only)
  const n = items.length
  return {
    n,
    base_right: count(({ base }) => base.right),
    head_right: count(({ head }) => head.right),
    ...{ base_only, head_only },
    same: count(({ base, head }) => base.answer === head.answer),
    difference: n === 0 ? null : (head_only - base_only) / n,
    ...{ ci95, method },
    verdict: verdictOf(ci95, margin),
  }
}

function verdictOf(ci95: [number, number] | null, margin: number): Verdict {
  if (ci95 === null) return 'not_shown'
  const [low, high] = ci95
  if (low > -margin && high < margin) return 'equivalent'
  return low >= margin || high <= -margin ? 'different' : 'not_shown'
}

function intervalOf(
  items: readonly PairedItem[],
  baseOnly: number,
  headOnly: number,
): Pick<Equivalence, 'ci95' | 'method'> {
  const clusters = clustersOf(items)
  if (items.length === 0) return { ci95: null, method: null }
  if (clusters.length === items.length)
    return { ci95: tangoInterval(headOnly, baseOnly, items.length), method: 'tango' }
  const { value, ci95 } = rateDifference(clusters.map(pairOf))
  // Few differences hardly vary in resamples: no interval is narrower than that of judges which never differ, with each cluster as one item.
  const [, least] = tangoInterval(0, 0, clusters.length)
  if (value === null || (ci95 === null && headOnly + baseOnly > 0)) return { ci95: null, method: null }
  const [low, high] = ci95 ?? [value, value]
  return { ci95: [Math.min(low, value - least), Math.max(high, value + least)], method: 'cluster_bootstrap' }
}

const pairOf = (items: readonly PairedItem[]): PairedCluster => ({
  base: { successes: items.filter(({ base }) => base.right).length, trials: items.length },
  head: { successes: items.filter(({ head }) => head.right).length, trials: items.length },
})

/** Enough for a double. */
const HALVINGS = 60

/**
 * Tango's score interval of the difference (b − c) / n of two paired shares, of which b and c are the pairs that only the one or the other has. It has
 * a width also where nothing differs. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample design",
 * Statistics in Medicine 17 (1998).
 *
 * @example tangoInterval(0, 0, 100) // → [−0.0370, 0.0370], which is z² / (n + z²)
 */
export function tangoInterval(b: number, c: number, n: number, z: number = Z95): [number, number] {
  const limit = (target: number, inside: number, outside: number): number => {
    let [near, far] = [inside, outside]
    for (let round = 0; round < HALVINGS; round++) {
      const middle = (near + far) / 2
      if (Math.abs(score(middle, b, c, n)) < target) near = middle
      else far = middle
    }
    return (near + far) / 2
  }
  const value = (b - c) / n
  return [limit(z, value, -1), limit(z, value, 1)]
}

function score(difference: number, b: number, c: number, n: number): number {
  const linear = -b - c + (2 * n - b + c) * difference
  const constant = -c * difference * (1 - difference)
  const q = (Math.sqrt(Math.max(0, linear * linear - 8 * n * constant)) - linear) / (4 * n)
  const variance = n * (2 * q + difference * (1 - difference))
  const distance = b - c - n * difference
  return distance === 0 ? 0 : distance / Math.sqrt(Math.max(variance, Number.MIN_VALUE))
}
