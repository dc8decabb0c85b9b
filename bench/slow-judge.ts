import { join } from 'node:path'
import { load } from './load.ts'
import { makeRequest } from './make-body.ts'
import { startScript } from './servers.ts'
import { startSlowProvider } from './slow-provider.ts'

const LATENCY_MS = 1000

/** Different questions behind one judge that takes a second: wall time over what the judge alone needs, and hits meanwhile. */
export async function measureSlowJudge(folder: string, quick: boolean): Promise<void> {
  const provider = await startSlowProvider(LATENCY_MS)
  const service = await startScript('src/server.ts', {
    VERIDICT_PORT: '0',
    VERIDICT_HOST: '127.0.0.1',
    VERIDICT_DATABASE: join(folder, 'slow.sqlite'),
    VERIDICT_CONFIG: '',
    VERIDICT_LOG_LEVEL: 'info',
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: `${provider.origin}/v1`,
  })
  try {
    const rounds = quick ? 2 : 5
    for (const connections of [1, 16, 64]) {
      const total = connections * rounds
      const bodies = Array.from({ length: total }, (_, index) => encode(`slow-${connections}-${index}`))
      const started = performance.now()
      await load(service.origin, '/v1/grades', bodies, { connections, total, status: [201] })
      const wall = performance.now() - started
      const ideal = rounds * LATENCY_MS
      console.log(
        `  ${String(connections).padStart(3)} at once, ${total} requests: ${(wall / ideal).toFixed(3)}x of the judge’s own time, ${((wall - ideal) / rounds).toFixed(0)} ms a round of ${connections}`,
      )
    }
    console.log(`  calls of the judge: ${provider.calls()}`)
  } finally {
    await service.stop()
    await provider.stop()
  }
}

const encode = (salt: string): Buffer => Buffer.from(JSON.stringify(makeRequest(22_000, salt, { judge: 'openai' })))
