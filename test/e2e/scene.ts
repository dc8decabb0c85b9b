import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { isSettled } from '../../src/client/persist.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { expectSum, readLines, toLines } from '../http/make-batch.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, type MockCallOptions, startMockCalls } from './mock-calls.ts'
import { type ServiceSettings, spawnService, tempFolder } from './service-process.ts'

export { sleep }

/** The user of the HTTP API of a service. Each look at a batch expects that the counts of the batch add up. */
export function userOf(origin: string) {
  const ask = async (path: string, status: number, init?: RequestInit) => {
    const response = await fetch(`${origin}/v1/batches${path}`, init)
    const text = await response.text()
    expect(response.status, text).toBe(status)
    return text
  }
  const batch = async (id: string) => {
    const found = JSON.parse(await ask(`/${id}`, 200)) as Batch
    expectSum(found)
    return found
  }
  /** Looks until the batch is as wanted. The time is only for a batch that hangs: a loaded machine takes minutes. */
  const until = async (id: string, isWanted: (batch: Batch) => boolean, most_ms = 300_000) => {
    for (const deadline = Date.now() + most_ms; ; await sleep(50)) {
      const found = await batch(id)
      if (isWanted(found)) return found
      if (Date.now() > deadline) throw new Error(`waited too long: ${JSON.stringify(found)}`)
    }
  }
  const results = async (id: string) => readLines<BatchResult>(await ask(`/${id}/results`, 200))
  return {
    ...{ origin, batch, until, results },
    async post(items: readonly object[], query = '') {
      const headers = { 'content-type': 'application/x-ndjson' }
      return JSON.parse(await ask(query, 202, { method: 'POST', headers, body: toLines(items) })) as Batch
    },
    labels: async (id: string) => (await results(id)).map(({ label }) => label),
    end: (id: string) => until(id, isSettled),
    /** Tells the service what to do with a batch, and expects that the service takes it. */
    tell: async (id: string, what: 'cancel' | 'resume') => void (await ask(`/${id}/${what}`, 202, { method: 'POST' })),
  }
}

/** What two runs of the same batch must have in common. */
export const verdictsOf = (results: readonly BatchResult[]) =>
  results.map(({ item_id, status, label, failure }) => ({ item_id, status, label, failure: failure?.code ?? null }))

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
