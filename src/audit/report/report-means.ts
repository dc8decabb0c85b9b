import { bootstrap } from '../../domain/statistics/bootstrap.ts'
import type { Mean } from '../../schemas/audit/report.ts'
import type { GroupOptions, TrialRow } from './report-rows.ts'

/** The mean of a number over trials, with an interval over resampled clusters; trials without a number are counted. */
export function meanOf(
  trials: readonly TrialRow[],
  numberOf: (trial: TrialRow) => number | null,
  { clusterOf, draws, seed }: GroupOptions,
): Mean {
  const clusters = new Map<string, { sum: number; n: number }>()
  let [sum, n] = [0, 0]
  for (const [index, trial] of trials.entries()) {
    const value = numberOf(trial)
    if (value === null) continue
    const name = clusterOf(trial) ?? `trial ${index}`
    const cluster = clusters.get(name) ?? { sum: 0, n: 0 }
    cluster.sum += value
    cluster.n += 1
    clusters.set(name, cluster)
    sum += value
    n += 1
  }
  const counts = { n, unknown: trials.length - n }
  if (n === 0) return { value: null, ci95: null, ...counts, reason: 'no_cases' }
  const value = sum / n
  const units = [...clusters].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster)
  if (units.length < 2) return { value, ci95: null, ...counts, reason: 'too_few_units' }
  const [interval] = bootstrap(units.length, { draws, seed }, (weights) => [drawnMean(units, weights)])
  const { ci95 = null, reason = null } = interval ?? {}
  return { value, ci95, ...counts, reason }
}

/** A cluster has a trial at least: no draw is of none. */
function drawnMean(units: readonly { readonly sum: number; readonly n: number }[], weights: Uint32Array): number {
  let [sum, n] = [0, 0]
  for (const [unit, one] of units.entries()) {
    const times = weights[unit] ?? 0
    sum += times * one.sum
    n += times * one.n
  }
  return sum / n
}
