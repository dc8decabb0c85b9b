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
  test('free are those with something pending that nobody holds, the beginnings of all batches first', async () => {
    const { stores, slices, leases } = await setUp(tools())
    await openBatch(stores, 'bat_1', 5 * SLICE_ITEMS + 1)
    await openBatch(stores, 'bat_2', 2 * SLICE_ITEMS)
    for (let index = SLICE_ITEMS; index < 2 * SLICE_ITEMS; index++)
      await stores.batches.settle({ batch: 'bat_1', index }, ENDS.aligned)
    await stores.batches.settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
    const [lease] = await leases.takeMany([`slice:bat_1:${3 * SLICE_ITEMS}`])
    const free = async (batches: string[], most: number) =>
      (await slices.free(batches, null, most)).map((one) => [one.batch.slice(4), one.from / SLICE_ITEMS, one.rank])
    expect(await free(['bat_1'], 1000)).toEqual([0, 2, 4, 5].map((slice, at) => ['1', slice, [0, 1, 3, 4][at]]))
    expect(await free(['bat_1', 'bat_2', 'bat_none'], 3)).toEqual([
      ['1', 0, 0],
      ['2', 0, 0],
      ['2', 1, 1],
    ])
    if (lease !== undefined) await leases.release(lease)
    expect((await free(['bat_1'], 1000)).map(([, slice]) => slice)).toEqual([0, 2, 3, 4, 5])
    await stores.batches.park('bat_2', 'a rest', null)
    expect(await free(['bat_2'], 10)).toEqual([])
    expect(await free([], 10)).toEqual([])
    expect(await free(['bat_1'], 0)).toEqual([])
    await stores.close()
  })

  test('are of the judge of their first pending item, whatever else stands in a request', async () => {
    const { stores, slices } = await setUp(tools())
    await stores.batches.draft(makeBatch('bat_1'))
    const hostile = { ...GROUND_TRUTH, instruction: '\u0000 \ud800 "judge": "none"' }
    const judges = ['first "one"', 'second']
    const metadata = { judge: 'third', task: '"judge":"fourth"' } as object
    const items = judges.map((judge, index) => makeItem(index, { request: { ground_truth: hostile, metadata, judge } }))
    await stores.batches.add('bat_1', items)
    await stores.batches.open('bat_1')
    const of = async (judge: string | null) => slices.free(['bat_1'], judge, 16)
    expect(await of('first "one"')).toEqual([{ batch: 'bat_1', from: 0, judge: 'first "one"', rank: 0 }])
    for (const judge of ['none', 'second', 'third', 'fourth', 'first']) expect(await of(judge)).toEqual([])
    await stores.batches.settle({ batch: 'bat_1', index: 0 }, ENDS.never)
    expect(await of(null)).toMatchObject([{ judge: 'second' }])
    await stores.close()
  })

  test('of a batch that is further and one that begins, with nothing held, the one that begins goes first', async () => {
    const { stores, slices } = await setUp(tools())
    for (const id of ['bat_1', 'bat_2']) await openBatch(stores, id, 2 * SLICE_ITEMS)
    for (let index = 0; index < SLICE_ITEMS; index++)
      await stores.batches.settle({ batch: 'bat_1', index }, ENDS.aligned)
    expect(await slices.free(['bat_1', 'bat_2'], null, 1)).toMatchObject([{ batch: 'bat_2', from: 0, rank: 0 }])
    await stores.close()
  })

  test('requests that only look like those of a judge hide none of it', async () => {
    const { stores, slices } = await setUp(tools())
    const request = { ground_truth: GROUND_TRUTH, metadata: { judge: 'idle' } as object }
    for (const [batch, judge] of [
      ['bat_1', 'busy'],
      ['bat_2', 'idle'],
    ] as const) {
      await stores.batches.draft(makeBatch(batch))
      const items = [0, 1, 2].map((slice) => makeItem(slice * SLICE_ITEMS, { request: { ...request, judge } }))
      await stores.batches.add(batch, items)
      await stores.batches.open(batch)
    }
    const both = ['bat_1', 'bat_2']
    expect(await slices.free(both, 'idle', 1)).toEqual([{ batch: 'bat_2', from: 0, judge: 'idle', rank: 0 }])
    expect(await slices.free(['bat_1'], 'idle', 1)).toEqual([])
    const together = await Promise.all(['idle', 'busy', null, 'none'].map((judge) => slices.free(both, judge, 2)))
    expect(together.map((found) => found.map(({ batch, from }) => [batch, from / SLICE_ITEMS]))).toEqual([
      [['bat_2', 0]],
      [0, 1].map((slice) => ['bat_1', slice]),
      both.map((batch) => [batch, 0]),
      [],
    ])
    await stores.close()
  })

  test('what is looked through of a large batch is bounded, and one of many judges is found in it', async () => {
    const { stores, slices } = await setUp(tools())
    await stores.batches.draft(makeBatch('bat_1'))
    const request = { ground_truth: GROUND_TRUTH }
    for (let slice = 0; slice < 1040; slice++) {
      const judge = slice === 1000 || slice === 1030 ? 'rare' : 'common'
      await stores.batches.add('bat_1', [makeItem(slice * SLICE_ITEMS, { request: { ...request, judge } })])
    }
    await stores.batches.open('bat_1')
    expect(await slices.free(['bat_1'], 'rare', 8)).toMatchObject([{ from: 1000 * SLICE_ITEMS, rank: 1000 }])
    await stores.close()
  }, 60_000)

  test('the batches that have not ended, and whether anything of them is pending', async () => {
    const { stores, slices, leases } = await setUp(tools())
    await openBatch(stores, 'bat_1', 1)
    await openBatch(stores, 'bat_2', 1, { mode: 'provider' })
    await openBatch(stores, 'bat_3', 1)
    const ids = ['bat_1', 'bat_2', 'bat_3', 'bat_4']
    await stores.batches.settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
    await stores.batches.requestCancel('bat_3')
    await slices.cancel('bat_3', AT)
    expect(await slices.open(ids)).toEqual([
      { id: 'bat_1', mode: 'direct', status: 'running', resumes_at: null, is_over: true },
      { id: 'bat_2', mode: 'provider', status: 'running', resumes_at: null, is_over: false },
    ])
    expect(await slices.freeWhole(ids, 8)).toEqual([{ batch: 'bat_2', from: 0, judge: null, rank: 0 }])
    await leases.take('provider:bat_2')
    expect(await slices.freeWhole(ids, 8)).toEqual([])
    await stores.close()
  })

  test('a notice is heard by other stores of the database; what is none counts as one that was missed', async () => {
    const [{ stores, notices }, other] = [await setUp(tools()), await setUp(tools())]
    const heard: unknown[] = []
    other.notices.onNotice((notice) => heard.push(notice))
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const notice = { batch: 'bat_1' }
    await notices.send(notice)
    await tools().server.query("SELECT pg_notify('veridict_work', 'what?')")
    await tools().server.query("SELECT pg_notify('veridict_work', '{}')")
    while (heard.length < 4) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(heard).toEqual([null, notice, null, null])
    await Promise.all([stores.close(), other.stores.close()])
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
