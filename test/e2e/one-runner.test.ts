import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { toLines } from '../http/make-batch.ts'
import type { Play } from './mock-calls.ts'
import { makeScene, sleep, startService } from './scene.ts'
import { spawnProgram, tempFolder } from './service-process.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const ITEMS = 120
const GOOD = callsOfAll(ITEMS)

async function startTwo(play: () => Play = () => 'answer') {
  const scene = await makeScene({ latency_ms: () => 60, play })
  return { ...scene, first: await scene.start(), second: await scene.start() }
}

/** How many calls each process has made. */
function callsByProcess(database: string): number[] {
  const db = new Database(database, { readonly: true })
  const rows = db.prepare('SELECT count(*) FROM attempts GROUP BY process').pluck().all() as number[]
  db.close()
  return rows
}

test('a cancel that the other one hears reaches the one that runs it', async () => {
  const { calls, first, second } = await startTwo()
  const { id } = await first.post(makeTrials(ITEMS, 'mock'))
  await sleep(300)
  await second.tell(id, 'cancel')
  const batch = await second.until(id, ({ status }) => status === 'cancelled')
  expect(batch.counts.cancelled).toBeGreaterThan(0)
  const made = calls.length
  await sleep(300)
  expect(calls).toHaveLength(made)
})

test('a batch that its runner has parked goes on where another service is told to', async () => {
  let left = 20
  const { first, second, database } = await startTwo(() =>
    left-- > 0 ? 'answer' : { status: 429, error: { code: 'insufficient_quota' } },
  )
  const { id } = await first.post(makeTrials(ITEMS, 'mock'))
  expect(await first.end(id)).toMatchObject({ status: 'parked' })
  left = 1000
  await second.tell(id, 'resume')
  expect(await first.end(id)).toMatchObject({ status: 'done', counts: { failed: 0 } })
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
  const { start, calls, database, config, ledger: read } = await makeScene({ latency_ms: () => 60 })
  const service = await start()
  const command = spawnBatch(database, config, makeTrials(ITEMS, 'mock'))
  await command.ready
  while (calls.length < 20) await sleep(20)
  expect(callsByProcess(database)).toHaveLength(1)
  await service.kill()
  // Some items stay unverified.
  expect(await command.exited).toBe(2)
  expect(labelsIn(command.output)).toEqual(LABELS)
  expect(callsByProcess(database)).toHaveLength(2)
  const { outcomes, ...ledger } = read()
  expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect([outcomes['ok'], outcomes['sent']]).toEqual([GOOD, undefined])
  expect(outcomes['unknown'] ?? 0).toBeLessThanOrEqual(4)
})

test('a command runs the batches of a service beside it; when the command is killed, the service takes over', async () => {
  const { start, calls, database, config, ledger } = await makeScene({ latency_ms: () => 60 })
  const command = spawnBatch(database, config, makeTrials(ITEMS, 'mock'))
  const id = await command.ready
  while (calls.length === 0) await sleep(20)
  const service = await start()
  const other = await service.post(makeTrials(6, 'mock'), '?key=other')
  expect(await service.end(other.id)).toMatchObject({ status: 'done' })
  expect(callsByProcess(database)).toHaveLength(1)
  await command.kill()
  expect(await service.end(id)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  expect(callsByProcess(database)).toHaveLength(2)
  expect(ledger()).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(await service.stop()).toBe(0)
})

test('Ctrl-C of a command parks its batch, which the service beside it runs', async () => {
  const { start, calls, database, config } = await makeScene({ latency_ms: () => 60 })
  const service = await start()
  const command = spawnBatch(database, config, makeTrials(ITEMS, 'mock'))
  const id = await command.ready
  while (calls.length < 8) await sleep(20)
  command.child.kill('SIGINT')
  expect(await command.exited).toBe(130)
  expect(await service.batch(id)).toMatchObject({ status: 'parked', resumes_at: null })
  await sleep(1000)
  const made = calls.length
  await sleep(1000)
  expect(calls).toHaveLength(made)
  expect(made).toBeLessThan(GOOD)
})

test('the runner has not the judge of a command beside it: the batch waits and says so, and goes on where a process has it', async () => {
  const { start, calls, database, config } = await makeScene({ latency_ms: () => 5 })
  const service = await startService({ database, config: {} })
  const command = spawnBatch(database, config, makeTrials(12, 'mock'))
  const id = await command.ready
  const waiting = { status: 'running', parked_reason: 'waiting: no worker for mock' }
  await service.until(id, ({ parked_reason }) => parked_reason !== null)
  expect(await command.exited).toBe(4)
  expect(command.output.join('')).toContain('waiting: no worker for mock')
  expect(await service.batch(id)).toMatchObject(waiting)
  expect(await service.stop()).toBe(0)
  expect(calls).toHaveLength(0)
  const batch = await (await start()).end(id)
  expect(batch).toMatchObject({ status: 'done', parked_reason: null, counts: { failed: 0 } })
})
