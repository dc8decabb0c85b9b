import binomialCdf from '@stdlib/stats-base-dists-binomial-cdf'
import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import { BOOTSTRAP, type BootstrapSettings } from './bootstrap.ts'
import { combine, difference, rateOf, tally } from './clustered-rates.ts'

/**
 * The two-sided exact p of McNemar’s test on discordant pairs, with the property in the first alone (b) and in the second alone (c):
 * min(1, 2 · BinomCDF(min(b, c); b + c, ½)). Fagerlund, Lydersen and Laake, "The McNemar test for binary matched-pairs data", BMC Medical
 * Research Methodology 13 (2013). 1 where nothing is discordant: no evidence of a difference. The pairs must be independent: where they
 * share tasks, see `combine`.
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

/** Returns the upper tail; a tail that cannot be told from 0 is given as 2⁻⁵², which bounds it. */
const upperTail = (statistic: number, df: number): number => Math.max(Number.EPSILON, 1 - chiSquareCdf(statistic, df))

/**
 * Bowker’s test of symmetry of a K × K matrix: Σ_{i<j} (n_ij − n_ji)² / (n_ij + n_ji) against χ². Bowker, JASA 43 (1948). Pairs of
 * mirrored cells that are both 0 add nothing to the sum, nor to the degrees of freedom (Hoenig, Morgan and Brown 1995); R’s mcnemar.test
 * and statsmodels count them.
 */
export function bowker(matrix: readonly (readonly number[])[]): ChiSquare {
  let statistic = 0
  let df = 0
  for (const [row, counts] of matrix.entries()) {
    for (const [column, above] of counts.entries()) {
      const below = matrix[column]?.[row] ?? 0
      if (column <= row || above + below === 0) continue
      statistic += (above - below) ** 2 / (above + below)
      df++
    }
  }
  if (df === 0) return { statistic: null, df, p: null, reason: 'no_discordant_pairs' }
  return { statistic, df, p: upperTail(statistic, df), reason: null }
}

/** Tells whether a property holds on either side of a pair, and the cluster of the pair; null: the pair is independent. */
export interface BooleanPair {
  readonly cluster: string | null
  readonly base: boolean
  readonly head: boolean
}

/** Compares both sides of pairs: rates, their difference with whole clusters resampled, and McNemar’s exact p, null without pairs. */
export function comparePairs(pairs: readonly BooleanPair[], settings: BootstrapSettings = BOOTSTRAP) {
  const counted = tally(pairs, ({ cluster }) => cluster, [({ base }) => base, ({ head }) => head])
  const base_only = pairs.filter(({ base, head }) => base && !head).length
  const head_only = pairs.filter(({ base, head }) => head && !base).length
  return {
    base: rateOf(counted, 0),
    head: rateOf(counted, 1),
    difference: combine(counted, [0, 1], settings, difference),
    discordant: { base_only, head_only },
    mcnemar_p: pairs.length === 0 ? null : mcNemar(base_only, head_only),
  }
}
