import binomialCdf from '@stdlib/stats-base-dists-binomial-cdf'
import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import type { Statistic } from '../../schemas/agreement.ts'
import type { Rate } from '../../schemas/report.ts'
import { BOOTSTRAP, type BootstrapSettings, bootstrap } from './bootstrap.ts'
import { type Estimate, ratio, shareInterval, wilson } from './intervals.ts'
import { sum } from './weighted-shares.ts'

/** Tells whether a property holds for a trial; `unknown` trials are counted apart, trials `outside` of the measure are not. */
export type Outcome = boolean | 'outside' | 'unknown'

type Tally = ReturnType<typeof tally>

/**
 * Sums the outcomes of trials by cluster, true counting as 1: of the trials that have a value of measure m, `k[m]` over `n[m]` trials; `unknown`: trials, by
 * measure. A trial without a cluster is a cluster of its own. Clusters stand in the order of their names, then of
 * their outcomes, so that the order in which trials were stored does not change the draws.
 */
export function tally<Row>(
  rows: readonly Row[],
  clusterOf: (row: Row) => string | null,
  outcomes: readonly ((row: Row) => Outcome | number)[],
) {
  const valued = rows.map((row) => {
    const [cluster, values] = [clusterOf(row), outcomes.map((outcomeOf) => outcomeOf(row))]
    return { cluster, values, order: JSON.stringify([cluster, values]) }
  })
  valued.sort((one, other) => (one.order < other.order ? -1 : 1))
  const clusters = [...Map.groupBy(valued, ({ cluster }, index) => cluster ?? index).values()].map((own) => {
    const known = outcomes.map((_, measure) =>
      own.flatMap(({ values }) => (typeof values[measure] === 'string' ? [] : Number(values[measure]))),
    )
    return { k: known.map(sum), n: known.map(({ length }) => length) }
  })
  const unknown = outcomes.map((_, measure) => valued.filter(({ values }) => values[measure] === 'unknown').length)
  return { clusters, unknown }
}

/**
 * Returns a measure of a tally as a rate. The interval is Wilson’s where each cluster has one trial, else `shareInterval` with the
 * cluster-robust variance Σ_c (k_c − p n_c)² / n² (Liang and Zeger 1986).
 */
export function rateOf(counted: Tally, measure = 0): Rate {
  const units = clustersOf(counted, [measure]).map(({ k, n }) => ({ k: k[measure] ?? 0, n: n[measure] ?? 0 }))
  const [k, n] = [sum(units.map((unit) => unit.k)), sum(units.map((unit) => unit.n))]
  const counts = { k, n, unknown: counted.unknown[measure] ?? 0 }
  if (n === 0) return { value: null, ci95: null, ...counts, reason: 'no_cases' }
  const value = k / n
  if (units.length === n) return { value, ci95: wilson(value, n), ...counts, reason: null }
  const variance = sum(units.map((unit) => (unit.k - value * unit.n) ** 2)) / n ** 2
  const ci95 = shareInterval(value, variance, { items: n, units: units.length })
  return { value, ci95, ...counts, reason: ci95 === null ? 'too_few_units' : null }
}

/** Returns the share of trials that have each of several outcomes, by name. */
export function sharesOf<Row, Name extends string>(
  rows: readonly Row[],
  names: readonly Name[],
  outcomeOf: (row: Row, name: Name) => Outcome,
  clusterOf: (row: Row) => string | null,
): Record<Name, Rate> {
  const outcomes = names.map((name) => (row: Row) => outcomeOf(row, name))
  const counted = tally(rows, clusterOf, outcomes)
  return Object.fromEntries(names.map((name, measure) => [name, rateOf(counted, measure)])) as Record<Name, Rate>
}

/** Means of measures, in their order; null where no trial has a value. */
type Means = readonly (number | null)[]

/**
 * Computes a statistic of the means of several measures, with whole clusters resampled for all measures at once: the pairs cluster bootstrap
 * of Cameron, Gelbach and Miller, "Bootstrap-based improvements for inference with clustered errors", RESTAT 90 (2008), with the limits of
 * `bootstrap`.
 */
export function combine(
  counted: Tally,
  measures: readonly number[],
  settings: BootstrapSettings,
  of: (means: Means) => number | null,
): Statistic {
  const units = clustersOf(counted, measures)
  const statistic = (weights?: Float64Array) => of(measures.map((measure) => meanOf(units, measure, weights)))
  const value = statistic()
  if (value === null) return { value, ci95: null, reason: 'no_cases' }
  const [interval] = bootstrap(units.length, settings, (weights) => [statistic(weights)])
  return { value, ci95: interval?.ci95 ?? null, reason: interval?.reason ?? null }
}

/** Selects the clusters in which a trial has a value of any of the measures. */
const clustersOf = ({ clusters }: Tally, measures: readonly number[]) =>
  clusters.filter(({ n }) => measures.some((measure) => (n[measure] ?? 0) > 0))

/** Returns the mean over clusters, each counted as often as it was drawn; without weights once. */
function meanOf(units: Tally['clusters'], measure: number, weights?: Float64Array): number | null {
  let total = 0
  let trials = 0
  for (let unit = 0; unit < units.length; unit++) {
    const times = weights?.[unit] ?? 1
    total += times * (units[unit]?.k[measure] ?? 0)
    trials += times * (units[unit]?.n[measure] ?? 0)
  }
  return trials === 0 ? null : total / trials
}

export const product = ([one = null, other = null]: Means): number | null =>
  one === null || other === null ? null : one * other

/** Returns the second mean minus the first. */
export const difference = ([first = null, second = null]: Means): number | null =>
  first === null || second === null ? null : second - first

/**
 * The two-sided exact p of McNemar’s test on discordant pairs, with the property in the first alone (b) and in the second alone (c):
 * min(1, 2 · BinomCDF(min(b, c); b + c, ½)). Fagerlund, Lydersen and Laake, "The McNemar test for binary matched-pairs data", BMC Medical
 * Research Methodology 13 (2013). 1 where nothing is discordant: no evidence of a difference. The pairs must be independent: where they
 * share tasks, see `combine`.
 */
export function mcNemar(b: number, c: number): number {
  return b + c === 0 ? 1 : Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5))
}

/** Returns the upper tail; a tail that cannot be told from 0 is given as 2⁻⁵², which bounds it. */
const upperTail = (statistic: number, df: number): number => Math.max(Number.EPSILON, 1 - chiSquareCdf(statistic, df))

/**
 * Bowker’s test of symmetry of a K × K matrix: Σ_{i<j} (n_ij − n_ji)² / (n_ij + n_ji) against χ². Bowker, JASA 43 (1948). Pairs of
 * mirrored cells that are both 0 add nothing to the sum, nor to the degrees of freedom (Hoenig, Morgan and Brown 1995); R’s mcnemar.test
 * and statsmodels count them.
 */
export function bowker(matrix: readonly (readonly number[])[]) {
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
  if (df === 0) return { statistic: null, df, p: null, reason: 'no_discordant_pairs' as const }
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
  const gaps = new Float64Array(bins)
  for (const { confidence, correct } of forecasts) {
    const bin = Math.max(0, Math.ceil(confidence * bins) - 1)
    gaps[bin] = (gaps[bin] ?? 0) + Number(correct) - confidence
  }
  return ratio(sum([...gaps].map(Math.abs)), forecasts.length, 'no_cases')
}

/** Brier score: the mean of (confidence − right)². Brier, Monthly Weather Review 78 (1950), its form for two outcomes. */
export function brierScore(forecasts: readonly Forecast[]): Estimate {
  const squares = forecasts.map(({ confidence, correct }) => (confidence - Number(correct)) ** 2)
  return ratio(sum(squares), forecasts.length, 'no_cases')
}
