import type { Statistic } from '../../schemas/audit/agreement.ts'
import type { Rate } from '../../schemas/audit/report.ts'
import { type BootstrapInterval, type BootstrapSettings, bootstrap } from './bootstrap.ts'
import { wilson, wilsonOf } from './intervals.ts'

/** Whether something holds for a trial: it may lie outside of what is asked, or not be known. */
export type Outcome = boolean | 'outside' | 'unknown'

/** Counts of one or more rates by cluster: `k[c * width + m]` of `n[c * width + m]` trials of cluster c count for measure m. */
interface Tally {
  readonly width: number
  readonly clusters: number
  readonly k: Float64Array
  readonly n: Float64Array
  /** By measure. */
  readonly unknown: readonly number[]
}

/**
 * Counts what holds, by cluster. Trials without a cluster are clusters of their own; the others stand in code-unit order, so that the
 * order in which trials were stored does not change the draws. Linear in the rows, but for that sort.
 */
export function tally<Row>(
  rows: readonly Row[],
  clusterOf: (row: Row) => string | null,
  outcomes: readonly ((row: Row) => Outcome)[],
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
      if (outcome === 'outside') continue
      if (outcome === 'unknown') {
        unknown[measure] = (unknown[measure] ?? 0) + 1
        continue
      }
      n[start + measure] = (n[start + measure] ?? 0) + 1
      if (outcome) k[start + measure] = (k[start + measure] ?? 0) + 1
    }
  }
  return { width, clusters, k, n, unknown }
}

interface Totals {
  readonly k: number
  readonly n: number
  /** Clusters with a trial that could count, and the most trials that one of them has. */
  readonly clusters: number
  readonly most: number
}

function totalsOf({ width, clusters, k, n }: Tally, measure: number): Totals {
  const totals = { k: 0, n: 0, clusters: 0, most: 0 }
  for (let cluster = 0; cluster < clusters; cluster++) {
    const at = cluster * width + measure
    const trials = n[at] ?? 0
    totals.k += k[at] ?? 0
    totals.n += trials
    totals.most = Math.max(totals.most, trials)
    if (trials > 0) totals.clusters++
  }
  return totals
}

/** Every measure of the tally as a rate with its interval; measures of the same clusters are resampled in the same draws. */
export function ratesOf(counted: Tally, settings: BootstrapSettings): Rate[] {
  const measures = Array.from({ length: counted.width }, (_, measure) => measure)
  const rates = measures.map((measure) => plainRate(counted, measure))
  const open = measures.filter((measure) => rates[measure]?.method === undefined)
  const alike = Map.groupBy(open, (measure) => usedBy(counted, [measure]).join())
  const drawn = new Map<number, Interval>()
  for (const group of alike.values()) {
    const starts = usedBy(counted, group)
    const intervals = resampled(starts, settings, (weights) =>
      group.map((measure) => drawnRate(starts, weights, counted, measure)),
    )
    for (const [index, measure] of group.entries()) drawn.set(measure, intervals[index] ?? NO_UNITS)
  }
  return rates.map((rate, measure) => withInterval(rate, drawn.get(measure) ?? NO_UNITS))
}

/** How often each of several outcomes is that of a trial, by name. */
export function sharesOf<Row, Name extends string>(
  rows: readonly Row[],
  names: readonly Name[],
  outcomeOf: (row: Row, name: Name) => Outcome,
  clusterOf: (row: Row) => string | null,
  settings: BootstrapSettings,
): Record<Name, Rate> {
  const outcomes = names.map((name) => (row: Row) => outcomeOf(row, name))
  const rates = ratesOf(tally(rows, clusterOf, outcomes), settings)
  return Object.fromEntries(names.map((name, index) => [name, rates[index]])) as Record<Name, Rate>
}

/**
 * One rate. Wilson’s interval where no cluster has two trials. Where all or none of the trials count, resampling would answer that it
 * is certain: then Wilson’s as if each cluster were one trial, which is the cautious end of what clustering can do.
 */
export function rateOf(counted: Tally, measure: number, settings: BootstrapSettings): Rate {
  const rate = plainRate(counted, measure)
  if (rate.method !== undefined) return rate
  const starts = usedBy(counted, [measure])
  const [interval] = resampled(starts, settings, (weights) => [drawnRate(starts, weights, counted, measure)])
  return withInterval(rate, interval ?? NO_UNITS)
}

/** A rate whose interval has to be drawn. */
type Undrawn = Pick<Rate, 'k' | 'n' | 'unknown'> & { readonly value: number; readonly method?: never }
type Interval = Pick<BootstrapInterval, 'ci95' | 'reason'>
const NO_UNITS: Interval = { ci95: null, reason: 'too_few_units' }

const withInterval = (rate: Rate | Undrawn, { ci95, reason }: Interval): Rate =>
  rate.method === undefined ? { ...rate, ci95, method: ci95 === null ? 'none' : 'cluster_bootstrap', reason } : rate

/** The rate, with its interval unless that has to be drawn. */
function plainRate(counted: Tally, measure: number): Rate | Undrawn {
  const { k, n, clusters, most } = totalsOf(counted, measure)
  const base = { k, n, unknown: counted.unknown[measure] ?? 0 }
  if (n === 0) return { value: null, ...base, ci95: null, method: 'none', reason: 'no_cases' }
  const value = k / n
  if (most === 1) return { value, ci95: wilson(k, n).ci95, ...base, method: 'wilson', reason: null }
  if (clusters < 2) return { value, ...base, ci95: null, method: 'none', reason: 'too_few_units' }
  if (k === 0 || k === n) {
    const { ci95 } = wilson(k === 0 ? 0 : clusters, clusters)
    return { value, ci95, ...base, method: 'wilson_of_tasks', reason: null }
  }
  const few = fewerSide(counted, measure)
  if (few < FEW_CLUSTERS) {
    const size = effectiveSize(counted, measure, k, n, clusters)
    // So few that how alike the trials of a task are cannot be told: as if they were all the same.
    const ci95 = wilsonOf(value, few < VERY_FEW_CLUSTERS ? Math.min(size, clusters) : size)
    return { value, ci95, ...base, method: 'wilson_effective', reason: null }
  }
  return { value, ...base }
}

/** Resampling fewer tasks than this, with the event or without it, makes intervals too narrow (`npm run bench:coverage`). */
const FEW_CLUSTERS = 10
const VERY_FEW_CLUSTERS = 4

/** Tasks with a trial that counts, or with one that does not: the fewer of both. */
function fewerSide({ width, clusters, k, n }: Tally, measure: number): number {
  let having = 0
  let lacking = 0
  for (let cluster = 0; cluster < clusters; cluster++) {
    const at = cluster * width + measure
    if ((k[at] ?? 0) > 0) having++
    if ((n[at] ?? 0) > (k[at] ?? 0)) lacking++
  }
  return Math.min(having, lacking)
}

/**
 * So many independent trials would tell as much: p(1 − p)/se², with the cluster-robust se; never more than there are
 * (Kott & Carr 1997, J Official Statistics 13:409; Dean & Pagano 2015).
 */
function effectiveSize({ width, clusters, k, n }: Tally, measure: number, hits: number, trials: number, used: number) {
  const p = hits / trials
  let squares = 0
  for (let cluster = 0; cluster < clusters; cluster++) {
    const at = cluster * width + measure
    squares += ((k[at] ?? 0) - p * (n[at] ?? 0)) ** 2
  }
  const variance = (squares / trials ** 2) * (used / (used - 1))
  return Math.min(trials, (p * (1 - p)) / variance)
}

/** A statistic of several rates, all resampled in the same draws. */
export function combine(
  counted: Tally,
  measures: readonly number[],
  settings: BootstrapSettings,
  of: (rates: readonly (number | null)[]) => number | null,
): Statistic {
  const value = of(
    measures.map((measure) => {
      const { k, n } = totalsOf(counted, measure)
      return n === 0 ? null : k / n
    }),
  )
  if (value === null) return { value, ci95: null, reason: 'no_cases' }
  const starts = usedBy(counted, measures)
  const [interval = NO_UNITS] = resampled(starts, settings, (weights) => [
    of(measures.map((measure) => drawnRate(starts, weights, counted, measure))),
  ])
  return { value, ci95: interval.ci95, reason: interval.reason }
}

/** Where the clusters begin in which any of the measures has a trial. */
function usedBy({ width, clusters, n }: Tally, measures: readonly number[]): Int32Array {
  const starts = Array.from({ length: clusters }, (_, cluster) => cluster * width)
  return Int32Array.from(starts.filter((start) => measures.some((measure) => (n[start + measure] ?? 0) > 0)))
}

const resampled = (
  starts: Int32Array,
  settings: BootstrapSettings,
  statistics: Parameters<typeof bootstrap>[2],
): readonly Interval[] => (starts.length < 2 ? [] : bootstrap(starts.length, settings, statistics))

function drawnRate(starts: Int32Array, weights: Uint32Array, { k, n }: Tally, measure: number): number | null {
  let hits = 0
  let trials = 0
  for (let unit = 0; unit < starts.length; unit++) {
    const times = weights[unit] ?? 0
    if (times === 0) continue
    const at = (starts[unit] ?? 0) + measure
    hits += times * (k[at] ?? 0)
    trials += times * (n[at] ?? 0)
  }
  return trials === 0 ? null : hits / trials
}

export const product = ([one = null, other = null]: readonly (number | null)[]): number | null =>
  one === null || other === null ? null : one * other

/** The second minus the first. */
export const difference = ([first = null, second = null]: readonly (number | null)[]): number | null =>
  first === null || second === null ? null : second - first
