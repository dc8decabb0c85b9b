import type { Metric, Registry } from 'prom-client'

const NAME = 'veridict_http_request_seconds'
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

interface Series {
  readonly labels: { readonly route: string; readonly method: string; readonly status: string }
  /** Of each bucket by itself; the last one has what took longer. */
  readonly counts: number[]
  sum: number
}

/** Counts a request by its labels. */
export type CountRequest = (route: string, method: string, status: number, seconds: number) => void

/**
 * The histogram of answers. One of `prom-client` checks, sorts and joins the labels of every observation, which costs as much as a hit
 * may cost altogether; there are few series, so each is found by route, then by method and status.
 */
export function countRequests(registry: Registry): CountRequest {
  const all: Series[] = []
  const byRoute = new Map<string, Map<string, Map<number, Series>>>()
  const add = (route: string, method: string, status: number): Series => {
    const made: Series = {
      labels: { route, method, status: String(status) },
      counts: new Array<number>(BUCKETS.length + 1).fill(0),
      sum: 0,
    }
    const byMethod = byRoute.get(route) ?? new Map<string, Map<number, Series>>()
    const byStatus = byMethod.get(method) ?? new Map<number, Series>()
    byRoute.set(route, byMethod.set(method, byStatus.set(status, made)))
    all.push(made)
    return made
  }
  const metric = {
    name: NAME,
    help: 'Time to answer, by route.',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: all.flatMap(valuesOf) }),
  }
  registry.registerMetric(metric as unknown as Metric)
  return (route, method, status, seconds) => {
    const series = byRoute.get(route)?.get(method)?.get(status) ?? add(route, method, status)
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket++
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += seconds
  }
}

/** Every bucket counts what is in those before it, too. */
function valuesOf({ labels, counts, sum }: Series) {
  let count = 0
  const buckets = counts.map((own, index) => {
    count += own
    return { metricName: `${NAME}_bucket`, labels: { le: BUCKETS[index] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ]
}
