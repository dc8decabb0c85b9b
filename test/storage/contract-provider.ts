import { describe, expect, test } from 'vitest'
import type { QuestionMark } from '../../src/db/ledger.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'
import { describeProviderEnds } from './contract-provider-ends.ts'
import { readSpent } from './contract-spending.ts'
import { AT, ENDS, openBatch } from './make-batch.ts'
import { answered, BATCH, DAY, LIMITS, makeRequest, markOf, queueTools } from './make-request.ts'

export function describeProvider(current: Current): void {
  describe('provider queue', () => {
    describeQueue(current)
    describeSubmissions(current)
    describeProviderEnds(current)
  })
}

function describeQueue(current: Current): void {
  const { queue, enqueue, counts, spent } = queueTools(current)

  test('a question that is queued is reserved for, and its item waits', async () => {
    await openBatch(current(), BATCH, 3)
    expect(await enqueue('att_1', 1)).toBeNull()
    expect(await counts()).toEqual({ pending: 2, waiting: 1, made: 0, cost_usd: 0 })
    expect(await spent()).toBe(1)
    expect(await readSpent(current(), DAY)).toBe(1)
    expect((await current().batches.pending(BATCH, -1, 9)).map((item) => item.index)).toEqual([0, 2])
    expect(await current().batches.finish(BATCH, AT)).toBe(false)
    expect(await current().attempts.listForGrade('grd_1')).toEqual([])
    const answer = await queue().find(markOf(makeRequest('att_1', 1)))
    expect(answer).toEqual({
      attempt_id: 'att_1',
      state: 'open',
      reply: null,
      cost_usd: null,
      tries: 1,
    })
  })

  test('a round is what lies with the provider; how long it usually takes is known from those that came back', async () => {
    const { record } = queueTools(current)
    const later = '2026-11-21T00:01:00.000Z'
    await openBatch(current(), BATCH, 3)
    for (const index of [0, 1]) await enqueue(`att_${index}`, index)
    expect(await queue().round(BATCH)).toBeNull()
    await record('prb_1')
    const first = { number: 1, questions: 2, begun_at: AT, usual_seconds: null }
    expect(await queue().round(BATCH)).toEqual(first)
    await queue().close('prb_1', 'completed', later)
    expect(await queue().round(BATCH)).toBeNull()
    await enqueue('att_2', 2)
    await record('prb_2')
    expect(await queue().round(BATCH)).toEqual({ ...first, number: 2, questions: 1, usual_seconds: 60 })
  })

  test('a question that another process has queued since the look for it is queued once', async () => {
    await openBatch(current(), BATCH, 2)
    for (const id of ['att_1', 'att_2']) expect(await enqueue(id, 0)).toBeNull()
    expect(await counts()).toMatchObject({ pending: 1, waiting: 1 })
    expect(await spent()).toBe(1)
    await queueTools(current).record('sub_1')
    expect(await queueTools(current).linesOf('sub_1')).toEqual(['att_1'])
    await queue().storeEnds('sub_1', [answered('att_1')])
    // The look of this process was before the answer: its item is not left waiting.
    expect(await enqueue('att_3', 0)).toBeNull()
    expect(await counts()).toMatchObject({ pending: 2, waiting: 0 })
  })

  test('a question of a batch that is being cancelled is not queued, and reserves nothing', async () => {
    await openBatch(current(), BATCH, 2)
    expect(await current().batches.requestCancel(BATCH)).toBe(true)
    expect(await enqueue('att_1', 0)).toBeNull()
    expect(await queue().find(markOf(makeRequest('att_1', 0)))).toBeNull()
  })

  test('a cap that would break is answered, and nothing is written', async () => {
    await openBatch(current(), BATCH, 2)
    const caps = { ...NO_CAPS, batch_usd: 1.5 }
    expect(await queue().enqueue(makeRequest('att_1', 0), caps)).toBeNull()
    expect(await queue().enqueue(makeRequest('att_2', 1), caps)).toEqual({
      cap: 'batch',
      cap_usd: 1.5,
      spent_usd: 1,
      reserved_usd: 1,
    })
    expect(await counts()).toMatchObject({ pending: 1, waiting: 1 })
    expect(await queue().find(markOf(makeRequest('att_2', 1)))).toBeNull()
    expect(await spent()).toBe(1)
  })

  test('what is queued is reserved for the key that pays, and comes back to it alone', async () => {
    await openBatch(current(), BATCH, 3)
    const caps = { ...NO_CAPS, key_usd: 2 }
    const spentBy = (payer: string) => readSpent(current(), { payer })
    expect(await queue().enqueue(makeRequest('att_1', 0, { payer: 'key_a' }), caps)).toBeNull()
    expect(await queue().enqueue(makeRequest('att_2', 1, { payer: 'key_a' }), caps)).toBeNull()
    expect(await queue().enqueue(makeRequest('att_3', 2, { payer: 'key_a' }), caps)).toMatchObject({ cap: 'key' })
    expect(await queue().enqueue(makeRequest('att_4', 2, { payer: 'key_b' }), caps)).toBeNull()
    expect([await spentBy('key_a'), await spentBy('key_b'), await spent()]).toEqual([2, 1, 3])
    await queue().dropQueued(BATCH)
    expect([await spentBy('key_a'), await spentBy('key_b'), await spent()]).toEqual([0, 0, 0])
  })

  test('an item that has ended asks nothing any more', async () => {
    await openBatch(current(), BATCH, 1)
    await current().batches.settle({ batch: BATCH, index: 0 }, ENDS.aligned)
    expect(await enqueue('att_1', 0)).toBeNull()
    expect(await queue().judges(BATCH)).toEqual([])
    expect(await spent()).toBe(0)
  })

  test('the same request cannot be queued twice', async () => {
    await openBatch(current(), BATCH, 2)
    await enqueue('att_1', 0)
    await expect(enqueue('att_1', 1)).rejects.toMatchObject({ code: 'storage_error' })
    expect(await counts()).toMatchObject({ pending: 1, waiting: 1 })
    expect(await spent()).toBe(1)
  })

  const OTHERS: readonly [string, Partial<QuestionMark & { batch: string }>][] = [
    ['batch', { batch: 'bat_2' }],
    ['key', { key: digestBytes('other') }],
    ['sample', { sample: 1 }],
    ['round', { round: 1 }],
    ['request', { request_digest: digestBytes('other') }],
  ]
  test.each(OTHERS)('only the very same question is found: another %s is not', async (_name, other) => {
    await openBatch(current(), BATCH, 1)
    await enqueue('att_1', 0)
    expect(await queue().find({ ...markOf(makeRequest('att_1', 0)), ...other })).toBeNull()
  })

  test('judges are named once each, while a question of theirs is queued or with the provider', async () => {
    await openBatch(current(), BATCH, 4)
    for (const [index, judge] of ['b', 'a', 'b', 'c'].entries()) await enqueue(`att_${index}`, index, { judge })
    expect(await queue().judges(BATCH)).toEqual(['a', 'b', 'c'])
    await queue().record({ id: 'prb_1', batch: BATCH, judge: 'b', at: AT }, LIMITS)
    expect(await queue().judges(BATCH)).toEqual(['a', 'b', 'c'])
    await queue().close('prb_1', 'expired', AT)
    expect([await queue().judges(BATCH), await queue().judges('bat_2')]).toEqual([['a', 'c'], []])
  })

  test('what was never sent is dropped with its reservation; what was sent stays', async () => {
    await openBatch(current(), BATCH, 4)
    await enqueue('att_1', 0)
    const { record } = queueTools(current)
    await record('prb_1')
    await enqueue('att_2', 1, { started_at: '2026-11-22T01:00:00.000Z' })
    await enqueue('att_3', 2, { reserved_usd: null })
    await enqueue('att_4', 0, { sample: 1 })
    await queue().dropQueued(BATCH)
    expect(await counts()).toMatchObject({ pending: 3, waiting: 1 })
    expect(await queue().record({ id: 'prb_2', batch: BATCH, judge: 'openai', at: AT }, LIMITS)).toBeNull()
    expect((await queue().find(markOf(makeRequest('att_2', 1))))?.state).toBe('void')
    expect((await queue().find(markOf(makeRequest('att_1', 0))))?.state).toBe('open')
    expect([await spent(), await readSpent(current(), DAY), await readSpent(current(), { day: '2026-11-22' })]).toEqual(
      [1, 1, 0],
    )
  })
}

function describeSubmissions(current: Current): void {
  const { queue, enqueue, record, linesOf, counts, spent } = queueTools(current)

  test('a submission takes the oldest, and is recorded before it is sent', async () => {
    await openBatch(current(), BATCH, 4)
    for (const [index, id] of ['att_9', 'att_1', 'att_5'].entries())
      await enqueue(id, index, {}, `{"naïve":"中文 ${id}"}`)
    await enqueue('att_other', 3, { judge: 'anthropic' })
    const recorded = {
      id: 'prb_1',
      batch: BATCH,
      judge: 'openai',
      status: 'recorded',
      provider_id: null,
      recorded_at: AT,
      requests: 2,
    }
    expect(await record('prb_1', { most_requests: 2 })).toEqual(recorded)
    expect(await queue().lines('prb_1')).toEqual(
      ['att_9', 'att_1'].map((id) => ({ id, line: `{"naïve":"中文 ${id}"}` })),
    )
    expect(await record('prb_2', { most_requests: 2 })).toMatchObject({ requests: 1 })
    expect(await record('prb_3')).toBeNull()
    expect(await queue().listOpen(BATCH)).toEqual([recorded, { ...recorded, id: 'prb_2', requests: 1 }])
    await queue().markSubmitted('prb_1', 'batch_abc')
    await queue().markSubmitted('prb_1', 'batch_abc')
    expect((await queue().listOpen(BATCH))[0]).toEqual({
      ...recorded,
      status: 'submitted',
      provider_id: 'batch_abc',
    })
    for (const [id, provider] of [
      ['prb_1', 'batch_xyz'],
      ['prb_none', 'batch_abc'],
    ] as const)
      await expect(queue().markSubmitted(id, provider)).rejects.toMatchObject({ code: 'storage_error' })
    expect(await counts()).toMatchObject({ pending: 0, waiting: 4 })
  })

  /** Sizes of queued lines in bytes, the limit, and how many each submission takes. Each line ends in a line feed. */
  const SIZES: readonly [readonly number[], number, readonly number[]][] = [
    [[9, 9, 9], 20, [2, 1]],
    [[9, 9, 9], 19, [1, 1, 1]],
    [[50, 9, 9], 20, [1, 2]],
    [[9, 50, 9], 20, [1, 1, 1]],
    [[9, 9], 0, [1, 1]],
  ]
  test.each(SIZES)('lines of %j bytes, at most %i: %j', async (sizes, most_bytes, expected) => {
    await openBatch(current(), BATCH, sizes.length)
    for (const [index, size] of sizes.entries()) await enqueue(`att_${index}`, index, {}, 'x'.repeat(size))
    const taken: number[] = []
    for (let number = 0; ; number++) {
      const submission = await record(`prb_${number}`, { most_bytes })
      if (submission === null) break
      taken.push(submission.requests)
    }
    expect(taken).toEqual(expected)
  })

  test('bytes are counted, not characters', async () => {
    await openBatch(current(), BATCH, 2)
    for (const index of [0, 1]) await enqueue(`att_${index}`, index, {}, '中'.repeat(3))
    expect(await record('prb_1', { most_bytes: 19 })).toMatchObject({ requests: 1 })
  })

  test('a submission that never arrived is taken back: the same requests again, still reserved', async () => {
    await openBatch(current(), BATCH, 2)
    await enqueue('att_1', 0)
    await record('prb_1')
    await enqueue('att_2', 1)
    await queue().withdraw('prb_1', 'refused', AT)
    await queue().withdraw('prb_1', 'refused', AT)
    expect(await queue().listOpen(BATCH)).toEqual([])
    expect(await linesOf('prb_1')).toEqual([])
    expect(await counts()).toMatchObject({ pending: 0, waiting: 2 })
    expect(await spent()).toBe(2)
    expect(await record('prb_2', { most_requests: 1 })).toMatchObject({ requests: 1 })
    expect(await queue().lines('prb_2')).toEqual([{ id: 'att_1', line: 'line att_1' }])
  })
}
