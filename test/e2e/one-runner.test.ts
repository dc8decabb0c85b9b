import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { toLines } from '../http/make-batch.ts'
import { getBatch, getResults, postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, type Play, startMockCalls } from './mock-calls.ts'
import { spawnProgram, spawnService, tempFolder } from './service-process.ts'
import { callsOf, callsOfAll, labelsOf, makeTrials } from './trials.ts'

const ITEMS = 120
const GOOD = callsOfAll(ITEMS)
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

test('one of two services runs the batches of both; when it is killed, the other takes over', async () => {
  const { mock, database, first, second, origins } = await startTwo()
  const small = await postBatch(origins[1], makeTrials(6, 'mock'))
  expect(await waitForEnd(origins[1], small.id)).toMatchObject({ status: 'done' })
  const calls = [0, 1, 2, 3, 4, 5].reduce((sum, run) => sum + callsOf(run), 0)
  const { id } = await postBatch(origins[0], makeTrials(ITEMS, 'mock'))
  await sleep(800)
  const seen = await getBatch(origins[1], id)
  expect(seen.status).toBe('running')
  // The other service counts the calls of the runner.
  await waitUntil(origins[1], id, ({ counts }) => counts.running > 0, 5000)
  expect(callsByProcess(database)).toHaveLength(1)
  expect(mock.calls.length).toBeGreaterThan(calls)
  await first.kill()
  const killed = Date.now()
  const batch = await waitForEnd(origins[1], id, 25_000)
  const results = await getResults(origins[1], id)
  expect(await second.stop()).toBe(0)
  process.stdout.write(`two services: taken over and ended ${Date.now() - killed} ms after the kill\n`)
  expect(batch).toMatchObject({ status: 'done', counts: { failed: 0 } })
  expect(results.map((one) => one.label)).toEqual(labelsOf(ITEMS))
  const ledger = readLedger(database)
  const { ok = 0, unknown = 0 } = ledger.outcomes
  expect(callsByProcess(database)).toHaveLength(2)
  expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(ok).toBe(GOOD)
  // What was in flight at the kill, four calls at the most.
  expect(unknown).toBeLessThanOrEqual(4)
  expect(batch.calls).toEqual({ made: ok + unknown - calls, unknown })
  expect(mock.calls.length).toBeGreaterThanOrEqual(ok)
  expect(mock.calls.length).toBeLessThanOrEqual(ok + unknown)
}, 90_000)

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

test('a batch that its runner has parked goes on where another service is told to', async () => {
  let left = 20
  const { origins, database } = await startTwo(() =>
    left-- > 0 ? 'answer' : { status: 429, error: { code: 'insufficient_quota' } },
  )
  const { id } = await postBatch(origins[0], makeTrials(ITEMS, 'mock'))
  expect(await waitForEnd(origins[0], id)).toMatchObject({ status: 'parked' })
  left = 1000
  expect((await postTo(origins[1], `/v1/batches/${id}/resume`)).status).toBe(202)
  expect(await waitForEnd(origins[0], id)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  expect(callsByProcess(database)).toHaveLength(1)
})

/** Starts `veridict batch` over trials of a file, on the database of the services. */
function spawnBatch(database: string, config: object, trials: readonly object[], ...args: string[]) {
  const paths = join(tempFolder(), 'trials.ndjson')
  writeFileSync(paths, toLines(trials))
  const file = `${paths}.config.json`
  return spawnProgram(
    ['src/cli.ts', ...(args.length > 0 ? args : ['batch', paths, '-o', 'ndjson'])],
    { file, config },
    { VERIDICT_DATABASE: database },
    (printed) => /bat_\w+/.exec(printed)?.[0],
  )
}

const LABELS = labelsOf(ITEMS)
const labelsIn = (output: readonly string[]) =>
  output
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { label: string | null }).label)

test('the service runs the batch of a command beside it; when the service is killed, the command takes over', async () => {
  const mock = await startMockCalls({ latency_ms: () => 60 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const config = { judges: judgeAt(mock.base_url, 4) }
  const service = spawnService({ database, config })
  await service.ready
  const command = spawnBatch(database, config, makeTrials(ITEMS, 'mock'))
  await command.ready
  const begun = Date.now()
  while (mock.calls.length < 20) await sleep(20)
  expect(Date.now() - begun).toBeLessThan(5000)
  expect(callsByProcess(database)).toHaveLength(1)
  await service.kill()
  // Some items stay unverified.
  expect(await command.exited).toBe(2)
  expect(labelsIn(command.output)).toEqual(LABELS)
  expect(callsByProcess(database)).toHaveLength(2)
  const { outcomes, ...ledger } = readLedger(database)
  expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect([outcomes['ok'], outcomes['sent']]).toEqual([GOOD, undefined])
  expect(outcomes['unknown'] ?? 0).toBeLessThanOrEqual(4)
}, 90_000)

test('a command runs the batches of a service beside it; when the command is killed, the service takes over', async () => {
  const mock = await startMockCalls({ latency_ms: () => 60 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const config = { judges: judgeAt(mock.base_url, 4) }
  const command = spawnBatch(database, config, makeTrials(ITEMS, 'mock'))
  const id = await command.ready
  while (mock.calls.length === 0) await sleep(20)
  const service = spawnService({ database, config })
  const origin = await service.ready
  const other = await postBatch(origin, makeTrials(6, 'mock'), '?key=other')
  expect(await waitForEnd(origin, other.id)).toMatchObject({ status: 'done' })
  expect(callsByProcess(database)).toHaveLength(1)
  await command.kill()
  expect(await waitForEnd(origin, id, 25_000)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  expect(callsByProcess(database)).toHaveLength(2)
  expect(readLedger(database)).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(await service.stop()).toBe(0)
}, 90_000)

test('Ctrl-C of a command parks its batch, which the service beside it runs', async () => {
  const mock = await startMockCalls({ latency_ms: () => 60 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const config = { judges: judgeAt(mock.base_url, 4) }
  const service = spawnService({ database, config })
  const origin = await service.ready
  const command = spawnBatch(database, config, makeTrials(ITEMS, 'mock'))
  const id = await command.ready
  while (mock.calls.length < 8) await sleep(20)
  command.child.kill('SIGINT')
  expect(await command.exited).toBe(130)
  expect(await getBatch(origin, id)).toMatchObject({ status: 'parked', resumes_at: null })
  await sleep(1000)
  const made = mock.calls.length
  await sleep(1000)
  expect(mock.calls).toHaveLength(made)
  expect(made).toBeLessThan(GOOD)
})

test('the runner has not the judge of a command beside it: the batch waits and says so, and goes on where a process has it', async () => {
  const mock = await startMockCalls({ latency_ms: () => 5 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const config = { judges: judgeAt(mock.base_url, 4) }
  const service = spawnService({ database, config: {} })
  const origin = await service.ready
  const command = spawnBatch(database, config, makeTrials(12, 'mock'))
  const id = await command.ready
  const waiting = { status: 'running', parked_reason: 'waiting: no worker for mock' }
  await waitUntil(origin, id, ({ parked_reason }) => parked_reason !== null, 5000)
  expect(await command.exited).toBe(4)
  expect(command.output.join('')).toContain('waiting: no worker for mock')
  expect(await getBatch(origin, id)).toMatchObject(waiting)
  expect(await service.stop()).toBe(0)
  expect(mock.calls).toHaveLength(0)
  const second = spawnService({ database, config })
  const batch = await waitForEnd(await second.ready, id)
  expect(batch).toMatchObject({ status: 'done', parked_reason: null, counts: { failed: 0 } })
}, 90_000)
