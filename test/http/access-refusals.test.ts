import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLE_REQUEST } from '../../src/http/routes/grades.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { bearer, type GuardedApp, startGuarded } from './access-app.ts'
import { listen, talk } from './raw-http.ts'

let app: TestApp
/** Of this test alone. */
function use<T extends TestApp>(own: T): T {
  app = own
  onTestFinished(() => own.stop())
  return own
}

const JSON_TYPE = { 'content-type': 'application/json' }
const grade = (headers: Record<string, string>) => app.post('/v1/grades', EXAMPLE_REQUEST, headers)
const refusalOf = ({ statusCode, body }: { statusCode: number; body: string }) => [
  statusCode,
  (JSON.parse(body) as Problem).code,
]

describe('the name that the service is asked by', () => {
  const LOOPBACK = { VERIDICT_HOST: '127.0.0.1' }
  const NAMED = { ...LOOPBACK, VERIDICT_ALLOWED_HOSTS: 'grader.example, other.example:8443' }
  const WIDE = { VERIDICT_HOST: '0.0.0.0', VERIDICT_ACCESS: 'off' }
  const WIDE_NAMED = { ...WIDE, VERIDICT_ALLOWED_HOSTS: 'grader.example' }
  // What is asked here leaves nothing behind.
  const services = new Map<object, TestApp>()
  afterAll(() => Promise.all([...services.values()].map((service) => service.stop())))
  test.each([
    [LOOPBACK, 'localhost', 200],
    [LOOPBACK, 'LOCALHOST:8787', 200],
    [LOOPBACK, '127.0.0.1:1', 200],
    [LOOPBACK, '[::1]:8787', 200],
    [LOOPBACK, '[::1]', 200],
    [LOOPBACK, 'attacker.example', 421],
    [LOOPBACK, 'attacker.example:8787', 421],
    [LOOPBACK, 'localhost.attacker.example', 421],
    [LOOPBACK, 'attacker.example#localhost', 421],
    [LOOPBACK, 'localhost:80:80', 421],
    [LOOPBACK, 'localhost:', 421],
    [LOOPBACK, '127.0.0.1.nip.example', 421],
    [LOOPBACK, '169.254.169.254', 421],
    [LOOPBACK, '0.0.0.0:8787', 421],
    [LOOPBACK, 'grader.example', 421],
    [{ VERIDICT_HOST: '127.0.0.2' }, '127.0.0.2:8787', 200],
    [{ VERIDICT_HOST: '::1' }, '[::1]:8787', 200],
    [NAMED, 'grader.example', 200],
    [NAMED, 'Grader.Example:9999', 200],
    [NAMED, 'other.example:8443', 200],
    [NAMED, 'other.example', 421],
    [NAMED, 'localhost', 200],
    [WIDE, 'whatever.example', 200],
    [WIDE_NAMED, 'grader.example', 200],
    [WIDE_NAMED, 'localhost', 200],
    [WIDE_NAMED, 'whatever.example', 421],
  ])('%j asked as %j: %d', async (env, host, status) => {
    const service = services.get(env) ?? (await startApp({ env }))
    services.set(env, service)
    for (const url of ['/healthz', '/v1/judges', '/audit/sign-in', '/docs']) {
      const response = await service.http.inject({ url, headers: { host } })
      expect(response.statusCode, url).toBe(status)
      if (status === 421) expect(response.json<Problem>().code).toBe('wrong_host')
    }
  })

  test('the refusal says which setting allows more, and not which name was asked', async () => {
    use(await startApp())
    const { detail } = (await app.http.inject({ url: '/', headers: { host: 'attacker.example' } })).json<Problem>()
    expect(detail).toContain('access.allowed_hosts')
    expect(detail).not.toContain('attacker')
  })

  test('neither an absolute address nor a forwarded name stands for Host', async () => {
    use(await startApp())
    const origin = await listen(app)
    const ask = (...lines: string[]) => talk(origin, [...lines, 'connection: close', '', ''].join('\r\n')).answer
    const answers = [
      await ask('GET http://localhost/v1/judges HTTP/1.1', 'host: attacker.example', 'x-forwarded-host: localhost'),
      await ask('GET /v1/judges HTTP/1.1', 'host: localhost', 'x-forwarded-host: attacker.example'),
      await ask('GET /v1/judges HTTP/1.0'),
      await ask('GET /v1/judges HTTP/1.1', 'host:'),
    ]
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(['421', '200', '421', '421'])
  })
})

test('a stored grade is refused like a new grade', async () => {
  use(await startApp())
  const { id } = (await grade({})).json<{ id: string }>()
  expect((await grade({})).statusCode).toBe(200)
  const refusals = [
    [{ host: 'elsewhere.example' }, 421, 'wrong_host'],
    [{ authorization: 'Bearer of nothing' }, 401, 'unauthorized'],
    [{ origin: 'https://elsewhere.example' }, 403, 'cross_origin'],
    [{ 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    [{ 'content-encoding': 'lzma' }, 415, 'unsupported_encoding'],
  ] as const
  for (const [headers, ...refusal] of refusals) expect(refusalOf(await grade(headers))).toEqual(refusal)
  for (const [headers, ...refusal] of refusals.slice(0, 2))
    expect(refusalOf(await app.http.inject({ url: `/v1/grades/${id}`, headers }))).toEqual(refusal)
  app.state.draining = true
  expect(refusalOf(await grade({}))).toEqual([503, 'draining'])
  expect(refusalOf(await app.http.inject({ url: `/v1/grades/${id}` }))).toEqual([503, 'draining'])
})

describe.each(['off', 'on'])('pages of other origins, access %s', (mode) => {
  const start = () => startGuarded({ env: { VERIDICT_ACCESS: mode } })
  const keyOf = async (guarded: GuardedApp) => (mode === 'on' ? bearer(await guarded.give()) : {})
  /** For what is refused, and for what changes nothing. */
  let shared: GuardedApp
  let key: Record<string, string>
  beforeAll(async () => {
    shared = await start()
    key = await keyOf(shared)
  })
  beforeEach(() => {
    app = shared
  })
  afterAll(() => shared.stop())
  test.each([
    ['a fetch of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a fetch of another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['a value that no browser sends', { 'sec-fetch-site': 'Same-Origin, cross-site' }],
    ['an old browser, which sends only an origin', { origin: 'https://attacker.example' }],
    ['a frame without an origin', { origin: 'null' }],
    ['another port', { origin: 'http://localhost:3000' }],
    ['a name that begins alike', { origin: 'http://localhost.attacker.example' }],
    ['an origin that is none', { origin: 'localhost' }],
    ['two origins', { origin: 'http://localhost, https://attacker.example' }],
    ['an extension', { origin: 'chrome-extension://localhost' }],
    ['what says two things', { 'sec-fetch-site': 'same-origin', origin: 'https://attacker.example' }],
  ])('%s', async (_, headers) => {
    const given = { host: 'localhost', ...key, ...headers }
    expect(refusalOf(await grade(given))).toEqual([403, 'cross_origin'])
    for (const url of ['/v1/batches', '/v1/batches/bat_x/cancel', '/v1/session', '/v1/grades/grd_x/reviews'])
      expect(refusalOf(await app.http.inject({ method: 'POST', url, headers: given })), url).toEqual([
        403,
        'cross_origin',
      ])
    expect(refusalOf(await app.http.inject({ method: 'DELETE', url: '/v1/session', headers: given }))[0]).toBe(403)
    expect((await app.http.inject({ url: '/v1/grades', headers: { ...key } })).json<{ items: [] }>().items).toEqual([])
  })

  test.each([
    ['a program', {}],
    ['the pages', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' }],
    ['the pages of an old browser', { origin: 'http://LOCALHOST' }],
    ['a person', { 'sec-fetch-site': 'none' }],
  ])('%s is served', async (_, headers) => {
    const own = await keyOf(use(await start()))
    expect((await grade({ host: 'localhost', ...own, ...headers })).statusCode).toBe(201)
  })

  test('reading changes nothing and is let through; the browser keeps the answer from the other page', async () => {
    const headers = { ...key, 'sec-fetch-site': 'cross-site', origin: 'https://attacker.example' }
    const response = await app.http.inject({ url: '/v1/judges', headers })
    expect(response.statusCode).toBe(200)
    expect(response.headers['cross-origin-resource-policy']).toBe('same-origin')
  })

  test('a preflight is refused, and no origin is ever allowed', async () => {
    const asked = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' }
    for (const [method, url, status] of [
      ['OPTIONS', '/v1/grades', 405],
      ['OPTIONS', '/v1/nothing', 404],
      ['GET', '/v1/judges', 200],
      ['POST', '/v1/grades', 403],
    ] as const) {
      const response = await app.http.inject({ method, url, headers: { ...key, ...JSON_TYPE, ...asked } })
      expect(response.statusCode).toBe(status)
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('keys', () => {
  test.each([
    ['unknown', 'vk_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['malformed', 'nothing like a key'],
    ['empty', ''],
    ['of another service', 'sk-test'],
  ])('%s: 401, with access on and off alike', async (_, token) => {
    const answers: string[] = []
    for (const mode of ['on', 'off']) {
      use(await startApp({ env: { VERIDICT_ACCESS: mode } }))
      const response = await app.http.inject({ url: '/v1/grades', headers: bearer(token) })
      expect(refusalOf(response)).toEqual([401, 'unauthorized'])
      expect(response.headers['www-authenticate']).toBe('Bearer realm="veridict", error="invalid_token"')
      answers.push(response.body)
    }
    expect(new Set(answers).size).toBe(1)
  })

  test('an empty one, which arrives without the space behind its scheme, is not good: nobody is meant by it', async () => {
    use(await startApp({ env: { VERIDICT_ACCESS: 'off' } }))
    for (const authorization of ['Bearer', 'bearer']) {
      const response = await app.http.inject({ url: '/v1/grades', headers: { authorization } })
      expect(refusalOf(response)).toEqual([401, 'unauthorized'])
      expect(response.headers['www-authenticate']).toBe('Bearer realm="veridict", error="invalid_token"')
    }
  })

  test('revoked, expired and unknown look alike', async () => {
    const guarded = use(await startGuarded())
    const [revoked, unknown] = [await guarded.give(), 'vk_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
    const id = `key_${revoked.split('_')[1]}`
    expect((await app.http.inject({ url: '/v1/grades', headers: bearer(revoked) })).statusCode).toBe(200)
    await app.context.stores.access.revokeKey(id, new Date().toISOString())
    const answers = await Promise.all(
      [revoked, unknown].map((token) => app.http.inject({ url: '/v1/grades', headers: bearer(token) })),
    )
    expect(answers[0]?.statusCode).toBe(401)
    expect(answers[0]?.body).toBe(answers[1]?.body)
  })

  test('the scheme is written as one likes; another scheme is not ours', async () => {
    const guarded = use(await startGuarded())
    const token = await guarded.give()
    const ask = async (authorization: string) =>
      (await app.http.inject({ url: '/v1/grades', headers: { authorization } })).statusCode
    expect(await Promise.all([`bearer ${token}`, `BEARER  ${token} `, token, `Basic ${token}`].map(ask))).toEqual([
      200, 200, 401, 401,
    ])
  })

  test('where no key is needed one that is sent still decides what may be done', async () => {
    const guarded = use(await startGuarded({ env: { VERIDICT_ACCESS: 'off' } }))
    expect((await grade({})).statusCode).toBe(201)
    const reader = bearer(await guarded.give(['read']))
    expect(refusalOf(await grade(reader))).toEqual([403, 'forbidden'])
    const seen = await app.http.inject({ url: '/v1/grades', headers: reader })
    expect(seen.json<{ items: [] }>().items).toHaveLength(1)
  })

  test('a refused upload is never read', async () => {
    use(await startGuarded())
    const origin = await listen(app)
    const lines = ['POST /v1/grades HTTP/1.1', 'host: localhost', 'content-type: application/json', 'content-length: 9']
    const { answer, socket } = talk(origin, `${lines.join('\r\n')}\r\n\r\n`, 'unauthorized')
    expect(await answer).toContain('HTTP/1.1 401')
    socket.destroy()
  })
})
