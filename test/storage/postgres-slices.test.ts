import { expect, test } from 'vitest'
import { SLICE_ITEMS } from '../../src/ports/slice-ports.ts'
import { AT, ENDS, makeBatch, makeItem, openBatch, readBatch } from './make-batch.ts'
import { GROUND_TRUTH } from './make-grade.ts'
import { describePostgres, type PostgresTools } from './postgres-tools.ts'

async function setUp(tools: PostgresTools) {
  const stores = await tools.open()
  const { cluster } = stores
  if (cluster === null) throw new Error('a PostgreSQL is shared')
  return { stores, ...cluster }
}

describePostgres('slices', (tools) => {
  test('those with something pending, within the indexes that are asked for', async () => {
    const { stores, slices } = await setUp(tools())
    await openBatch(stores, 'bat_1', 4 * SLICE_ITEMS + 1)
    for (let index = SLICE_ITEMS; index < 2 * SLICE_ITEMS; index++)
      await stores.batches.settle({ batch: 'bat_1', index }, ENDS.aligned)
    await stores.batches.settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
    const from = async (first: number, most: number) =>
      (await slices.pending('bat_1', first, most)).map((one) => one.from / SLICE_ITEMS)
    expect(await from(0, 1000)).toEqual([0, 2, 3, 4])
    expect(await from(0, SLICE_ITEMS - 1)).toEqual([0])
    expect(await from(0, SLICE_ITEMS)).toEqual([0, 2])
    expect(await from(3 * SLICE_ITEMS, 1000)).toEqual([3, 4])
    expect(await slices.pending('bat_none', 0, 1000)).toEqual([])
    await stores.close()
  })

  test('are of the judge of their first pending item, whatever else stands in a request', async () => {
    const { stores, slices } = await setUp(tools())
    await stores.batches.draft(makeBatch('bat_1'))
    const hostile = { ...GROUND_TRUTH, instruction: '\u0000 \ud800 "judge": "none"' }
    const judges = ['first', 'second']
    const items = judges.map((judge, index) => makeItem(index, { request: { ground_truth: hostile, judge } }))
    await stores.batches.add('bat_1', items)
    await stores.batches.open('bat_1')
    expect(await slices.pending('bat_1', 0, 16)).toEqual([{ from: 0, judge: 'first' }])
    await stores.batches.settle({ batch: 'bat_1', index: 0 }, ENDS.never)
    expect(await slices.pending('bat_1', 0, 16)).toEqual([{ from: 0, judge: 'second' }])
    await stores.close()
  })

  test('a cancel leaves alone what is held, and is the end once nothing is', async () => {
    const { stores, slices, leases } = await setUp(tools())
    await openBatch(stores, 'bat_1', 3 * SLICE_ITEMS)
    const lease = await leases.take(`slice:bat_1:${SLICE_ITEMS}`)
    if (lease === null) throw new Error('the lease is free')
    expect(await slices.cancel('bat_1', AT)).toBe(false)
    expect((await readBatch(stores, 'bat_1')).counts).toMatchObject({ pending: 48, cancelled: 0 })
    await stores.batches.requestCancel('bat_1')
    expect(await slices.cancel('bat_1', AT)).toBe(false)
    expect(await readBatch(stores, 'bat_1')).toMatchObject({
      status: 'cancelling',
      counts: { pending: SLICE_ITEMS, cancelled: 2 * SLICE_ITEMS },
    })
    await stores.batches.settle({ batch: 'bat_1', index: SLICE_ITEMS, lease: lease.token }, ENDS.aligned)
    await leases.release(lease)
    expect(await slices.cancel('bat_1', AT)).toBe(true)
    expect(await slices.cancel('bat_1', AT)).toBe(false)
    expect(await readBatch(stores, 'bat_1')).toMatchObject({
      status: 'cancelled',
      finished_at: AT,
      counts: { pending: 0, graded: 1, cancelled: 3 * SLICE_ITEMS - 1 },
    })
    await stores.close()
  })

  test('a batch at a provider is held as a whole', async () => {
    const { stores, slices, leases } = await setUp(tools())
    await openBatch(stores, 'bat_1', 20, { mode: 'provider' })
    await stores.batches.requestCancel('bat_1')
    const lease = await leases.take('provider:bat_1')
    expect(await slices.cancel('bat_1', AT)).toBe(false)
    expect((await readBatch(stores, 'bat_1')).counts.pending).toBe(20)
    if (lease !== null) await leases.release(lease)
    expect(await slices.cancel('bat_1', AT)).toBe(true)
    await stores.close()
  })
})
