import { readdirSync, statSync } from 'node:fs'
import { request } from 'undici'
import { readCost } from '../process-cost.ts'

/** The service as it is seen from outside, once a second. */
export interface Sample {
  readonly at: number
  readonly loop_p99_ms: number
  readonly heap_mb: number
  readonly anonymous_mb: number
  readonly handles: number
  readonly wal_mb: number
  readonly body_mb: number
  readonly refused: number
}

interface Watched {
  readonly origin: string
  readonly pid: number
  readonly database: string
}

const MB = 1024 * 1024

/** Looks every second until it is ended. A service that does not answer /metrics within the second has no sample then. */
export function watchService(service: Watched, seconds: () => number): { readonly samples: Sample[]; end(): void } {
  const samples: Sample[] = []
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    takeSample(service, seconds)
      .then(
        (sample) => void samples.push(sample),
        () => undefined,
      )
      .finally(() => {
        busy = false
      })
  }, 1000)
  return { samples, end: () => clearInterval(timer) }
}

export async function takeSample({ origin, pid, database }: Watched, seconds: () => number): Promise<Sample> {
  const metrics = await readMetrics(origin)
  return {
    at: seconds(),
    loop_p99_ms: (metrics.get('veridict_nodejs_eventloop_lag_p99_seconds') ?? 0) * 1000,
    heap_mb: (metrics.get('veridict_nodejs_heap_size_used_bytes') ?? 0) / MB,
    anonymous_mb: readCost(pid)?.anonymous_mb ?? Number.NaN,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    wal_mb: (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / MB,
    body_mb: (metrics.get('veridict_admitted{of="body_bytes"}') ?? 0) / MB,
    refused: sumOf(metrics, 'veridict_refused_total'),
  }
}

export type Metrics = ReadonlyMap<string, number>

export async function readMetrics(origin: string): Promise<Metrics> {
  const answer = await request(`${origin}/metrics`)
  const lines = (await answer.body.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** Over all series of a name whose labels hold every given text. */
export const sumOf = (metrics: Metrics, name: string, ...labels: readonly string[]): number =>
  [...metrics].reduce(
    (sum, [series, value]) =>
      series.startsWith(`${name}{`) && labels.every((label) => series.includes(label)) ? sum + value : sum,
    0,
  )
