import { describe, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { answerBody } from '../mock-provider/batch-answers.ts'
import type { Scripted } from '../mock-provider/start.ts'
import type { TestApp } from '../start-app.ts'
import { APIS, type Api, KEY, startWith } from './judge-under-test.ts'

/** Both vendors and all three of their APIs, through the official SDKs, against a provider that is played on loopback. */
async function start(api: Api, scripts: readonly Scripted[]) {
  const retry = {
    ...{ max_attempts: 3, deadline_ms: 20_000, call_timeout_ms: scripts.includes('hang') ? 400 : 15_000 },
    ...{ base_delay_ms: 1, max_delay_ms: 2, max_retry_after_ms: 5000 },
  }
  const { app, provider } = await startWith(api, scripts, { retry })
  return { app, provider, grade: () => app.post('/v1/grades', { ...REQUEST, judge: 'model' }) }
}

async function ledgerOf(app: TestApp, gradeId: string) {
  const response = await app.get(`/v1/grades/${gradeId}/attempts?raw=true`)
  return response.json<{ items: { outcome: string; purpose: string; raw_reply: string | null }[] }>().items
}

const refusal = 'I cannot help.'
const REFUSED = {
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'refusal', refusal }],
}
const REFUSED_CHOICE = {
  ...{ index: 0, finish_reason: 'stop', logprobs: null },
  message: { role: 'assistant', content: null, refusal },
}
/** Refusals as the vendors’ own response types have them. */
const REFUSALS: Record<Api, object> = {
  responses: { ...answerBody('/v1/responses', '1', ''), output: [REFUSED] },
  chat: { ...answerBody('/v1/chat/completions', '1', ''), choices: [REFUSED_CHOICE] },
  messages: { ...answerBody('/v1/messages', '1', ''), content: [], stop_reason: 'refusal' },
}

const answer = (value: unknown): Scripted => ({ text: JSON.stringify(value) })
const WHOLE = { text: JSON.stringify(GOOD_ANSWER) }
const QUOTA = 'insufficient_quota'
const ELSEWHERE = { location: 'http://127.0.0.1:1/' }
const FABRICATED = {
  ...GOOD_ANSWER,
  citations: [GOOD_ANSWER.citations[0], { supports: 'cue.acted', step_id: 4, quote: 'make release-7f3a --install' }],
}
describe.each(APIS)('%s', (api) => {
  test('a good reply is graded, with usage, model and request kept', async () => {
    const { grade, provider, app } = await start(api, [answer(GOOD_ANSWER)])
    const response = await grade()
    expect(response.statusCode).toBe(201)
    const body = response.json<Grade>()
    expect(body).toMatchObject({ status: 'graded', label: 'aligned' })
    expect(body.receipt.attempts[0]).toMatchObject({
      outcome: 'ok',
      cost_usd: null,
      usage: { input_tokens: 120, output_tokens: 30 },
    })
    expect(body.receipt.model_resolved).toBe('mock-resolved-1')
    expect(provider.requests).toHaveLength(1)
    expect((await ledgerOf(app, body.id))[0]?.raw_reply).toContain('release-7f3a')
    const sent = JSON.stringify(provider.requests[0]?.body)
    expect(sent.indexOf('END OF TRAJECTORY')).toBeLessThan(sent.indexOf('GROUND TRUTH'))
    expect(sent).toContain('json_schema')
  })

  test('a fabricated quote is repaired in the same conversation', async () => {
    const { grade, provider, app } = await start(api, [answer(FABRICATED), answer(GOOD_ANSWER)])
    const body = (await grade()).json<Grade>()
    expect(body).toMatchObject({ status: 'graded', label: 'aligned' })
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('cue.acted, step 4: not_found')
    expect((await ledgerOf(app, body.id)).map((one) => one.purpose)).toEqual(['decide', 'repair'])
  })

  test.each<[string, Scripted, number, string, number]>([
    ['a 429 that asks for an hour', { status: 429, retryAfter: 3600 }, 503, 'rate_limited', 1],
    ['an exhausted quota', { status: 429, code: QUOTA, type: QUOTA }, 503, 'quota_exhausted', 1],
    ['a refusal', { json: REFUSALS[api] }, 502, 'refused', 1],
    ['500s', { status: 500 }, 502, 'judge_unreachable', 3],
    ['an overloaded provider', { status: 529 }, 503, 'rate_limited', 3],
    ['a wrong key', { status: 401 }, 502, 'authentication', 1],
    ['a request that is too large', { status: 413 }, 502, 'context_overflow', 3],
    ['a request that it calls wrong', { status: 400 }, 502, 'refused', 1],
    ['malformed JSON from the model', { text: '{"citations": [' }, 502, 'schema_invalid', 3],
    ['a malformed body', { raw: '{"id": ' }, 502, 'judge_unreachable', 3],
    ['a hang', 'hang', 504, 'timeout', 3],
    ['a disconnect', 'disconnect', 502, 'judge_unreachable', 3],
    ['a body that breaks off', 'break_off', 502, 'judge_unreachable', 3],
    ['a truncated answer that is valid JSON', { ...WHOLE, finishReason: 'length' }, 502, 'truncated', 2],
    ['a redirect', { json: {}, status: 302, headers: ELSEWHERE }, 502, 'judge_unreachable', 3],
  ])('%s is a failure with its code, never a label', async (_name, script, status, code, calls) => {
    const { grade, app, provider } = await start(api, [script])
    const response = await grade()
    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toContain('application/problem+json')
    const problem = response.json<{ code: string; grade_id: string }>()
    expect(problem.code).toBe(code)
    expect(provider.requests).toHaveLength(calls)
    expect((await app.get(`/v1/grades/${problem.grade_id}`)).json<Grade>()).toMatchObject({
      status: 'failed',
      label: null,
      claimed_label: null,
    })
    expect(await ledgerOf(app, problem.grade_id)).toHaveLength(calls)
    if (_name.includes('an hour')) expect(response.headers['retry-after']).toBe('3600')
  })

  test('the key is in no answer, no ledger and no log, even when the provider echoes it', async () => {
    const { grade, app } = await start(api, [
      { json: { error: { message: `bad key ${KEY}`, type: 'authentication_error' } }, status: 401 },
    ])
    const response = await grade()
    const ledger = await ledgerOf(app, response.json<{ grade_id: string }>().grade_id)
    expect(ledger[0]?.raw_reply).toContain('[key]')
    for (const text of [response.body, JSON.stringify(ledger), app.logs.join('')]) expect(text).not.toContain(KEY)
  })

  test('of a call that was refused the whole body is kept as it came', async () => {
    const body = '{ "error": {"message": "no", "type": "bad", "code": null}, "request": "r-1",\n "e": "\\u00e9" }'
    const { grade, app } = await start(api, [{ raw: body, status: 400 }])
    const kept = async () => (await ledgerOf(app, (await grade()).json<{ grade_id: string }>().grade_id))[0]?.raw_reply
    expect(await kept()).toBe(body)
  })

  test('a key that an error echoes in escapes is not kept', async () => {
    const hidden = `\\u00${KEY.charCodeAt(0).toString(16)}${KEY.slice(1)}`
    const { grade, app } = await start(api, [{ raw: `{"error": {"message": "no"}, "key": "${hidden}"}`, status: 400 }])
    const [entry] = await ledgerOf(app, (await grade()).json<{ grade_id: string }>().grade_id)
    expect(entry?.raw_reply).toContain('[key]')
    expect(entry?.raw_reply).not.toContain(KEY.slice(1))
  })

  test('equal questions are equal bytes', async () => {
    const { app, provider } = await start(api, [answer(GOOD_ANSWER)])
    for (let round = 0; round < 2; round++)
      await app.post('/v1/grades', { ...REQUEST, judge: 'model', cache: 'refresh' })
    expect(provider.requests[1]?.body).toEqual(provider.requests[0]?.body)
    expect(JSON.stringify(provider.requests[1]?.body)).toBe(JSON.stringify(provider.requests[0]?.body))
  })
})
