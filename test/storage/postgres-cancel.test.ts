import { expect, test } from 'vitest'
import { makeBatch, makeItem } from './make-batch.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('the end of a cancelled batch', (tools) => {
  test('one process at a time cancels the open items; another does not wait for that process', async () => {
    const schema = tools().newSchema()
    const [one, other] = [await tools().open(schema), await tools().open(schema)]
    await one.batches.draft(makeBatch('bat_1'))
    await one.batches.add('bat_1', [makeItem(0)])
    await one.batches.open('bat_1')
    await one.batches.requestCancel('bat_1')
    const at = '2026-11-21T10:00:00.000Z'
    await one.db.write(async (sql) => {
      await sql.selectFrom('batches').select('seq').where('id', '=', 'bat_1').forUpdate().execute()
      expect(await other.batches.finishCancel('bat_1', at)).toBe(false)
    })
    expect(await other.batches.finishCancel('bat_1', at)).toBe(true)
    expect((await one.batches.get('bat_1'))?.counts).toMatchObject({ pending: 0, cancelled: 1 })
    await Promise.all([one.close(), other.close()])
  })
})
