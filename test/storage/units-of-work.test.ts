import { describe, expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { readSpent } from './contract-spending.ts'
import { begin, finishOk, goodReply, planAttempt } from './make-attempt.ts'
import { AT, openBatch, readBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { openSqlite, type RunSql } from './open-sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

/** From now on the table refuses. */
const refuse = (run: RunSql, what: 'INSERT' | 'UPDATE', table: string) =>
  run(`CREATE TRIGGER refuse_${table}_${what} BEFORE ${what} ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`)

const plan = (id: string) => planAttempt(id, { key: digestBytes(id), batch: 'bat_1', item: 0, reserved_usd: 1 })
const item = { batch: 'bat_1', index: 0 }

describe('what belongs together is written together or not at all', () => {
  test('a grade and the item that it settles', async () => {
    const { run, stores } = openSqlite()
    await openBatch(stores, 'bat_1', 1)
    await refuse(run, 'UPDATE', 'batch_items')
    const record = makeRecord({ key: 'k' })
    await expect(stores.grades.put({ ...record, item })).rejects.toMatchObject({ code: 'storage_error' })
    expect(await stores.grades.get(record.grade.id)).toBeNull()
    expect(await stores.grades.findByKey(digestBytes('k'))).toBeNull()
  })

  test('a call and what is reserved for it, at both its ends', async () => {
    const { run, stores } = openSqlite()
    await begin(stores, plan('att_1'))
    for (const what of ['INSERT', 'UPDATE'] as const) await refuse(run, what, 'spending')
    await expect(begin(stores, plan('att_2'))).rejects.toMatchObject({ code: 'storage_error' })
    await expect(stores.attempts.finish(finishOk('att_1'))).rejects.toMatchObject({ code: 'storage_error' })
    const entries = await stores.attempts.listForGrade('grd_a')
    expect(entries.map(({ id, outcome }) => [id, outcome])).toEqual([['att_1', 'sent']])
  })

  test('a question, what is reserved for it, and its item', async () => {
    const { run, stores } = openSqlite()
    await openBatch(stores, 'bat_1', 1)
    await refuse(run, 'UPDATE', 'batch_items')
    const request = { planned: plan('att_1'), item, line: '{}' }
    await expect(stores.provider.enqueue(request, NO_CAPS)).rejects.toMatchObject({ code: 'storage_error' })
    expect(await stores.provider.judges('bat_1')).toEqual([])
    expect(await readSpent(stores, { batch: 'bat_1' })).toBe(0)
  })

  test('all answers of one reading, the ledger, and the items', async () => {
    const { run, stores } = openSqlite()
    await openBatch(stores, 'bat_1', 2)
    for (const index of [0, 1])
      await stores.provider.enqueue(
        { planned: { ...plan(`att_${index}`), item: index }, item: { batch: 'bat_1', index }, line: '{}' },
        NO_CAPS,
      )
    await stores.provider.record(
      { id: 'prb_1', batch: 'bat_1', judge: 'openai', at: AT },
      { most_requests: 9, most_bytes: 99 },
    )
    const ends = [0, 1].map(
      (index) => ({ id: `att_${index}`, end: 'answered', reply: goodReply(), cost_usd: 0.25 }) as const,
    )
    await run(
      "CREATE TRIGGER second BEFORE UPDATE ON attempts WHEN new.id = 'att_1' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    await expect(stores.provider.storeEnds('prb_1', ends)).rejects.toMatchObject({ code: 'storage_error' })
    expect(await stores.attempts.listForGrade('grd_a')).toEqual([])
    expect(await readSpent(stores, { batch: 'bat_1' })).toBe(2)
    expect((await readBatch(stores, 'bat_1')).counts.running).toBe(2)
    expect(await stores.provider.lines('prb_1')).toHaveLength(2)
    await run('DROP TRIGGER second')
    expect(await stores.provider.storeEnds('prb_1', ends)).toBe(2)
    expect(await readSpent(stores, { batch: 'bat_1' })).toBe(0.5)
  })
})

test('what is added to counters is added once, and not for what failed beside it', async () => {
  const { stores } = openSqlite()
  const record = makeRecord({ status: 'failed' })
  const written = await Promise.allSettled([
    begin(stores, plan('att_1')),
    stores.grades.put(makeRecord()),
    stores.grades.put(record),
    begin(stores, plan('att_1')),
    stores.grades.put(record),
    stores.grades.put({ ...makeRecord(), silent: true }),
    begin(stores, plan('att_2'), { ...NO_CAPS, batch_usd: 1.5 }),
    begin(stores, plan('att_3'), { ...NO_CAPS, batch_usd: 2 }),
  ])
  expect(written.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
    true,
    true,
  ])
  expect(written[6]).toMatchObject({ value: { cap: 'batch', spent_usd: 1 } })
  expect(written[7]).toMatchObject({ value: null })
  expect(await readSpent(stores, { batch: 'bat_1' })).toBe(2)
  const counted = (await stores.grades.countEvidence()).map(({ kind, status, n }) => [kind, status, n])
  expect(counted).toEqual([
    ['grade', 'failed', 1],
    ['grade', 'graded', 1],
  ])
})

test('two connections never go over a cap together', async () => {
  const path = tempDatabase()
  const both = [openSqlite(path).stores, openSqlite(path).stores]
  const caps = { ...NO_CAPS, day_usd: 1 }
  const begins = both.flatMap((stores, which) =>
    Array.from({ length: 80 }, (_, index) =>
      begin(
        stores,
        planAttempt(`att_${which}_${index}`, { key: digestBytes(`${which} ${index}`), reserved_usd: 0.01 }),
        caps,
      ),
    ),
  )
  const allowed = (await Promise.all(begins)).filter((end) => end === null)
  expect(allowed).toHaveLength(100)
})
