import type { Statistic } from '../../schemas/agreement.ts'
import type { Rate } from '../../schemas/report.ts'
import { type BootstrapSettings, bootstrap } from './bootstrap.ts'
import { shareInterval, wilson } from './intervals.ts'

/** Tells whether a property holds for a trial; `unknown` trials are counted apart, trials `outside` of the measure are not. */
export type Outcome = boolean | 'outside' | 'unknown'

/** Sums of measures by cluster, true counting as 1: `k[c * width + m]` over the `n[c * width + m]` trials of cluster c that have a value of measure m. */
interface Tally {
  readonly width: number
  readonly clusters: number
  readonly k: Float64Array
  readonly n: Float64Array
  /** By measure. */
  readonly unknown: readonly number[]
}

/**
 * Sums the outcomes of trials by cluster. A trial without a cluster is a cluster of its own; named clusters stand in code-unit order, so that
 * the order in which trials were stored does not change the draws.
 */
export function tally<Row>(
  rows: readonly Row[],
  clusterOf: (row: Row) => string | null,
  outcomes: readonly ((row: Row) => Outcome | number)[],
): Tally {
  const named = new Set(rows.flatMap((row) => clusterOf(row) ?? []))
  const places = new Map([...named].sort().map((name, place) => [name, place]))
  const clusters = places.size + rows.filter((row) => clusterOf(row) === null).length
  const width = outcomes.length
  const k = new Float64Array(clusters * width)
  const n = new Float64Array(clusters * width)
  const unknown = outcomes.map(() => 0)
  let alone = places.size
  for (const row of rows) {
    const name = clusterOf(row)
    const start = (name === null ? alone++ : (places.get(name) ?? 0)) * width
    for (const [measure, outcomeOf] of outcomes.entries()) {
      const outcome = outcomeOf(row)
      if (outcome === 'unknown') unknown[measure] = (unknown[measure] ?? 0) + 1
      if (typeof outcome === 'string') continue
      n[start + measure] = (n[start + measure] ?? 0) + 1
      k[start + measure] = (k[start + measure] ?? 0) + Number(outcome)
    }
  }
  return { width, clusters, k, n, unknown }
}

/**
 * Returns a measure of a tally as a rate. The interval is Wilson’s where each cluster has one trial, else `shareInterval` with the
 * cluster-robust variance Σ_c (k_c − p n_c)² / n² (Liang and Zeger 1986).
 */
export function rateOf(counted: Tally, measure = 0): Rate {
  const units = clustersOf(counted, [measure]).map((start) => {
    const at = start + measure
    return { k: counted.k[at] ?? 0, n: counted.n[at] ?? 0 }
  })
  const k = units.reduce((sum, unit) => sum + unit.k, 0)
  const n = units.reduce((sum, unit) => sum + unit.n, 0)
  const counts = { k, n, unknown: counted.unknown[measure] ?? 0 }
  if (n === 0) return { value: null, ci95: null, ...counts, reason: 'no_cases' }
  const value = k / n
  if (units.length === n) return { value, ci95: wilson(value, n), ...counts, reason: null }
  const variance = units.reduce((sum, unit) => sum + (unit.k - value * unit.n) ** 2, 0) / n ** 2
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
  const counted = tally(
    rows,
    clusterOf,
    names.map((name) => (row) => outcomeOf(row, name)),
  )
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
  const starts = Int32Array.from(clustersOf(counted, measures))
  const value = of(measures.map((measure) => meanOf(counted, measure, starts, null)))
  if (value === null) return { value, ci95: null, reason: 'no_cases' }
  const [interval] = bootstrap(starts.length, settings, (weights) => [
    of(measures.map((measure) => meanOf(counted, measure, starts, weights))),
  ])
  return { value, ci95: interval?.ci95 ?? null, reason: interval?.reason ?? null }
}

/** Lists the offsets of the clusters in which a trial has a value of any of the measures. */
const clustersOf = ({ width, clusters, n }: Tally, measures: readonly number[]): number[] =>
  Array.from({ length: clusters }, (_, cluster) => cluster * width).filter((start) =>
    measures.some((measure) => (n[start + measure] ?? 0) > 0),
  )

/** Returns the mean over clusters, each counted as often as it was drawn; without weights once. */
function meanOf({ k, n }: Tally, measure: number, starts: Int32Array, weights: Uint32Array | null): number | null {
  let sum = 0
  let trials = 0
  for (let unit = 0; unit < starts.length; unit++) {
    const times = weights === null ? 1 : (weights[unit] ?? 0)
    const at = (starts[unit] ?? 0) + measure
    sum += times * (k[at] ?? 0)
    trials += times * (n[at] ?? 0)
  }
  return trials === 0 ? null : sum / trials
}

export const product = ([one = null, other = null]: Means): number | null =>
  one === null || other === null ? null : one * other

/** Returns the second mean minus the first. */
export const difference = ([first = null, second = null]: Means): number | null =>
  first === null || second === null ? null : second - first
