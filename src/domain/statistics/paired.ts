import binomialCdf from '@stdlib/stats-base-dists-binomial-cdf'
import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import type { UndefinedReason } from '../../schemas/audit/agreement.ts'
import { foldMatrix, type SquareMatrix } from './agreement/confusion.ts'
import { BOOTSTRAP, type BootstrapSettings, bootstrap } from './bootstrap.ts'

interface McNemar {
  /** Pairs with the property in the first alone, and in the second alone. */
  readonly b: number
  readonly c: number
  /** Two-sided exact p. 1 where nothing is discordant: no evidence of a difference. */
  readonly p_exact: number
  /** Two-sided mid-p, less conservative; null where nothing is discordant. */
  readonly p_mid: number | null
  readonly reason: 'no_discordant_pairs' | null
}

/**
 * McNemar’s test on discordant pairs. Exact: min(1, 2 · BinomCDF(min(b, c); b + c, ½)). Mid-p: half of the probability of outcomes as
 * likely as this one is taken off, which is its point probability, or half of that where b = c. Fagerlund, Lydersen and Laake, "The
 * McNemar test for binary matched-pairs data", BMC Medical Research Methodology 13 (2013). The pairs must be independent: where they
 * share tasks, see `rateDifference`.
 */
export function mcNemar(b: number, c: number): McNemar {
  checkDiscordant(b, c)
  const pairs = b + c
  if (pairs === 0) return { b, c, p_exact: 1, p_mid: null, reason: 'no_discordant_pairs' }
  const fewer = Math.min(b, c)
  const tail = binomialCdf(fewer, pairs, 0.5)
  const point = tail - (fewer === 0 ? 0 : binomialCdf(fewer - 1, pairs, 0.5))
  const p_mid = b === c ? 1 - point / 2 : 2 * tail - point
  return { b, c, p_exact: Math.min(1, 2 * tail), p_mid, reason: null }
}

interface ChiSquare {
  readonly statistic: number | null
  readonly df: number
  readonly p: number | null
  readonly reason: 'no_discordant_pairs' | null
}

function checkDiscordant(...counts: number[]): void {
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0))
    throw new RangeError('counts are whole, from 0')
}

/** What cannot be told from 0 is given as 2⁻⁵², which bounds it. */
const upperTail = (statistic: number, df: number): number => Math.max(Number.EPSILON, 1 - chiSquareCdf(statistic, df))

/**
 * Bowker’s test of symmetry of a K × K matrix: Σ_{i<j} (n_ij − n_ji)² / (n_ij + n_ji) against χ². Bowker, JASA 43 (1948).
 *
 * @param empty pairs of mirrored cells that are both 0 add nothing to the sum. `dropped`: nor to the degrees of freedom (Hoenig, Morgan
 *   and Brown 1995). `counted`: there are K (K − 1) / 2 of them regardless, as in R’s mcnemar.test and statsmodels, which is cautious.
 */
export function bowker(matrix: SquareMatrix, empty: 'dropped' | 'counted' = 'dropped'): ChiSquare {
  const cells = foldMatrix(matrix)
  const size = matrix.length
  let statistic = 0
  let filled = 0
  for (let row = 0; row < size; row++) {
    for (let column = row + 1; column < size; column++) {
      const above = cells[row * size + column] ?? 0
      const below = cells[column * size + row] ?? 0
      if (above + below === 0) continue
      statistic += (above - below) ** 2 / (above + below)
      filled++
    }
  }
  const df = empty === 'dropped' ? filled : (size * (size - 1)) / 2
  if (filled === 0) return { statistic: null, df, p: null, reason: 'no_discordant_pairs' }
  return { statistic, df, p: upperTail(statistic, df), reason: null }
}

/** What happened in one task under two conditions. */
export interface PairedCluster {
  readonly base: { readonly successes: number; readonly trials: number }
  readonly head: { readonly successes: number; readonly trials: number }
}

interface RateDifference {
  readonly base: number | null
  readonly head: number | null
  /** head − base. */
  readonly value: number | null
  readonly ci95: [number, number] | null
  readonly reason: UndefinedReason | null
  readonly n_clusters: number
  readonly undefined_draws: number
}

/**
 * Difference of two rates with a paired cluster bootstrap: a draw takes whole clusters (tasks), each with its trials under both
 * conditions, so that what trials of a task have in common stays together. Cameron, Gelbach and Miller, "Bootstrap-based improvements
 * for inference with clustered errors", RESTAT 90 (2008), the pairs cluster bootstrap, with the limits of `bootstrap`.
 * Null where a condition has no trials (`no_cases`); see `bootstrap` for when only the interval is null.
 */
export function rateDifference(
  clusters: readonly PairedCluster[],
  settings: BootstrapSettings = BOOTSTRAP,
): RateDifference {
  const rates = ratesOf(clusters, () => 1)
  const n_clusters = clusters.length
  const value = difference(rates)
  if (value === null) return { ...rates, value, ci95: null, reason: 'no_cases', n_clusters, undefined_draws: 0 }
  const [interval] = bootstrap(n_clusters, settings, (weights) => [
    difference(ratesOf(clusters, (index) => weights[index] ?? 0)),
  ])
  if (interval === undefined) throw new RangeError('a bootstrap needs a draw')
  return { ...rates, value, ...interval, n_clusters }
}

/** Whether something holds on either side of a pair, and what the pair is not independent of; null: nothing. */
export interface BooleanPair {
  readonly cluster: string | null
  readonly base: boolean
  readonly head: boolean
}

/** The rates of both sides, their difference, and McNemar’s exact p, which takes the pairs as independent: null without pairs. */
export function comparePairs(pairs: readonly BooleanPair[], settings?: BootstrapSettings) {
  const base_only = pairs.filter(({ base, head }) => base && !head).length
  const head_only = pairs.filter(({ base, head }) => head && !base).length
  const mcnemar_p = pairs.length === 0 ? null : mcNemar(base_only, head_only).p_exact
  const clusters = clustersOf(pairs).map((own) => ({
    base: { successes: own.filter(({ base }) => base).length, trials: own.length },
    head: { successes: own.filter(({ head }) => head).length, trials: own.length },
  }))
  return { ...rateDifference(clusters, settings), base_only, head_only, mcnemar_p }
}

/** In code-unit order of their names, so that the order of reading changes no draw; a pair without one is a cluster of its own. */
function clustersOf(pairs: readonly BooleanPair[]): (readonly BooleanPair[])[] {
  const named = Map.groupBy(
    pairs.filter(({ cluster }) => cluster !== null),
    ({ cluster }) => cluster ?? '',
  )
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => own)
  return [...sorted, ...pairs.filter(({ cluster }) => cluster === null).map((pair) => [pair])]
}

interface Rates {
  readonly base: number | null
  readonly head: number | null
}

const difference = ({ base, head }: Rates): number | null => (base === null || head === null ? null : head - base)

function ratesOf(clusters: readonly PairedCluster[], weightOf: (index: number) => number): Rates {
  const sums = { base: 0, baseTrials: 0, head: 0, headTrials: 0 }
  for (const [index, { base, head }] of clusters.entries()) {
    const weight = weightOf(index)
    sums.base += weight * base.successes
    sums.baseTrials += weight * base.trials
    sums.head += weight * head.successes
    sums.headTrials += weight * head.trials
  }
  return {
    base: sums.baseTrials === 0 ? null : sums.base / sums.baseTrials,
    head: sums.headTrials === 0 ? null : sums.head / sums.headTrials,
  }
}
