import { request } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { toLines } from '../http/make-batch.ts'
import { postBatch, waitForEnd } from './batch-client.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { callsOfAll, makeTrials } from './trials.ts'

const ITEMS = 300
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends the first lines of a batch and keeps the connection open. */
function sendHalf(origin: string, lines: string): Promise<'lost'> {
  return new Promise((resolve) => {
    const sending = request(`${origin}/v1/batches?key=k`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    sending.on('error', () => resolve('lost'))
    sending.write(lines)
  })
}

function countRows(database: string): number {
  const db = new Database(database, { readonly: true })
  const rows = db.prepare('SELECT count(*) FROM batch_items').pluck().get() as number
  db.close()
  return rows
}

test('killed while a batch is still arriving: nobody sees a part of it, nothing is asked, and it can be sent again', async () => {
  const mock = await startMockCalls({ latency_ms: () => 5 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const settings = { database, config: { judges: judgeAt(mock.base_url, 16) } }
  const first = spawnService(settings)
  const trials = makeTrials(ITEMS, 'mock')
  const lost = sendHalf(await first.ready, toLines(trials.slice(0, 200)))
  while (countRows(database) < 128) await sleep(20)
  await first.kill()
  expect(await lost).toBe('lost')
  expect(countRows(database)).toBeGreaterThan(0)

  const second = spawnService(settings)
  const origin = await second.ready
  expect(await (await fetch(`${origin}/v1/batches?key=k`)).json()).toMatchObject({ items: [] })
  const { id } = await postBatch(origin, trials, '?key=k')
  expect(await waitForEnd(origin, id)).toMatchObject({ status: 'done', counts: { total: ITEMS, failed: 0 } })
  expect(await second.stop()).toBe(0)
  // What was left of the part is gone.
  expect(countRows(database)).toBe(ITEMS)
  expect(mock.calls).toHaveLength(callsOfAll(ITEMS))
})
