import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PlayedProvider, spawnProvider } from '../played-provider.ts'
import { type RunningServer, startScript } from '../servers.ts'

/** A service and its provider, processes of their own, over a database of its own that goes with them. */
export interface SoakService extends RunningServer {
  readonly database: string
  readonly provider: PlayedProvider
}

const LATENCY_MS = 200
const AT_ONCE = 64

/** Patience is short, so that an outage shows within the run. */
const RETRY = { max_attempts: 3, deadline_ms: 8000, call_timeout_ms: 2000 }

export async function startSoakService(limits: object = {}): Promise<SoakService> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-soak-'))
  const database = join(folder, 'soak.sqlite')
  const config = join(folder, 'config.json')
  const concurrency = { initial: AT_ONCE, min: 4, max: AT_ONCE }
  writeFileSync(
    config,
    JSON.stringify({ retry: RETRY, concurrency, ...(Object.keys(limits).length > 0 && { limits }) }),
  )
  const provider = await spawnProvider(LATENCY_MS)
  const service = await startScript('src/server.ts', environment(database, config, provider.origin)).catch(
    async (error: unknown) => {
      await provider.stop()
      throw error
    },
  )
  return {
    ...service,
    database,
    provider,
    async stop() {
      await service.stop()
      await provider.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const environment = (database: string, config: string, origin: string): NodeJS.ProcessEnv => ({
  VERIDICT_PORT: '0',
  VERIDICT_HOST: '127.0.0.1',
  VERIDICT_DATABASE: database,
  VERIDICT_CONFIG: config,
  VERIDICT_LOG_LEVEL: 'info',
  ANTHROPIC_API_KEY: '',
  OPENAI_API_KEY: 'soak',
  OPENAI_BASE_URL: `${origin}/v1`,
  NODE_OPTIONS: `--import=${new URL('collect.mjs', import.meta.url)}`,
})
