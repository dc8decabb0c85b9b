import { describe, expect, test } from 'vitest'
import type { GradeQuery } from '../../src/db/grades.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'
import { openBatch, readBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'

/** Grades that settle items, and the grades of a batch. */
export function describeItemGrades(current: Current): void {
  const listIds = async (query: Partial<GradeQuery>) =>
    (await current().grades.list({ limit: 10, ...query })).map((grade) => grade.id)
  const item = (index: number) => ({ batch: 'bat_1', index })

  describe('grades of items', () => {
    test('settle their item with what they are, once; a grade for an ended item is not stored', async () => {
      await openBatch(current(), 'bat_1', 4)
      const records = [
        makeRecord({ label: 'compliant' }),
        makeRecord({ status: 'unverified' }),
        makeRecord({ status: 'failed' }),
      ]
      for (const [index, record] of records.entries()) await current().grades.put({ ...record, item: item(index) })
      const late = makeRecord({ label: 'ignored' })
      await current().grades.put({ ...late, item: item(0) })
      const results = await current().batches.results('bat_1', -1, 10)
      expect(
        results.map(({ status, label, grade_id, cached, failure }) => [status, label, grade_id, cached, failure]),
      ).toEqual(records.map(({ grade }) => [grade.status, grade.label, grade.id, false, grade.failure]))
      expect(await current().grades.get(late.grade.id)).toBeNull()
      expect(await readBatch(current(), 'bat_1')).toMatchObject({
        counts: { pending: 1, graded: 1, unverified: 1, failed: 1 },
        labels: { compliant: 1 },
        failures: { timeout: 1 },
      })
    })

    test('a grade that is refused settles nothing', async () => {
      await openBatch(current(), 'bat_1', 1)
      const record = makeRecord()
      await current().grades.put(record)
      await expect(current().grades.put({ ...record, item: item(0) })).rejects.toMatchObject({ code: 'storage_error' })
      expect((await readBatch(current(), 'bat_1')).counts.pending).toBe(1)
    })

    test('a silent grade is kept without answering its key', async () => {
      const [loud, silent] = [makeRecord({ key: 'k' }), makeRecord({ key: 'k', label: 'ignored' })]
      await openBatch(current(), 'bat_1', 1)
      await current().grades.put({ ...silent, silent: true, item: item(0) })
      expect(await current().grades.findByKey(digestBytes('k'))).toBeNull()
      await current().grades.put(loud)
      await current().grades.put({ ...makeRecord({ key: 'k' }), silent: true })
      expect((await current().grades.findByKey(digestBytes('k')))?.id).toBe(loud.grade.id)
      expect((await current().grades.get(silent.grade.id))?.label).toBe('ignored')
      expect((await readBatch(current(), 'bat_1')).labels).toEqual({ ignored: 1 })
    })

    test('are found by their batch: newest first, each once, those of other batches that answered too', async () => {
      await openBatch(current(), 'bat_1', 6)
      const made = [1, 2, 3, 4].map((at) =>
        makeRecord({ at, label: at === 2 ? 'ignored' : 'aligned', metadata: { task: 'a' } }),
      )
      const [old = '', ignored = '', twice = '', foreign = ''] = made.map(({ grade }) => grade.id)
      for (const record of made) await current().grades.put(record)
      const end = (grade_id: string) => ({ status: 'graded', label: 'aligned', grade_id, cached: true }) as const
      for (const [index, id] of [twice, old, twice, ignored].entries())
        await current().batches.settle(item(index), end(id))
      await openBatch(current(), 'bat_2', 1)
      await current().batches.settle({ batch: 'bat_2', index: 0 }, end(foreign))
      expect(await listIds({ batch: 'bat_1' })).toEqual([twice, ignored, old])
      expect(await listIds({ batch: 'bat_1', limit: 1, before: twice })).toEqual([ignored])
      expect(await listIds({ batch: 'bat_1', label: 'ignored', status: 'graded', task: 'a' })).toEqual([ignored])
      expect(await listIds({ batch: 'bat_1', task: 'b' })).toEqual([])
      expect(await listIds({ batch: 'bat_2' })).toEqual([foreign])
      expect(await listIds({ batch: 'bat_none' })).toEqual([])
    })
  })
}
