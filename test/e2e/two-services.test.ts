import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { getBatch, getResults, postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, type Play, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { callsOf, labelOf, makeTrials } from './trials.ts'

const ITEMS = 120
const GOOD = Array.from({ length: ITEMS }, (_, run) => callsOf(run)).reduce((sum, n) => sum + n, 0)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function startTwo(play: () => Play = () => 'answer') {
  const mock = await startMockCalls({ latency_ms: () => 60, play })
  const database = join(tempFolder(), 'veridict.sqlite')
  const settings = { database, config: { judges: judgeAt(mock.base_url, 4) } }
  const first = spawnService(settings)
  await first.ready
  const second = spawnService(settings)
  await second.ready
  return { mock, database, first, second, origins: [await first.ready, await second.ready] as const }
}

/** How many calls each process has made. */
function callsByProcess(database: string): number[] {
  const db = new Database(database, { readonly: true })
  const rows = db.prepare('SELECT count(*) FROM attempts GROUP BY process').pluck().all() as number[]
  db.close()
  return rows
}

test('one of them runs the batch; when it is killed, the other takes over', async () => {
  const { mock, database, first, second, origins } = await startTwo()
  const { id } = await postBatch(origins[0], makeTrials(ITEMS, 'mock'))
  await sleep(800)
  const seen = await getBatch(origins[1], id)
  expect(seen.status).toBe('running')
  expect(callsByProcess(database)).toHaveLength(1)
  await first.kill()
  const killed = Date.now()
  const batch = await waitForEnd(origins[1], id, 25_000)
  const results = await getResults(origins[1], id)
  expect(await second.stop()).toBe(0)
  process.stdout.write(`two services: taken over and ended ${Date.now() - killed} ms after the kill\n`)
  expect(batch).toMatchObject({ status: 'done', counts: { failed: 0 } })
  expect(results.map((one) => one.label)).toEqual(Array.from({ length: ITEMS }, (_, run) => labelOf(run)))
  const ledger = readLedger(database)
  const { ok = 0, unknown = 0 } = ledger.outcomes
  expect(callsByProcess(database)).toHaveLength(2)
  expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(ok).toBe(GOOD)
  // What was in flight at the kill, four calls at the most.
  expect(unknown).toBeLessThanOrEqual(4)
  expect(batch.calls).toEqual({ made: ok + unknown, unknown })
  expect(mock.calls.length).toBeGreaterThanOrEqual(ok)
  expect(mock.calls.length).toBeLessThanOrEqual(ok + unknown)
}, 45_000)

test('a cancel that the other one hears reaches the one that runs it', async () => {
  const { mock, origins } = await startTwo()
  const { id } = await postBatch(origins[0], makeTrials(ITEMS, 'mock'))
  await sleep(300)
  expect((await postTo(origins[1], `/v1/batches/${id}/cancel`)).status).toBe(202)
  const batch = await waitUntil(origins[1], id, ({ status }) => status === 'cancelled', 5000)
  expect(batch.counts.cancelled).toBeGreaterThan(0)
  const made = mock.calls.length
  await sleep(300)
  expect(mock.calls).toHaveLength(made)
})

test('a batch that one has parked goes on at the other that is told to', async () => {
  let left = 20
  const { origins, database } = await startTwo(() =>
    left-- > 0 ? 'answer' : { status: 429, error: { code: 'insufficient_quota' } },
  )
  const { id } = await postBatch(origins[0], makeTrials(ITEMS, 'mock'))
  expect(await waitForEnd(origins[0], id)).toMatchObject({ status: 'parked' })
  left = 1000
  expect((await postTo(origins[1], `/v1/batches/${id}/resume`)).status).toBe(202)
  expect(await waitForEnd(origins[0], id)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  expect(callsByProcess(database)).toHaveLength(2)
})

/** A provider that asks for an hour parks the batch until then; whoever is told to go on need not be who asked. */
test('parked until a time by one, told to go on at the other', async () => {
  let left = 20
  const { origins, database } = await startTwo(() =>
    left-- > 0 ? 'answer' : { status: 429, error: { code: 'rate_limit_exceeded' }, headers: { 'retry-after': '3600' } },
  )
  const { id } = await postBatch(origins[0], makeTrials(ITEMS, 'mock'))
  expect(await waitForEnd(origins[0], id)).toMatchObject({ status: 'parked', resumes_at: expect.any(String) })
  left = 1000
  expect((await postTo(origins[1], `/v1/batches/${id}/resume`)).status).toBe(202)
  // Who is told has a lane of its own: the pause of the other one’s judge, a minute at most, is not waited for.
  const batch = await waitForEnd(origins[0], id, 30_000)
  expect(batch).toMatchObject({ status: 'done', resumes_at: null, counts: { failed: 0 } })
  expect(callsByProcess(database)).toHaveLength(2)
}, 40_000)
