import { describe, expect, test } from 'vitest'
import { collect } from '../collect.ts'
import type { Controls } from '../mock-provider/batch-book.ts'
import {
  APIS,
  type Api,
  ended,
  failureOf,
  KEY,
  never,
  QUESTION,
  resultsOf,
  startBatches,
  submissionOf,
  submitted,
} from './judge-under-test.ts'

/** Both vendors’ batch endpoints, through the official SDKs, against providers that are played on loopback. */
async function start(api: Api, controls: Partial<Controls> = {}) {
  const answer = (body: Record<string, unknown>) => `answer to ${JSON.stringify(body).match(/in (\w+)\?/)?.[1]}`
  return startBatches(api, { answer, ...controls })
}

const PATHS: Record<Api, string> = {
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
}

describe.each(APIS)('%s', (api) => {
  test('a line holds the very bytes that a single call sends', async () => {
    const { provider, ask, batch } = await start(api)
    await ask(QUESTION, never())
    const sent = provider.bodies[0]?.body ?? ''
    const line = await batch.encode('att_1', QUESTION)
    const envelope =
      api === 'messages'
        ? `{"custom_id":"att_1","params":${sent}}`
        : `{"custom_id":"att_1","method":"POST","url":"${PATHS[api]}","body":${sent}}`
    expect(sent).not.toBe('')
    expect(line).toBe(envelope)
  })

  test('what is uploaded are the lines, byte for byte', async () => {
    const { provider, batch } = await start(api)
    const submission = submissionOf(batch, 'sub_1', ['a', 'b', 'c'])
    await submitted(batch, submission)
    expect(provider.bodies.map(({ body }) => body)).toEqual([
      api === 'messages' ? `{"requests":[${submission.lines.join(',')}]}` : `${submission.lines.join('\n')}\n`,
    ])
  })

  test('results out of order are each what a single call answers', async () => {
    const { provider, ask, batch } = await start(api, { plan: () => ({ polls: 2 }) })
    const ids = ['a', 'b', 'c', 'd']
    const id = await submitted(batch, submissionOf(batch, 'sub_1', ids))
    const running = await batch.poll(id, never())
    expect(running).toMatchObject({ state: 'in_progress' })
    expect(running).not.toHaveProperty('files')
    await ended(batch, id)
    expect(await batch.poll(id, never())).toMatchObject({ state: 'ended' })
    const results = await resultsOf(batch, id)
    expect([...results.keys()]).toEqual(['d', 'c', 'b', 'a'])
    expect(provider.counts).toMatchObject({ submits: 1, requests_run: 4 })
    for (const one of ids) {
      const single = await ask({ ...QUESTION, question: `What happened in ${one}?` }, never())
      const { raw: _raw, request_id: _id, ...same } = single
      expect(results.get(one)).toMatchObject({ reply: { ...same, text: `answer to ${one}` } })
      expect(same.usage).toEqual({
        input_tokens: 120,
        output_tokens: 30,
        cache_read_tokens: 20,
        cache_write_tokens: 0,
      })
    }
  })

  test('expired and cancelled requests were never run; errors are failures of their own', async () => {
    const fates = {
      b: 'expired',
      c: 'cancelled',
      d: { status: 400, error: 'invalid_request_error' },
      e: { status: 500, error: 'api_error' },
    } as const
    const { provider, batch } = await start(api, {
      plan: () => ({ fate: (customId) => fates[customId as keyof typeof fates] }),
    })
    const id = await submitted(batch, submissionOf(batch, 'sub_1', ['a', 'b', 'c', 'd', 'e']))
    await ended(batch, id)
    const results = await resultsOf(batch, id)
    const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }
    expect(results.get('a')).toMatchObject({ reply: { ok: true } })
    expect(results.get('b')).toEqual({ custom_id: 'b', reply: null })
    expect(results.get('c')).toEqual({ custom_id: 'c', reply: null })
    expect(results.get('d')).toMatchObject({
      reply: { ok: false, failure: { code: 'refused', retryable: false }, usage: none },
    })
    expect(results.get('e')).toMatchObject({
      reply: {
        ok: false,
        failure: { code: 'judge_unreachable', retryable: true },
        usage: api === 'messages' ? none : null,
      },
    })
    expect(provider.counts.requests_run).toBe(1)
  })

  test('a batch that expires keeps what it has answered', async () => {
    const { batch } = await start(api, {
      plan: () => ({ end: 'expired', fate: (_id, index) => (index === 0 ? 'answered' : undefined) }),
    })
    const id = await submitted(batch, submissionOf(batch, 'sub_1', ['a', 'b', 'c']))
    await ended(batch, id)
    const ends = [...(await resultsOf(batch, id)).values()].map(({ custom_id, reply }) => [
      custom_id,
      reply?.ok ?? null,
    ])
    expect(Object.fromEntries(ends)).toEqual({ a: true, b: null, c: null })
  })

  test('cancelling is asked once, takes a while, and does no harm afterwards', async () => {
    const { provider, batch } = await start(api, { plan: () => ({ polls: 1000 }) })
    const id = await submitted(batch, submissionOf(batch, 'sub_1', ['a', 'b']))
    await batch.cancel(id, never())
    await ended(batch, id)
    expect([...(await resultsOf(batch, id)).values()].map(({ reply }) => reply)).toEqual([null, null])
    await batch.cancel(id, never())
    expect(provider.counts.requests_run).toBe(0)
  })

  test('a server without a batch endpoint is named as such, and is not asked again', async () => {
    const { batch } = await start(api, { intercept: () => ({ status: 404, body: '{"detail":"Not Found"}' }) })
    const submission = submissionOf(batch, 'sub_1', ['a'])
    const failure = { code: 'internal', message: expect.stringContaining('(HTTP 404)') as string, retryable: false }
    expect(await failureOf(batch.submit(submission, never()))).toMatchObject(failure)
    expect(await failureOf(batch.find(submission, never()))).toMatchObject(failure)
    expect(await failureOf(batch.poll('batch_1', never()))).toMatchObject(failure)
    await batch.cancel('batch_1', never())
    expect(await collect(batch.results(['/file_1'], never()))).toEqual([])
  })

  test.each([
    [401, 'authentication'],
    [429, 'rate_limited'],
    [500, 'judge_unreachable'],
    ['drop', 'judge_unreachable'],
  ] as const)('%s on any call is its failure', async (status, code) => {
    const { batch } = await start(api, {
      intercept: () => (status === 'drop' ? 'drop' : { status, body: JSON.stringify({ error: { message: KEY } }) }),
    })
    const submission = submissionOf(batch, 'sub_1', ['a'])
    const failures = [
      await failureOf(batch.submit(submission, never())),
      await failureOf(batch.find(submission, never())),
      await failureOf(batch.poll('batch_1', never())),
      await failureOf(collect(batch.results(['/file_1'], never()))),
    ]
    // Results are paid for and still there, whatever keeps them from being read now.
    expect(failures.at(-1)).toMatchObject({ retryable: true })
    for (const failure of failures) expect(failure).toMatchObject({ code })
    expect(JSON.stringify(failures)).not.toContain(KEY)
  })

  test('the key is in nothing that comes back, whatever echoes it', async () => {
    const { batch, ask } = await start(api, {
      answer: () => `the key is ${KEY}`,
      plan: () => ({ fate: (_id, index) => (index === 1 ? { status: 400, error: KEY } : undefined) }),
    })
    const id = await submitted(batch, submissionOf(batch, 'sub_1', ['a', 'b']))
    await ended(batch, id)
    const all = [...(await resultsOf(batch, id)).values(), await ask(QUESTION, never())]
    expect(all).toHaveLength(3)
    expect(JSON.stringify(all)).not.toContain(KEY)
    expect(JSON.stringify(all)).toContain('[key]')
  })

  test('nor is it in the state of a batch', async () => {
    const said = {
      id: `batch_${KEY}`,
      status: 'failed',
      processing_status: `stuck ${KEY}`,
      request_counts: {},
      errors: { data: [{ code: 'bad', message: `no quota for ${KEY}` }] },
    }
    const { batch } = await start(api, {
      intercept: () => ({ status: 200, body: JSON.stringify(said), headers: { 'content-type': 'application/json' } }),
    })
    const state = await batch.poll('batch_1', never())
    expect(state).toMatchObject({ detail: expect.stringContaining('[key]') as string })
    expect(JSON.stringify(state)).not.toContain(KEY)
  })

  test('a submission of the largest size goes through', async () => {
    const { provider, batch } = await start(api)
    const line = await batch.encode('big', { ...QUESTION, trajectory: 'x'.repeat(batch.most_bytes - 4096) })
    const id = await submitted(batch, { id: 'sub_1', recorded_at: new Date(), custom_ids: ['big'], lines: [line] })
    await ended(batch, id)
    expect((await resultsOf(batch, id)).size).toBe(1)
    expect(provider.bodies[0]?.body.length).toBeGreaterThan(batch.most_bytes - 4096)
  })
})

test.each(['responses', 'chat'] as const)(
  '%s: a batch that fails its validation is failed and says why',
  async (api) => {
    const { provider, batch } = await start(api)
    const submission = submissionOf(batch, 'sub_1', ['a', 'a'])
    const id = await submitted(batch, submission)
    await ended(batch, id)
    const state = await batch.poll(id, never())
    expect(state).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('line 2: duplicate_custom_id') as string,
    })
    expect(state).not.toHaveProperty('files')
    expect(provider.counts.requests_run).toBe(0)
  },
)
