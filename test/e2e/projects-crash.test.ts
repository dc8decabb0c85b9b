import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createKey } from '../../src/access/keys.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import { projectPath } from '../../src/storage/project-files.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { toLines } from '../http/make-batch.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { callsOf, makeTrials } from './trials.ts'

const ITEMS = 60
const GOOD = Array.from({ length: ITEMS }, (_, run) => callsOf(run)).reduce((sum, n) => sum + n, 0)
const PROJECTS = ['one', 'two', 'default'] as const

/** Keys of a database on which no service runs yet. */
async function makeTokens(database: string): Promise<string[]> {
  const stores = openSqliteStores({ path: database })
  const made = PROJECTS.map((project) => createKey(stores.access, { name: project, project }, new Date()))
  const tokens = (await Promise.all(made)).map(({ token }) => token)
  await stores.close()
  return tokens
}

test('batches of several projects go on after a kill, each in its own file', async () => {
  const mock = await startMockCalls({ latency_ms: () => 40 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const tokens = await makeTokens(database)
  const settings = { database, config: { judges: judgeAt(mock.base_url, 6) }, env: { VERIDICT_ACCESS: 'on' } }
  const ask = async (origin: string, token: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
    const response = await fetch(`${origin}${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) })
    expect(response.ok, `${path} ${response.status}`).toBe(true)
    return (await response.json()) as Batch
  }

  const first = spawnService(settings)
  let origin = await first.ready
  const lines = toLines(makeTrials(ITEMS, 'mock'))
  const ids = await Promise.all(tokens.map(async (token) => (await ask(origin, token, '/v1/batches', lines)).id))
  const look = () => Promise.all(ids.map((id, at) => ask(origin, tokens[at] ?? '', `/v1/batches/${id}`)))
  const until = async (isWanted: (batches: readonly Batch[]) => boolean) => {
    for (const deadline = Date.now() + 25_000; ; ) {
      const batches = await look()
      if (isWanted(batches)) return batches
      if (Date.now() > deadline) throw new Error(`waited too long: ${JSON.stringify(batches)}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  // Each has begun, none has ended.
  const begun = await until((batches) => batches.every(({ counts }) => counts.pending < ITEMS - 3))
  expect(begun.every(({ status }) => status === 'running')).toBe(true)
  await first.kill()

  const second = spawnService(settings)
  origin = await second.ready
  const ended = await until((batches) => batches.every(({ status }) => status === 'done'))
  for (const { counts } of ended) expect(counts).toMatchObject({ total: ITEMS, failed: 0, cancelled: 0 })
  expect(await second.stop()).toBe(0)
  for (const project of PROJECTS) {
    const ledger = readLedger(projectPath(database, project))
    expect(ledger, project).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
    expect(ledger.outcomes['ok'], project).toBeGreaterThanOrEqual(GOOD)
  }
  expect(projectPath(database, 'one')).toBe(join(dirname(database), 'projects', 'one.sqlite'))
  expect([...first.output, ...second.output].join('')).not.toContain('vk_')
}, 60_000)
