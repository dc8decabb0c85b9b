import { expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import type { Current } from './contract.ts'
import { failedReply, goodReply } from './make-attempt.ts'
import { AT, openBatch, readBatch } from './make-batch.ts'
import { answered, BATCH, makeRequest, markOf, queueTools } from './make-request.ts'

/** How requests come back. */
export function describeProviderEnds(current: Current): void {
  const { queue, enqueue, record, linesOf, counts, spent } = queueTools(current)

  test('an answer is in the ledger, counted once, and its item goes on', async () => {
    await openBatch(current(), BATCH, 2)
    const request = makeRequest('att_1', 0)
    await queue().enqueue(request, NO_CAPS)
    await enqueue('att_2', 1)
    await record('prb_1')
    const end = answered('att_1')
    for (const counted of [1, 0, 0]) {
      expect(await queue().storeEnds('prb_1', [end, end, answered('att_none')])).toBe(counted)
      expect(await counts()).toEqual({ pending: 1, waiting: 1, made: 1, cost_usd: 0.25 })
      expect(await spent()).toBeCloseTo(1.25, 9)
    }
    expect(await linesOf('prb_1')).toEqual(['att_2'])
    const reply = goodReply({ text: 'answer to att_1' })
    const found = { attempt_id: 'att_1', state: 'answered', reply, cost_usd: 0.25, tries: 1 }
    expect(await queue().find(markOf(request))).toEqual(found)
    const { raw, usage, request_id, model_resolved } = reply
    expect(await current().attempts.listForGrade('grd_0')).toEqual([
      {
        ...request.planned,
        item: undefined,
        outcome: 'ok',
        message: null,
        raw_reply: raw,
        usage,
        cost_usd: 0.25,
        latency_ms: null,
        request_id,
        model_resolved,
      },
    ])
  })

  test('a failure comes back as it was', async () => {
    await openBatch(current(), BATCH, 1)
    const request = makeRequest('att_1', 0)
    await queue().enqueue(request, NO_CAPS)
    await record('prb_1')
    const reply = failedReply('refused', { raw: '{"error":"naïve"}', usage: goodReply().usage, request_id: 'r' })
    expect(await queue().storeEnds('prb_1', [answered('att_1', { reply, cost_usd: 0.5 })])).toBe(1)
    expect(await queue().find(markOf(request))).toMatchObject({ state: 'answered', reply, cost_usd: 0.5 })
    expect((await current().attempts.listForGrade('grd_0'))[0]).toMatchObject({
      outcome: 'refused',
      message: reply.failure.message,
    })
    expect(await counts()).toEqual({ pending: 1, waiting: 0, made: 1, cost_usd: 0.5 })
  })

  test('what was not run is void, costs nothing, and may be asked again', async () => {
    await openBatch(current(), BATCH, 1)
    const [first, second] = [makeRequest('att_1', 0), makeRequest('att_2', 0)]
    await queue().enqueue(first, NO_CAPS)
    await record('prb_1')
    expect(await queue().storeEnds('prb_1', [{ id: 'att_1', reply: null, cost_usd: null }])).toBe(1)
    expect(await counts()).toEqual({ pending: 1, waiting: 0, made: 0, cost_usd: 0 })
    expect(await spent()).toBe(0)
    expect(await queue().find(markOf(first))).toMatchObject({
      attempt_id: 'att_1',
      state: 'void',
      reply: null,
      tries: 1,
    })
    expect(await queue().storeEnds('prb_1', [answered('att_1')])).toBe(0)
    await queue().enqueue(second, NO_CAPS)
    expect(await queue().find(markOf(second))).toMatchObject({ attempt_id: 'att_2', state: 'open', tries: 2 })
    expect(await current().attempts.listForGrade('grd_0')).toEqual([])
  })

  test('an item goes on only when none of its questions is open', async () => {
    await openBatch(current(), BATCH, 1)
    await enqueue('att_1', 0, { sample: 0 })
    await enqueue('att_2', 0, { sample: 1 })
    expect(await current().batches.finish(BATCH, AT)).toBe(false)
    await record('prb_1', { most_requests: 1 })
    await queue().storeEnds('prb_1', [answered('att_1')])
    expect(await counts()).toMatchObject({ pending: 0, waiting: 1 })
    await record('prb_2')
    expect(await queue().storeEnds('prb_1', [answered('att_2')])).toBe(0)
    await queue().storeEnds('prb_2', [answered('att_2')])
    expect(await counts()).toMatchObject({ pending: 1, waiting: 0 })
  })

  test('at the end of a submission what has no answer is void, and its items go on', async () => {
    await openBatch(current(), BATCH, 3)
    for (const index of [0, 1, 2]) await enqueue(`att_${index}`, index)
    await record('prb_1', { most_requests: 2 })
    await queue().markSubmitted('prb_1', 'batch_abc')
    await queue().storeEnds('prb_1', [answered('att_0')])
    for (const _time of [1, 2]) await queue().close('prb_1', 'expired', AT)
    expect(await queue().listOpen(BATCH)).toEqual([])
    expect(await counts()).toEqual({ pending: 2, waiting: 1, made: 1, cost_usd: 0.25 })
    expect(await spent()).toBeCloseTo(1.25, 9)
    expect((await queue().find(markOf(makeRequest('att_0', 0))))?.state).toBe('answered')
    expect((await queue().find(markOf(makeRequest('att_1', 1))))?.state).toBe('void')
    expect((await queue().find(markOf(makeRequest('att_2', 2))))?.state).toBe('open')
    await expect(queue().markSubmitted('prb_1', 'batch_abc')).rejects.toThrow()
  })

  test('an answer to a cancelled item is kept and counted; the item stays cancelled', async () => {
    await openBatch(current(), BATCH, 1)
    await enqueue('att_1', 0)
    await record('prb_1')
    await current().batches.requestCancel(BATCH)
    await current().batches.finishCancel(BATCH, AT)
    expect(await queue().storeEnds('prb_1', [answered('att_1')])).toBe(1)
    const { counts: all, cost_usd } = await readBatch(current(), BATCH)
    expect(all).toMatchObject({ pending: 0, running: 0, cancelled: 1 })
    expect(cost_usd).toBe(0.25)
  })
}
