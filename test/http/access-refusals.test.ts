import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EXAMPLE_REQUEST } from '../../src/http/routes/grades.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { bearer, GUARDED, startApp, type TestApp, useApp } from '../start-app.ts'
import { talk } from './raw-http.ts'

let app: TestApp

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
  const STRANGERS =
    'attacker.example attacker.example:8787 localhost.attacker.example attacker.example#localhost localhost:80:80 localhost: ' +
    '127.0.0.1.nip.example 169.254.169.254 0.0.0.0:8787 grader.example'
  describe.each([
    [LOOPBACK, 'localhost LOCALHOST:8787 127.0.0.1:1 [::1]:8787 [::1]', STRANGERS],
    [{ VERIDICT_HOST: '127.0.0.2' }, '127.0.0.2:8787', ''],
    [{ VERIDICT_HOST: '::1' }, '[::1]:8787', ''],
    [NAMED, 'grader.example Grader.Example:9999 other.example:8443 localhost', 'other.example'],
    [WIDE, 'whatever.example', ''],
    [{ ...WIDE, VERIDICT_ALLOWED_HOSTS: 'grader.example' }, 'grader.example localhost', 'whatever.example'],
  ])('of %j', (env, good, bad) => {
    const service = useApp({ env }, 'once')
    const hosts = [good, bad].flatMap((names, at) =>
      names.split(' ').map((host) => [host, at === 0 ? 200 : 421] as const),
    )
    test.each(hosts.filter(([host]) => host !== ''))('asked as %j: %d', async (host, status) => {
      for (const url of ['/healthz', '/v1/judges', '/audit/sign-in', '/docs']) {
        const response = await service.http.inject({ url, headers: { host } })
        expect(response.statusCode, url).toBe(status)
        if (status === 421) expect(response.json<Problem>().code).toBe('wrong_host')
      }
    })
  })

  test('the refusal says which setting allows more, and not which name was asked', async () => {
    app = await startApp()
    const { detail } = (await app.get('/', { host: 'attacker.example' })).json<Problem>()
    expect(detail).toContain('access.allowed_hosts')
    expect(detail).not.toContain('attacker')
  })

  test('neither an absolute address nor a forwarded name stands for Host', async () => {
    app = await startApp()
    const origin = await app.listen()
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
  app = await startApp()
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
    expect(refusalOf(await app.get(`/v1/grades/${id}`, headers))).toEqual(refusal)
  app.state.draining = true
  expect(refusalOf(await grade({}))).toEqual([503, 'draining'])
  expect(refusalOf(await app.get(`/v1/grades/${id}`))).toEqual([503, 'draining'])
})

describe.each(['off', 'on'])('pages of other origins, access %s', (mode) => {
  const env = { VERIDICT_ACCESS: mode }
  const keyOf = async (guarded: TestApp) => (mode === 'on' ? bearer(await guarded.give()) : {})
  /** For what is refused, and for what changes nothing. */
  const shared = useApp({ env }, 'once')
  let key: Record<string, string>
  beforeAll(async () => {
    key = await keyOf(shared)
  })
  beforeEach(() => {
    app = shared
  })

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
      expect(refusalOf(await app.send({ method: 'POST', url, headers: given })), url).toEqual([403, 'cross_origin'])
    expect(refusalOf(await app.send({ method: 'DELETE', url: '/v1/session', headers: given }))[0]).toBe(403)
    expect((await app.get('/v1/grades', { ...key })).json<{ items: [] }>().items).toEqual([])
  })

  test.each([
    ['a program', {}],
    ['the pages', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' }],
    ['the pages of an old browser', { origin: 'http://LOCALHOST' }],
    ['a person', { 'sec-fetch-site': 'none' }],
  ])('%s is served', async (_, headers) => {
    app = await startApp({ env })
    const own = await keyOf(app)
    expect((await grade({ host: 'localhost', ...own, ...headers })).statusCode).toBe(201)
  })

  test('reading changes nothing and is let through; the browser keeps the answer from the other page', async () => {
    const headers = { ...key, 'sec-fetch-site': 'cross-site', origin: 'https://attacker.example' }
    const response = await app.get('/v1/judges', headers)
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
      const response = await app.send({ method, url, headers: { ...key, ...JSON_TYPE, ...asked } })
      expect(response.statusCode).toBe(status)
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('keys', () => {
  const modes = ['on', 'off'].map((mode) => useApp({ env: { VERIDICT_ACCESS: mode } }, 'once'))
  const refused = async (authorization: string) => {
    const responses = await Promise.all(modes.map((service) => service.get('/v1/grades', { authorization })))
    for (const response of responses) {
      expect(refusalOf(response)).toEqual([401, 'unauthorized'])
      expect(response.headers['www-authenticate']).toBe('Bearer realm="veridict", error="invalid_token"')
    }
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1)
  }
  test.each([
    ['unknown', 'vk_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['malformed', 'nothing like a key'],
    ['empty', ''],
    ['of another service', 'sk-test'],
  ])('%s: 401, with access on and off alike', (_, token) => refused(`Bearer ${token}`))

  test.each(['Bearer', 'bearer'])(
    'an empty one, which arrives without the space behind its scheme, is not good: nobody is meant by %s',
    refused,
  )

  test('revoked, expired and unknown look alike', async () => {
    app = await startApp({ env: GUARDED })
    const [revoked, unknown] = [await app.give(), 'vk_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
    const id = `key_${revoked.split('_')[1]}`
    expect((await app.get('/v1/grades', bearer(revoked))).statusCode).toBe(200)
    await app.context.stores.access.revokeKey(id, new Date().toISOString())
    const answers = await Promise.all([revoked, unknown].map((token) => app.get('/v1/grades', bearer(token))))
    expect(answers[0]?.statusCode).toBe(401)
    expect(answers[0]?.body).toBe(answers[1]?.body)
  })

  test('the scheme is written as one likes; another scheme is not ours', async () => {
    app = await startApp({ env: GUARDED })
    const token = await app.give()
    const ask = async (authorization: string) => (await app.get('/v1/grades', { authorization })).statusCode
    expect(await Promise.all([`bearer ${token}`, `BEARER  ${token} `, token, `Basic ${token}`].map(ask))).toEqual([
      200, 200, 401, 401,
    ])
  })

  test('where no key is needed one that is sent still decides what may be done', async () => {
    app = await startApp({ env: { VERIDICT_ACCESS: 'off' } })
    expect((await grade({})).statusCode).toBe(201)
    const reader = bearer(await app.give(['read']))
    expect(refusalOf(await grade(reader))).toEqual([403, 'forbidden'])
    const seen = await app.get('/v1/grades', reader)
    expect(seen.json<{ items: [] }>().items).toHaveLength(1)
  })
})
