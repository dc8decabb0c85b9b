import { expect, test } from 'vitest'
import type { Stores } from '../../src/db/stores.ts'
import { makeBatch, makeItem } from './make-batch.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('jobs of several processes', (tools) => {
  async function draft(stores: Stores, id: string): Promise<void> {
    await stores.batches.draft(makeBatch(id))
    await stores.batches.add(id, [makeItem(0)])
  }
  test('a unit of work that fails at another connection leaves nothing for the next unit of its connection', async () => {
    const stores = await tools().open(undefined, { max_connections: 1 })
    await draft(stores, 'bat_1')
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const opening = stores.batches.open('bat_1', () => Promise.reject(refused))
    await Promise.all([expect(opening).rejects.toBe(refused), stores.judges.announce(['openai'])])
    expect(await stores.batches.status('bat_1')).toBe('draft')
    await stores.close()
  })
})
