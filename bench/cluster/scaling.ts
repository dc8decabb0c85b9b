import { sendBatch, waitForEnd } from '../batch-client.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { readUse } from './costs.ts'

export interface ScalingOptions {
  readonly workers: readonly number[]
  readonly items: number
  readonly item_bytes: number
  readonly latency_ms: number
  readonly at_once: number
  /** What one worker takes at the most; null: as much as the judge’s limit allows. */
  readonly most_in_flight: number | null
  readonly rounds: number
  readonly fsync: boolean
}

/** Items a second with so many workers, and the processor time of an item in all processes. */
export interface Throughput {
  readonly workers: number
  readonly per_second: number
  readonly cpu_ms: number
}

/** The same number of trials for each number of workers, in turns over one PostgreSQL; the best of the rounds counts. */
export async function measureScaling(options: ScalingOptions, say: (line: string) => void): Promise<Throughput[]> {
  const best = new Map<number, Throughput>()
  for (let round = 1; round <= options.rounds; round++)
    for (const workers of options.workers) {
      const now = await measureOne(options, workers, round)
      if (now.per_second > (best.get(workers)?.per_second ?? 0)) best.set(workers, now)
      say(
        `  ${workers} workers: ${now.per_second.toFixed(1)} items a second, ${now.cpu_ms.toFixed(1)} ms of processors an item`,
      )
    }
  return [...best.values()]
}

async function measureOne(options: ScalingOptions, workers: number, round: number): Promise<Throughput> {
  const { items, item_bytes, latency_ms, at_once, most_in_flight, fsync } = options
  const limits = most_in_flight === null ? {} : { most_in_flight }
  const cluster = await startCluster({
    services: 1,
    workers: 0,
    latency_ms,
    at_once,
    fsync,
    settings: { workers: limits },
  })
  try {
    const origin = cluster.services[0]?.origin ?? ''
    const { id: batch } = await sendBatch(origin, items, item_bytes, `scale${round}w${workers}`)
    await Promise.all(Array.from({ length: workers }, () => cluster.addWorker()))
    // The start is not counted: from the first look at which an item is graded to the last look.
    const first = Promise.withResolvers<{ readonly at: number; readonly graded: number; readonly cpu_ms: number }>()
    let isFirst = true
    await waitForEnd(origin, batch, 900, ({ counts: { graded } }) => {
      if (graded > 0 && isFirst) {
        isFirst = false
        const at = Date.now()
        readCpu(cluster).then((cpu_ms) => first.resolve({ at, graded, cpu_ms }), first.reject)
      }
    })
    const at = Date.now()
    const begun = await first.promise
    const cpu_ms = ((await readCpu(cluster)) - begun.cpu_ms) / (items - begun.graded)
    return { workers, per_second: ((items - begun.graded) * 1000) / Math.max(1, at - begun.at), cpu_ms }
  } finally {
    await cluster.end()
  }
}

async function readCpu(cluster: Cluster): Promise<number> {
  const { service_s, worker_s, postgres } = await readUse(cluster)
  return (service_s + worker_s + postgres.cpu_s) * 1000
}

export function renderScaling(all: readonly Throughput[]): string {
  const one = all.find(({ workers }) => workers === 1)?.per_second ?? Number.NaN
  return all
    .map(({ workers, per_second, cpu_ms }) => {
      const efficiency = per_second / one / workers
      return `${workers} workers: ${per_second.toFixed(1)} items a second, ${(per_second / one).toFixed(2)}x of one, efficiency ${(efficiency * 100).toFixed(0)} %, ${((per_second * cpu_ms) / 1000).toFixed(2)} processors`
    })
    .join('\n')
}
