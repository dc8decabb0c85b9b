import { Pool } from 'undici'

export interface LoadResult {
  readonly requests_per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** A closed loop: `connections` clients send `total` requests, bodies in rotation; every answer must have the status. */
export async function load(
  origin: string,
  path: string,
  bodies: readonly Buffer[],
  options: { readonly connections: number; readonly total: number; readonly status: readonly number[] },
): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: options.connections })
  const times: number[] = []
  let next = 0
  const client = async () => {
    for (let index = next++; index < options.total; index = next++) {
      const body = bodies[index % bodies.length] ?? Buffer.alloc(0)
      const started = performance.now()
      const answer = await pool.request({ path, method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const text = await answer.body.text()
      if (!options.status.includes(answer.statusCode))
        throw new Error(`HTTP ${answer.statusCode}: ${text.slice(0, 300)}`)
      times.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: options.connections }, client))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  return { requests_per_s: options.total / seconds, p50_ms: at(times, 0.5), p99_ms: at(times, 0.99) }
}

/** Of sorted values the one below which this share lies. */
export const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const median = (values: readonly number[]): number =>
  at(
    [...values].sort((a, b) => a - b),
    0.5,
  )
