import { Pool } from 'undici'
import { AT_ONCE, trialLines } from './batch-run.ts'
import { spawnProvider } from './played-provider.ts'

/** What the provider and the loopback take by themselves: the same number of bodies, sent by undici and nothing else. */
export async function measureBare(items: number, latencyMs: number): Promise<{ over_ideal: number; cpu_ms: number }> {
  const provider = await spawnProvider(latencyMs)
  const bodies = [...trialLines(AT_ONCE)].map((line) => Buffer.from(line))
  const pool = new Pool(provider.origin, { connections: Math.ceil(AT_ONCE * 1.25) })
  let next = 0
  const client = async () => {
    for (let index = next++; index < items; index = next++) {
      const body = bodies[index % bodies.length] ?? Buffer.alloc(0)
      const headers = { 'content-type': 'application/json' }
      const answer = await pool.request({ path: '/v1/responses', method: 'POST', headers, body })
      await answer.body.json()
    }
  }
  try {
    const before = process.cpuUsage()
    const started = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, client))
    const wall = performance.now() - started
    const { user, system } = process.cpuUsage(before)
    return { over_ideal: wall / ((items / AT_ONCE) * latencyMs), cpu_ms: (user + system) / 1000 / items }
  } finally {
    await pool.close()
    await provider.stop()
  }
}
