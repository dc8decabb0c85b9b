import { connect } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { makeTrials } from '../e2e/trials.ts'
import { toLines } from '../http/make-batch.ts'
import { isLinux, pidOf, residentMib, walMib } from './machine.ts'
import { findBroken } from './stored-state.ts'
import { recordRow } from './sweep.ts'
import { ask, untilEnd } from './user.ts'
import { sleep } from './victim.ts'

const ITEMS = 400
const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
if (!slow) process.stdout.write('faults: clients that never read are left out: set VERIDICT_SLOW_TESTS=1\n')

async function runBatch(origin: string, items: number, from = 0): Promise<Batch> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = toLines(makeTrials(from + items, 'lexical').slice(from))
  const { id } = (await ask<Batch>(origin, '/v1/batches', { method: 'POST', headers, body })).body
  return untilEnd(origin, id)
}

test('a reader that does not end: grading goes on, the log grows, and is short again after', async () => {
  const database = join(tempFolder(), 'veridict.sqlite')
  const service = spawnService({ database, config: {} })
  const origin = await service.ready
  expect(await runBatch(origin, ITEMS)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  const before = walMib(database)
  const reader = new Database(database, { readonly: true })
  reader.exec('BEGIN')
  const seen = reader.prepare('SELECT count(*) FROM grades').pluck().get()
  expect(await runBatch(origin, ITEMS, ITEMS)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  const during = walMib(database)
  // It sees what was there when it began.
  expect(reader.prepare('SELECT count(*) FROM grades').pluck().get()).toBe(seen)
  reader.exec('COMMIT')
  reader.close()
  expect(during).toBeGreaterThan(before)
  // The next commits write the log back, begin it anew and cut it to its limit.
  expect(await runBatch(origin, 50, 2 * ITEMS)).toMatchObject({ status: 'done', counts: { failed: 0 } })
  const after = walMib(database)
  expect(after).toBeLessThan(during)
  expect(after).toBeLessThanOrEqual(8.1)
  expect(await service.stop()).toBe(0)
  expect(walMib(database)).toBe(0)
  expect(findBroken(database)).toEqual([])
  const mib = (n: number) => n.toFixed(1)
  recordRow({
    operation: 'a read transaction that stays open',
    act: 'none',
    promise: `grading goes on; the log of the database: ${mib(before)} MiB before, ${mib(during)} with the reader, ${mib(after)} after it, 0 at rest`,
  })
}, 60_000)

/** A client that asks and never reads. */
function askAndNeverRead(origin: string, path: string): void {
  const { port } = new URL(origin)
  const socket = connect(Number(port), '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
  onTestFinished(() => void socket.destroy())
}

const READERS = 30
const LONG = 60_000

/** A batch of one item, grown in the file: what is measured is the reading. */
async function makeLongBatch(database: string): Promise<string> {
  const service = spawnService({ database, config: {} })
  const { id } = await runBatch(await service.ready, 1)
  await service.stop()
  const db = new Database(database)
  db.exec(`
    WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ${LONG})
    INSERT INTO batch_items (batch, idx, item_id, trajectory, request)
      SELECT batch, n, 'copy-' || n, trajectory, request FROM batch_items, more WHERE idx = 0;
    UPDATE batch_items SET status = 'graded', label = (SELECT label FROM batch_items WHERE idx = 0),
      grade_id = (SELECT grade_id FROM batch_items WHERE idx = 0) WHERE idx > 0;
    UPDATE batches SET total = total + ${LONG};`)
  db.close()
  return id
}

test.skipIf(!isLinux || !slow)(
  'clients that never read their results cost no memory',
  async () => {
    const database = join(tempFolder(), 'veridict.sqlite')
    const id = await makeLongBatch(database)
    const service = spawnService({ database, config: {} })
    const origin = await service.ready
    const size = (await (await fetch(`${origin}/v1/batches/${id}/results`)).text()).length
    const before = residentMib(pidOf(service))
    for (let n = 0; n < READERS; n++) {
      askAndNeverRead(origin, `/v1/batches/${id}/results`)
      askAndNeverRead(origin, `/v1/batches/${id}/events`)
    }
    await sleep(2000)
    const grown = residentMib(pidOf(service)) - before
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    const whole = (READERS * size) / 1024 / 1024
    process.stdout.write(
      `faults: ${READERS} clients that do not read: ${grown.toFixed(0)} MiB more, of ${whole.toFixed(0)} that they asked for\n`,
    )
    expect(grown).toBeLessThan(whole / 2)
    recordRow({
      operation: 'clients that never read results and events',
      act: 'none',
      promise: `${READERS} asked for ${whole.toFixed(0)} MiB in all; the service grew by ${Math.max(0, grown).toFixed(0)} MiB and answers others`,
    })
  },
  60_000,
)
