import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { makeTrials } from '../e2e/trials.ts'
import { toLines } from '../http/make-batch.ts'
import { walMib } from './machine.ts'
import { findBroken } from './stored-state.ts'
import { recordRow } from './sweep.ts'
import { ask, untilEnd } from './user.ts'

const ITEMS = 400

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
