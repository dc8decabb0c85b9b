import binomialCdf from '@stdlib/stats-base-dists-binomial-cdf'
import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import type { UndefinedReason } from '../../schemas/audit/agreement.ts'
import { foldMatrix, type SquareMatrix } from './agreement/confusion.ts'
import { BOOTSTRAP, type BootstrapSettings, bootstrap } from './bootstrap.ts'

/**
 * The two-sided exact p of McNemar’s test on discordant pairs, with the property in the first alone (b) and in the second alone (c):
 * min(1, 2 · BinomCDF(min(b, c); b + c, ½)). Fagerlund, Lydersen and Laake, "The McNemar test for binary matched-pairs data", BMC Medical
 * Research Methodology 13 (2013). 1 where nothing is discordant: no evidence of a difference. The pairs must be independent: where they
 * share tasks, see `rateDifference`.
 */
export function mcNemar(b: number, c: number): number {
  if (![b, c].every((count) => Number.isSafeInteger(count) && count >= 0))
    throw new RangeError('counts are whole, from 0')
  return b + c === 0 ? 1 : Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5))
}

interface ChiSquare {
  readonly statistic: number | null
  readonly df: number
  readonly p: number | null
  readonly reason: 'no_discordant_pairs' | null
}

/** What cannot be told from 0 is given as 2⁻⁵², which bounds it. */
const upperTail = (statistic: number, df: number): number => Math.max(Number.EPSILON, 1 - chiSquareCdf(statistic, df))

/**
 * Bowker’s test of symmetry of a K × K matrix: Σ_{i<j} (n_ij − n_ji)² / (n_ij + n_ji) against χ². Bowker, JASA 43 (1948). Pairs of
 * mirrored cells that are both 0 add nothing to the sum, nor to the degrees of freedom (Hoenig, Morgan and Brown 1995); R’s mcnemar.test
 * and statsmodels count them.
 */
export function bowker(matrix: SquareMatrix): ChiSquare {
  const cells = foldMatrix(matrix)
  const size = matrix.length
  let statistic = 0
  let df = 0
  for (let row = 0; row < size; row++) {
    for (let column = row + 1; column < size; column++) {
      const above = cells[row * size + column] ?? 0
      const below = cells[column * size + row] ?? 0
      if (above + below === 0) continue
      statistic += (above - below) ** 2 / (above + below)
      df++
    }
  }
  if (df === 0) return { statistic: null, df, p: null, reason: 'no_discordant_pairs' }
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
  const value = difference(rates)
  if (value === null) return { ...rates, value, ci95: null, reason: 'no_cases', undefined_draws: 0 }
  const [interval] = bootstrap(clusters.length, settings, (weights) => [
    difference(ratesOf(clusters, (index) => weights[index] ?? 0)),
  ])
  if (interval === undefined) throw new RangeError('a bootstrap needs a draw')
  return { ...rates, value, ...interval }
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
  const mcnemar_p = pairs.length === 0 ? null : mcNemar(base_only, head_only)
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
