import { expect, test } from 'vitest'
import type { BatchQuery } from '../../src/db/batches.ts'
import type { PlannedAttempt } from '../../src/db/ledger.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'
import { begin, finishFailed, finishOk, planAttempt } from './make-attempt.ts'
import { AT, ENDS, makeBatch, openBatch, readBatch, UNCOUNTED } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'

/** How a batch goes on, waits, and ends. */
export function describeBatchStates(current: Current): void {
  const batches = () => current().batches
  const statusOf = async (id = 'bat_1') => (await readBatch(current(), id)).status

  test('a batch is done once nothing is open, and then for good', async () => {
    await openBatch(current(), 'bat_1', 2)
    await batches().settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
    expect(await batches().finish('bat_1', AT)).toBe(false)
    expect(await readBatch(current(), 'bat_1')).toMatchObject({ status: 'running', finished_at: null })
    await batches().settle({ batch: 'bat_1', index: 1 }, ENDS.never)
    const before = await readBatch(current(), 'bat_1')
    expect(await batches().finish('bat_1', AT)).toBe(true)
    expect(await readBatch(current(), 'bat_1')).toEqual({ ...before, status: 'done', finished_at: AT })
    expect(await batches().finish('bat_1', 'later')).toBe(false)
    expect(await batches().requestCancel('bat_1')).toBe(false)
    expect(await batches().resume('bat_1')).toBe(false)
    expect(await batches().park('bat_1', 'why', null)).toBe(false)
    expect(await statusOf()).toBe('done')
  })

  test('a batch is parked with its reason, and runs again when told to', async () => {
    await openBatch(current(), 'bat_1', 0)
    expect(await batches().resume('bat_1')).toBe(false)
    expect(await batches().park('bat_1', 'no credit', AT)).toBe(true)
    expect(await batches().park('bat_1', 'another reason', null)).toBe(false)
    expect(await readBatch(current(), 'bat_1')).toMatchObject({
      status: 'parked',
      parked_reason: 'no credit',
      resumes_at: AT,
    })
    expect(await batches().finish('bat_1', AT)).toBe(false)
    expect(await batches().resume('bat_1')).toBe(true)
    expect(await readBatch(current(), 'bat_1')).toMatchObject({
      status: 'running',
      parked_reason: null,
      resumes_at: null,
    })
    expect(await batches().resume('bat_1')).toBe(false)
  })

  test.each([false, true])(
    'cancelling ends what is open and keeps what has ended; parked before: %s',
    async (parked) => {
      await openBatch(current(), 'bat_1', 4)
      await batches().settle({ batch: 'bat_1', index: 1 }, ENDS.cached)
      await batches().finishCancel('bat_1', AT)
      expect((await readBatch(current(), 'bat_1')).counts.cancelled).toBe(0)
      if (parked) await batches().park('bat_1', 'why', AT)
      expect(await batches().requestCancel('bat_1')).toBe(true)
      expect(await batches().requestCancel('bat_1')).toBe(true)
      expect(await readBatch(current(), 'bat_1')).toMatchObject({
        status: 'cancelling',
        parked_reason: null,
        finished_at: null,
      })
      expect(await batches().resume('bat_1')).toBe(false)
      expect(await batches().finish('bat_1', AT)).toBe(false)
      await batches().settle({ batch: 'bat_1', index: 3 }, ENDS.ignored)
      await batches().finishCancel('bat_1', AT)
      await batches().settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
      const { status, counts, labels, finished_at } = await readBatch(current(), 'bat_1')
      expect({ status, finished_at, labels }).toEqual({
        status: 'cancelled',
        finished_at: AT,
        labels: { aligned: 1, ignored: 1 },
      })
      expect(counts).toEqual({ ...UNCOUNTED, total: 4, graded: 2, cancelled: 2 })
      expect((await batches().results('bat_1', -1, 9)).map((one) => one.status)).toEqual([
        ...['cancelled', 'graded', 'cancelled', 'graded'],
      ])
      expect(await batches().requestCancel('bat_1')).toBe(false)
    },
  )

  test('what is unknown changes nothing', async () => {
    expect(await batches().get('bat_none')).toBeNull()
    expect(await batches().plan('bat_none')).toBeNull()
    expect(await batches().resume('bat_none')).toBe(false)
    expect(await batches().requestCancel('bat_none')).toBe(false)
    expect(await batches().finish('bat_none', AT)).toBe(false)
    await batches().finishCancel('bat_none', AT)
    await batches().discard('bat_none')
    expect(await batches().list({ limit: 10 })).toEqual([])
  })

  test('batches with work to do are listed, oldest first; a parked batch, once its time has come', async () => {
    for (const id of ['bat_2', 'bat_1', 'bat_rests', 'bat_waits', 'bat_ended']) await openBatch(current(), id, 0)
    await batches().draft(makeBatch('bat_0'))
    await batches().park('bat_rests', 'why', AT)
    await batches().park('bat_waits', 'why', null)
    await batches().requestCancel('bat_2')
    await batches().finish('bat_ended', AT)
    await openBatch(current(), 'bat_3', 1)
    const due = [
      { id: 'bat_1', status: 'running', is_open: false },
      { id: 'bat_2', status: 'cancelling', is_open: false },
      { id: 'bat_3', status: 'running', is_open: true },
    ]
    expect(await batches().listDue('2026-11-20T23:59:59.999Z')).toEqual(due)
    expect(await batches().listDue(AT)).toEqual([...due, { id: 'bat_rests', status: 'parked', is_open: false }])
  })

  test('a cancel spares items with a call in flight', async () => {
    await openBatch(current(), 'bat_1', 5)
    const started_at = '2026-11-21T00:00:50.000Z'
    const call = async (item: number, given: Partial<PlannedAttempt> = {}) => {
      const id = `att_${item}`
      const plan = { key: digestBytes(id), batch: 'bat_1', item, started_at, grade_id: `grd_${item}`, ...given }
      await begin(current(), planAttempt(id, plan))
      return id
    }
    await call(0)
    await current().attempts.finish(finishOk(await call(1)))
    await current().attempts.finish(finishOk(await call(2, { started_at: AT })))
    const record = makeRecord()
    await current().grades.put(record)
    await current().attempts.finish(finishOk(await call(3, { grade_id: record.grade.id })))
    await batches().requestCancel('bat_1')
    const after = '2026-11-21T00:00:52.000Z'
    expect(await batches().finishCancel('bat_1', after)).toBe(false)
    expect((await batches().pending('bat_1', -1, 9)).map(({ index }) => index)).toEqual([0])
    expect(await statusOf()).toBe('cancelling')
    await batches().settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
    await current().attempts.finish(finishFailed('att_0'))
    expect([await batches().finishCancel('bat_1', after), await statusOf()]).toEqual([true, 'cancelled'])
    expect((await readBatch(current(), 'bat_1')).counts).toMatchObject({ graded: 1, cancelled: 4 })
  })
}

export function describeBatchLists(current: Current): void {
  const ids = async (query: Partial<BatchQuery>) =>
    (await current().batches.list({ limit: 10, ...query })).map((batch) => batch.id)

  test('are listed newest first, by key, by status, and by page', async () => {
    for (const [id, key] of [
      ['bat_3', 'k'],
      ['bat_1', 'k'],
      ['bat_4', null],
      ['bat_2', 'K'],
    ] as const)
      await openBatch(current(), id, 0, { key })
    await current().batches.finish('bat_1', AT)
    await current().batches.draft(makeBatch('bat_9', { key: 'k' }))
    expect(await ids({})).toEqual(['bat_4', 'bat_3', 'bat_2', 'bat_1'])
    expect(await ids({ limit: 2, before: 'bat_4' })).toEqual(['bat_3', 'bat_2'])
    expect(await ids({ key: 'k' })).toEqual(['bat_3', 'bat_1'])
    expect(await ids({ key: 'k', before: 'bat_3' })).toEqual(['bat_1'])
    expect(await ids({ status: 'running' })).toEqual(['bat_4', 'bat_3', 'bat_2'])
    expect(await ids({ status: 'done', key: 'k' })).toEqual(['bat_1'])
    expect(await ids({ status: 'done', key: 'K' })).toEqual([])
    expect(await ids({ status: 'draft' as never })).toEqual([])
  })
}
