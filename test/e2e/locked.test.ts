import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { getResults, postBatch, waitForEnd, waitUntil } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const ITEMS = 300
const GOOD = callsOfAll(ITEMS)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Somebody else writes for longer than a service waits for the lock: a backup, say. */
test('a file that is locked for a while: no reply is lost, none is paid twice, and the batch goes on', async () => {
  const mock = await startMockCalls({ latency_ms: ({ nth }) => 20 + ((nth * 17) % 60) })
  const database = join(tempFolder(), 'veridict.sqlite')
  const service = spawnService({ database, config: { judges: judgeAt(mock.base_url, 12) } })
  const origin = await service.ready
  const { id } = await postBatch(origin, makeTrials(ITEMS, 'mock'))
  await waitUntil(origin, id, ({ counts }) => counts.graded > 5)
  const other = new Database(database)
  other.exec('BEGIN IMMEDIATE')
  await sleep(7000)
  other.exec('COMMIT')
  other.close()
  const batch = await waitForEnd(origin, id, 30_000)
  const results = await getResults(origin, id)
  expect(await service.stop()).toBe(0)
  expect(batch).toMatchObject({ status: 'done', counts: { failed: 0 }, calls: { made: GOOD, unknown: 0 } })
  expect(results.map((one) => one.label)).toEqual(labelsOf(ITEMS))
  expect(readLedger(database)).toMatchObject({ outcomes: { ok: GOOD }, grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(mock.calls).toHaveLength(GOOD)
}, 60_000)
