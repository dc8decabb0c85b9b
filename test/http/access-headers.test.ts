import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE_REQUEST } from '../../src/http/routes/grades.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { bearer, GUARDED, startApp, type TestApp, useApp } from '../start-app.ts'
import { answeringJudge, makeItems, postLines } from './make-batch.ts'
import { talk } from './raw-http.ts'

const ANSWER = "default-src 'none'; frame-ancestors 'none'"
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const guarded = useApp({ env: GUARDED }, 'once')
const open = useApp({ judges: [answeringJudge(() => GOOD_ANSWER)] }, 'once')
let key: Record<string, string>
let reader: Record<string, string>
beforeAll(async () => {
  key = bearer(await guarded.give(['grade', 'read'], { max_requests_per_minute: 1 }))
  await guarded.get('/v1/judges', key)
  await open.tell('/v1/grades', EXAMPLE_REQUEST)
  reader = bearer(await guarded.give(['read']))
})

const POST = { method: 'POST', url: '/v1/grades' } as const
const TYPE = { 'content-type': 'application/json' }

describe('every answer has them', () => {
  const rows: readonly [string, number, TestApp, () => InjectOptions][] = [
    ['data', 200, open, () => ({ url: '/v1/judges' })],
    ['a new grade', 201, open, () => ({ ...POST, payload: { ...EXAMPLE_REQUEST, cache: 'refresh' } })],
    ['a stored grade', 200, open, () => ({ ...POST, payload: EXAMPLE_REQUEST })],
    ['a table', 200, open, () => ({ url: '/v1/reviews?format=csv' })],
    ['figures', 200, open, () => ({ url: '/metrics' })],
    ['the document', 200, open, () => ({ url: '/openapi.json' })],
    ['bad input', 400, open, () => ({ ...POST, headers: TYPE, payload: '{' })],
    ['a bad path', 400, open, () => ({ url: '/%zz' })],
    ['no such thing', 404, open, () => ({ url: '/v1/grades/grd_x' })],
    ['no such path', 404, open, () => ({ url: '/nothing' })],
    ['a path without end', 404, open, () => ({ url: `/v1/grades/${'x'.repeat(1000)}` })],
    ['no such method', 405, open, () => ({ method: 'DELETE', url: '/v1/grades' })],
    ['another type', 415, open, () => ({ ...POST, headers: { 'content-type': 'text/plain' }, payload: 'x' })],
    ['a preflight', 405, open, () => ({ method: 'OPTIONS', url: '/v1/grades' })],
    ['a head', 200, open, () => ({ method: 'HEAD', url: '/v1/judges' })],
    ['a way on', 302, open, () => ({ url: '/' })],
    ['no key', 401, guarded, () => ({ url: '/v1/judges' })],
    ['no scope', 403, guarded, () => ({ url: '/metrics', headers: reader })],
    ['another origin', 403, open, () => ({ ...POST, headers: { origin: 'null' } })],
    ['another name', 421, open, () => ({ url: '/v1/judges', headers: { host: 'attacker.example' } })],
    ['too often', 429, guarded, () => ({ url: '/v1/judges', headers: key })],
  ]
  test.each(rows)('%s: %d', async (_, status, on, options) => {
    const response = await on.http.inject(options())
    expect(response.statusCode).toBe(status)
    expect(response.headers).toMatchObject({
      ...EVERYWHERE,
      'content-security-policy': ANSWER,
      'cache-control': 'no-store',
    })
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('a stream of events, from its first byte; the last event is the end of the batch', async () => {
    const { id } = (await postLines(open, makeItems(2))).json<{ id: string }>()
    const response = await open.get(`/v1/batches/${id}/events`)
    expect(response.headers).toMatchObject({
      ...EVERYWHERE,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    })
    const [, end = ''] = /event: end\ndata: (.*)\n/.exec(response.body) ?? []
    expect(JSON.parse(end)).toMatchObject({ status: 'done', counts: { graded: 2 } })
    const lines = await open.get(`/v1/batches/${id}/results?wait=true`)
    expect(lines.headers).toMatchObject({
      ...EVERYWHERE,
      'cache-control': 'no-store',
      'content-security-policy': ANSWER,
    })
  })

  test('what is not HTTP', async () => {
    const answer = (await talk(await open.listen(), 'nonsense\r\n\r\n').answer).toLowerCase()
    expect(answer).toContain('http/1.1 400')
    for (const [name, value] of Object.entries({ ...EVERYWHERE, 'content-security-policy': ANSWER }))
      expect(answer).toContain(`\r\n${name}: ${value.toLowerCase()}\r\n`)
  })

  test('while the service stops', async () => {
    const stopping = await startApp()
    stopping.state.draining = true
    const response = await stopping.get('/v1/judges')
    expect(response.statusCode).toBe(503)
    expect(response.headers).toMatchObject({ ...EVERYWHERE, 'content-security-policy': ANSWER })
  })
})

describe('TLS', () => {
  test('is not believed because a header says so', async () => {
    const headers = { 'x-forwarded-proto': 'https', forwarded: 'proto=https' }
    const answer = await open.get('/v1/judges', headers)
    expect(answer.headers['strict-transport-security']).toBeUndefined()
  })

  test('in front of the service, as the configuration says: strict transport, and a cookie that nobody else can plant', async () => {
    const app = await startApp({ env: { ...GUARDED, VERIDICT_BEHIND_TLS: 'true' } })
    const token = await app.give(['read'])
    const opened = await app.post('/v1/session', { key: token })
    expect(opened.headers['strict-transport-security']).toBe('max-age=31536000')
    const [pair = '', ...attributes] = String(opened.headers['set-cookie']).split('; ')
    expect(pair).toMatch(/^__Host-veridict_session=/)
    expect(attributes).toContain('Secure')
    expect(attributes).toContain('Path=/')
    expect(attributes.join()).not.toContain('Domain')
    const [own, plain] = await Promise.all(
      [pair, pair.replace('__Host-', '')].map((cookie) => app.get('/v1/session', { cookie })),
    )
    expect([own?.statusCode, plain?.statusCode]).toEqual([200, 401])
  })
})
