import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ItemEnd, NewItem } from '../../src/db/batches.ts'
import { BatchSchema } from '../../src/schemas/batch.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import type { Current } from './contract.ts'
import { describeBatchLists, describeBatchStates } from './contract-batch-states.ts'
import { describeItemGrades } from './contract-grades.ts'
import { AT, ENDS, makeBatch, makeItem, openBatch, readBatch, UNCOUNTED } from './make-batch.ts'

export function describeBatches(current: Current): void {
  describe('batches', () => {
    describeDrafts(current)
    describeItems(current)
    describeBatchStates(current)
    describeBatchLists(current)
    describeItemGrades(current)
  })
}

function describeDrafts(current: Current): void {
  const batches = () => current().batches

  test('a batch is nowhere before it is opened, and whole afterwards', async () => {
    const { payer: _, ...given } = makeBatch('bat_1', {
      name: 'naïve 中文',
      key: 'k',
      max_cost_usd: 1.5,
      kind: 'regrade',
      mode: 'provider',
    })
    const payer = { key_id: 'key_1', max_cost_usd_per_day: 0.5 }
    await batches().draft({ ...given, payer })
    await batches().add('bat_1', [makeItem(0), makeItem(1)])
    expect(await batches().get('bat_1')).toBeNull()
    expect(await batches().list({ limit: 10 })).toEqual([])
    expect(await batches().list({ limit: 10, key: 'k' })).toEqual([])
    expect(await batches().listDue(AT)).toEqual([])
    await batches().open('bat_1')
    const record = await readBatch(current(), 'bat_1')
    expect(record).toEqual({
      ...given,
      status: 'running',
      counts: { ...UNCOUNTED, total: 2, pending: 2 },
      labels: {},
      failures: {},
      cached: 0,
      calls: { made: 0, unknown: 0 },
      cost_usd: 0,
      uncertain_usd: 0,
      parked_reason: null,
      resumes_at: null,
      finished_at: null,
    })
    expect(inputIssues(BatchSchema, record)).toEqual([])
    expect(await batches().list({ limit: 10 })).toEqual([record])
    const { id, kind, mode, max_cost_usd } = given
    expect(await batches().plan('bat_1')).toEqual({ id, kind, mode, status: 'running', max_cost_usd, payer })
  })

  test.each<[string, readonly NewItem[]]>([
    ['stored', [makeItem(2), makeItem(3, { item_id: 'item-0' })]],
    ['given twice', [makeItem(2), makeItem(3), makeItem(4, { item_id: 'item-2' })]],
  ])('a name that is taken is refused, and none is added: %s', async (_name, more) => {
    await batches().draft(makeBatch('bat_1'))
    await batches().add('bat_1', [makeItem(0), makeItem(1)])
    await expect(batches().add('bat_1', more)).rejects.toMatchObject({ code: 'storage_error' })
    await batches().open('bat_1')
    expect((await readBatch(current(), 'bat_1')).counts.total).toBe(2)
    expect(await batches().pending('bat_1', -1, 10)).toHaveLength(2)
  })

  test('names are as they are: of objects, in other letters, with NUL', async () => {
    const names = ['__proto__', 'constructor', 'A', 'a', 'ä', 'a\u0308', 'a\0', 'a\0b', '']
    const items = names.map((item_id, index) => makeItem(index, { item_id }))
    await openBatch(current(), 'bat_1', items)
    expect((await batches().pending('bat_1', -1, 99)).map((item) => item.item_id)).toEqual(names)
  })

  test('the same name in another batch is free', async () => {
    await openBatch(current(), 'bat_1', 1)
    await openBatch(current(), 'bat_2', 1)
    expect((await readBatch(current(), 'bat_2')).counts.total).toBe(1)
  })

  test('only a draft takes items and is opened; an index that is taken is refused whole', async () => {
    await openBatch(current(), 'bat_1', 1)
    for (const id of ['bat_1', 'bat_none']) {
      await expect(batches().add(id, [makeItem(7)])).rejects.toMatchObject({ code: 'storage_error' })
      await expect(batches().open(id)).rejects.toMatchObject({ code: 'storage_error' })
    }
    await batches().draft(makeBatch('bat_2'))
    await batches().add('bat_2', [makeItem(0)])
    await expect(batches().add('bat_2', [makeItem(1), makeItem(0, { item_id: 'x' })])).rejects.toThrow()
    await batches().open('bat_2')
    expect((await readBatch(current(), 'bat_2')).counts.total).toBe(1)
    await expect(batches().draft(makeBatch('bat_2'))).rejects.toMatchObject({ code: 'storage_error' })
  })

  test('a draft is forgotten with its items; a batch that runs is not', async () => {
    await batches().draft(makeBatch('bat_1'))
    await batches().add('bat_1', [makeItem(0)])
    await batches().settle({ batch: 'bat_1', index: 0 }, ENDS.aligned)
    await batches().discard('bat_1')
    await expect(batches().open('bat_1')).rejects.toMatchObject({ code: 'storage_error' })
    await openBatch(current(), 'bat_1', 1)
    await batches().discard('bat_1')
    expect(await readBatch(current(), 'bat_1')).toMatchObject({ counts: { total: 1, pending: 1 }, labels: {} })
  })

  test('drafts that were begun before a time are forgotten with their items', async () => {
    await batches().draft(makeBatch('bat_1'))
    await batches().draft(makeBatch('bat_2', { created_at: '2026-11-20T00:00:00.000Z' }))
    await batches().add('bat_2', [makeItem(0)])
    expect([await batches().discardAbandoned(AT), await batches().discardAbandoned(AT)]).toEqual([1, 0])
    await batches().open('bat_1')
    await expect(batches().open('bat_2')).rejects.toMatchObject({ code: 'storage_error' })
  })
}

function describeItems(current: Current): void {
  const batches = () => current().batches
  const indexes = (items: readonly { readonly index: number }[]) => items.map((item) => item.index)

  test('items come back as they were, in order, page by page', async () => {
    const items = [
      makeItem(1, { base_grade: 'grd_old' }),
      makeItem(0, { item_id: '中文\0' }),
      makeItem(10),
      makeItem(9),
    ]
    await openBatch(current(), 'bat_1', items)
    const sorted = [...items].sort((a, b) => a.index - b.index)
    expect(await batches().pending('bat_1', -1, 10)).toEqual(sorted)
    expect(indexes(await batches().pending('bat_1', 0, 2))).toEqual([1, 9])
    expect(await batches().pending('bat_1', 10, 10)).toEqual([])
    expect(await batches().pending('bat_none', -1, 10)).toEqual([])
  })

  test('chunks are the pending items of one judge among sixteen', async () => {
    const judges = ['b "x"', 'a', 'b "x"', '']
    const items = Array.from({ length: 40 }, (_, index) => {
      const judge = index < 16 ? 'a' : judges[index % 4]
      const request = { ...makeItem(index).request, metadata: { judge: 'no' } as object, ...(judge && { judge }) }
      return makeItem(index, { request })
    })
    await openBatch(current(), 'bat_1', items)
    await batches().settle({ batch: 'bat_1', index: 33 }, ENDS.aligned)
    await batches().settle({ batch: 'bat_1', index: 37 }, ENDS.aligned)
    const found = (await batches().chunks('bat_1')).map(({ chunk, judge }) => `${chunk} ${judge}`)
    expect(found.slice(0, 1)).toEqual(['0 a'])
    expect(found.toSorted()).toEqual(['0 a', '1 ', '1 a', '1 b "x"', '2 ', '2 b "x"'])
    const ofChunk = async (chunk: number, judge: string) =>
      indexes(await batches().ofChunk({ batch: 'bat_1', chunk, judge }))
    expect(await ofChunk(0, 'a')).toEqual(items.slice(0, 16).map(({ index }) => index))
    expect([await ofChunk(1, 'a'), await ofChunk(2, 'a'), await ofChunk(2, '')]).toEqual([
      [17, 21, 25, 29],
      [],
      [35, 39],
    ])
    expect(await batches().countPending('bat_1', 'b "x"')).toBe(12)
    expect(await batches().chunks('bat_none')).toEqual([])
  })

  test('an item ends once: whoever settles it second changes nothing', async () => {
    await openBatch(current(), 'bat_1', 2)
    for (const end of [ENDS.cached, ENDS.ignored, ENDS.timeout, ENDS.unverified, ENDS.cached])
      await batches().settle({ batch: 'bat_1', index: 0 }, end)
    const { counts, labels, failures, cached } = await readBatch(current(), 'bat_1')
    expect({ counts, labels, failures, cached }).toEqual({
      counts: { ...UNCOUNTED, total: 2, pending: 1, graded: 1 },
      labels: { aligned: 1 },
      failures: {},
      cached: 1,
    })
    expect(indexes(await batches().pending('bat_1', -1, 10))).toEqual([1])
    await batches().settle({ batch: 'bat_1', index: 9 }, ENDS.aligned)
    await batches().settle({ batch: 'bat_none', index: 0 }, ENDS.aligned)
    expect((await readBatch(current(), 'bat_1')).counts).toEqual(counts)
  })

  test('the rubrics that items ask by, whether they have ended or not, and whatever else they hold', async () => {
    const asked = [{ rubric: 'a@1' }, { rubric: 'b@2' }, { rubric: 'b@2', metadata: { task: 'nul \u0000' } }, {}]
    const items = asked.map((request, index) => ({
      ...makeItem(index),
      request: { ground_truth: makeItem(index).request.ground_truth, ...request },
    }))
    await openBatch(current(), 'bat_1', items)
    expect(await batches().rubrics('bat_1')).toEqual(['a@1', 'b@2'])
    expect(await batches().rubrics('bat_2')).toEqual([])
  })

  test('results are what has ended, whole, in order, page by page', async () => {
    await openBatch(current(), 'bat_1', 8)
    const ends = Object.values<ItemEnd>(ENDS)
    for (const [at, end] of [...ends.entries()].reverse())
      await batches().settle({ batch: 'bat_1', index: at + 1 }, end)
    const expected = ends.map((end, at) => {
      const { item_id, trajectory, request, base_grade, index } = makeItem(at + 1)
      return {
        ...{ index, item_id, trajectory, request, base_grade },
        status: end.status,
        label: end.status === 'graded' ? end.label : null,
        failure: end.status === 'failed' ? end.failure : null,
        grade_id: end.grade_id,
        cached: end.status !== 'failed' && end.cached,
      }
    })
    expect(await batches().results('bat_1', -1, 10)).toEqual(expected)
    expect(await batches().results('bat_1', 2, 2)).toEqual(expected.slice(2, 4))
    expect(await batches().results('bat_none', -1, 10)).toEqual([])
    const { counts, labels, failures } = await readBatch(current(), 'bat_1')
    expect(counts).toEqual({ ...UNCOUNTED, total: 8, pending: 2, graded: 3, unverified: 1, failed: 2 })
    expect({ labels, failures }).toEqual({
      labels: { aligned: 2, ignored: 1 },
      failures: { timeout: 1, budget_exceeded: 1 },
    })
  })

  test('the counts are those of the items, whatever is settled in whatever order', async () => {
    let made = 0
    const step = fc.tuple(fc.nat(5), fc.constantFrom(...Object.values<ItemEnd>(ENDS)))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, together) => {
        made += 1
        const id = `bat_law_${made}`
        await openBatch(current(), id, 6)
        const settle = ([index, end]: (typeof steps)[number]) => batches().settle({ batch: id, index }, end)
        if (together) await Promise.all(steps.map(settle))
        else for (const one of steps) await settle(one)
        const results = await batches().results(id, -1, 99)
        const { counts, labels, failures, cached } = await readBatch(current(), id)
        const number = (fits: (one: (typeof results)[number]) => boolean) => results.filter(fits).length
        expect(counts).toEqual({
          ...{ total: 6, pending: 6 - results.length, running: 0, cancelled: 0 },
          graded: number((one) => one.status === 'graded'),
          unverified: number((one) => one.status === 'unverified'),
          failed: number((one) => one.status === 'failed'),
        })
        for (const [label, n] of Object.entries(labels)) expect(number((one) => one.label === label)).toBe(n)
        for (const [code, n] of Object.entries(failures)) expect(number((one) => one.failure?.code === code)).toBe(n)
        expect(cached).toBe(number((one) => one.cached))
        expect(results.map(({ index }) => index)).toEqual([...new Set(steps.map(([index]) => index))].sort())
        // Of several at the same time any may be the first.
        for (const { index, grade_id } of results) {
          const given = steps.filter(([at]) => at === index).map(([, end]) => end.grade_id)
          expect(together ? given : given.slice(0, 1)).toContain(grade_id)
        }
      }),
      { numRuns: 40 },
    )
  })
}
