import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { getBatch, getResults, postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, type MockCallOptions, startMockCalls } from './mock-calls.ts'
import { type ServiceSettings, spawnService, tempFolder } from './service-process.ts'

export { sleep }

/** The user of a service at an origin. Each look at a batch checks that its counts add up. */
export const userOf = (origin: string) => ({
  origin,
  post: (items: readonly object[], query?: string) => postBatch(origin, items, query),
  batch: (id: string) => getBatch(origin, id),
  results: (id: string) => getResults(origin, id),
  labels: async (id: string) => (await getResults(origin, id)).map(({ label }) => label),
  until: (id: string, isWanted: (batch: Batch) => boolean, most_ms?: number) =>
    waitUntil(origin, id, isWanted, most_ms),
  end: (id: string, most_ms?: number) => waitForEnd(origin, id, most_ms),
  /** Tells the service what to do with a batch, and expects that the service takes it. */
  async tell(id: string, what: 'cancel' | 'resume') {
    expect((await postTo(origin, `/v1/batches/${id}/${what}`)).status).toBe(202)
  },
})

/** Starts a service as a process, and waits until the service listens. */
export async function startService(settings: ServiceSettings) {
  const service = spawnService(settings)
  return { ...service, ...userOf(await service.ready) }
}

interface SceneOptions extends MockCallOptions {
  /** Calls in flight that the judge takes; by default 4. */
  readonly concurrency?: number
  /** Settings of the judge in place of those of `judgeAt`. */
  readonly judge?: object
  /** Settings of VERIDICT_CONFIG beside the judge. */
  readonly config?: object
  readonly env?: NodeJS.ProcessEnv
}

/** Makes a played provider, an empty SQLite file, and the services on the file. */
export async function makeScene({ concurrency = 4, judge, config: more, env = {}, ...played }: SceneOptions) {
  const mock = await startMockCalls(played)
  const folder = tempFolder()
  const database = join(folder, 'veridict.sqlite')
  const config = { judges: judgeAt(mock.base_url, concurrency, judge), ...more }
  const settings = { database, config, env }
  return {
    ...{ mock, calls: mock.calls, folder, database, config },
    /** Starts a service and does not wait until the service listens. */
    spawn: () => spawnService(settings),
    start: () => startService(settings),
    ledger: () => readLedger(database),
  }
}
