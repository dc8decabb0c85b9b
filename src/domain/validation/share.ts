import type { Share } from '../../schemas/audit/certificate.ts'
import { BOOTSTRAP, bootstrap } from '../statistics/bootstrap.ts'
import { wilson } from '../statistics/intervals.ts'

/**
 * The share of items that fit. Wilson's interval where items are independent; where some share a cluster, whole clusters are resampled. A share of
 * 0 or 1 does not vary in resamples: its interval is Wilson's over clusters, as if each were one item.
 */
export function shareOf<T extends { readonly cluster: string | null }>(
  items: readonly T[],
  fits: (item: T) => boolean,
): Share {
  const clusters = clustersOf(items).map((some) => ({ n: some.length, count: some.filter(fits).length }))
  const count = clusters.reduce((sum, one) => sum + one.count, 0)
  const n = items.length
  if (n === 0) return { n, count, share: null, ci95: null, method: null }
  const base = { n, count, share: count / n }
  if (clusters.length === n) return { ...base, ci95: wilson(count, n).ci95, method: 'wilson' }
  const [interval] = bootstrap(clusters.length, BOOTSTRAP, (weights) => {
    let [drawn, fit] = [0, 0]
    clusters.forEach((one, index) => {
      drawn += (weights[index] ?? 0) * one.n
      fit += (weights[index] ?? 0) * one.count
    })
    return [drawn === 0 ? null : fit / drawn]
  })
  if (interval?.ci95) return { ...base, ci95: interval.ci95, method: 'cluster_bootstrap' }
  const isEnd = count === 0 || count === n
  return isEnd
    ? { ...base, ci95: wilson(count === 0 ? 0 : clusters.length, clusters.length).ci95, method: 'wilson' }
    : { ...base, ci95: null, method: null }
}

/** Items by cluster; one that names none is a cluster of its own. */
export function clustersOf<T extends { readonly cluster: string | null }>(items: readonly T[]): (readonly T[])[] {
  const named = Map.groupBy(
    items.filter(({ cluster }) => cluster !== null),
    ({ cluster }) => cluster,
  )
  return [...named.values(), ...items.filter(({ cluster }) => cluster === null).map((one) => [one])]
}
