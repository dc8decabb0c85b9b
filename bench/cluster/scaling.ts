import { sendBatch, waitForEnd } from '../batch-client.ts'
import { startCluster } from './cluster.ts'

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

/** Items a second with so many workers. */
export interface Throughput {
  readonly workers: number
  readonly per_second: number
}

/** The same number of trials for each number of workers, in turns over one PostgreSQL; the best of the rounds counts. */
export async function measureScaling(options: ScalingOptions, say: (line: string) => void): Promise<Throughput[]> {
  const best = new Map<number, number>()
  for (let round = 1; round <= options.rounds; round++)
    for (const workers of options.workers) {
      const rate = await measureOne(options, workers, round)
      best.set(workers, Math.max(best.get(workers) ?? 0, rate))
      say(`  ${workers} workers: ${rate.toFixed(1)} items a second`)
    }
  return [...best].map(([workers, per_second]) => ({ workers, per_second }))
}

async function measureOne(options: ScalingOptions, workers: number, round: number): Promise<number> {
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
    const starting = Date.now()
    await Promise.all(Array.from({ length: workers }, () => cluster.addWorker()))
    let [from, graded, at] = [0, 0, 0]
    // Starting up is not counted: from the first look at which something is graded to the last.
    await waitForEnd(origin, batch, 900, ({ counts }) => {
      if (counts.graded > 0 && from === 0) {
        from = Date.now()
        graded = counts.graded
      }
      at = Date.now()
    })
    if (from === 0) from = starting
    return ((items - graded) * 1000) / Math.max(1, at - from)
  } finally {
    await cluster.end()
  }
}

export function renderScaling(all: readonly Throughput[]): string {
  const one = all.find(({ workers }) => workers === 1)?.per_second ?? Number.NaN
  return all
    .map(({ workers, per_second }) => {
      const efficiency = per_second / one / workers
      return `${workers} workers: ${per_second.toFixed(1)} items a second, ${(per_second / one).toFixed(2)}x of one, efficiency ${(efficiency * 100).toFixed(0)} %`
    })
    .join('\n')
}
