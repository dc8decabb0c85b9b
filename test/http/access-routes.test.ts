import type { HTTPMethods, LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/access/keys.ts'
import type { Need } from '../../src/http/operation.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { bearer, GUARDED, useApp } from '../start-app.ts'

const app = useApp({ env: GUARDED }, 'once')

/** The need of every route, as the service promises it. */
const ROUTE_NEEDS: Readonly<Record<string, Need>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  // The metrics are figures of the whole process.
  'GET /metrics': 'operator',
  'GET /openapi.json': 'open',
  'GET /': 'open',
  'GET /audit': 'open',
  'GET /audit/*': 'page',
  'GET /v1/session': 'key',
  'POST /v1/session': 'open',
  'DELETE /v1/session': 'open',
  'POST /v1/grades': 'grade',
  'GET /v1/grades': 'read',
  'GET /v1/grades/overview': 'read',
  'GET /v1/grades/:id': 'read',
  'GET /v1/grades/:id/attempts': 'read',
  'GET /v1/grades/:id/panel': 'read',
  'GET /v1/grades/:id/ground-truth': 'read',
  'POST /v1/grades/:id/reviews': 'review',
  'GET /v1/reviews': 'read',
  'POST /v1/trajectories': 'grade',
  'GET /v1/trajectories/:id': 'read',
  'GET /v1/trajectories/:id/steps': 'read',
  'POST /v1/batches': 'grade',
  'GET /v1/batches': 'read',
  'GET /v1/batches/:id': 'read',
  'GET /v1/batches/:id/rubrics': 'read',
  'GET /v1/batches/:id/results': 'read',
  'GET /v1/batches/:id/attempts': 'read',
  'GET /v1/batches/:id/events': 'read',
  'GET /v1/batches/:id/findings': 'read',
  'POST /v1/batches/:id/dispositions': 'review',
  'POST /v1/batches/:id/signoff': 'review',
  'POST /v1/batches/:id/cancel': 'grade',
  'POST /v1/batches/:id/resume': 'grade',
  'POST /v1/regrades': 'grade',
  'GET /v1/comparisons': 'read',
  'GET /v1/disagreements': 'read',
  // An agreement is computed over given ratings, or over readable stored ratings.
  'POST /v1/agreement': 'read',
  'GET /v1/reports': 'read',
  'GET /v1/rubrics': 'read',
  'GET /v1/rubrics/:id': 'read',
  'GET /v1/judges': 'read',
}

const ROWS = Object.entries(ROUTE_NEEDS).map(([key, need]) => {
  const [method = '', route = ''] = key.split(' ')
  return { method: method as HTTPMethods, route, url: route.replace(':id', 'unknown').replace('*', 'grades'), need }
})
const guarded = ROWS.filter(({ need }) => need !== 'open' && need !== 'page' && need !== 'key')

/** Without a body: who may is decided before one is looked at. */
const ask = ({ method, url }: (typeof ROWS)[number], headers: Record<string, string> = {}) =>
  app.send({ method: method as 'GET', url, headers })

test('the table has every route that there is, and no other', async () => {
  for (const { method, route } of ROWS)
    expect(app.http.hasRoute({ method, url: route }), `${method} ${route}`).toBe(true)
  const { paths } = app.http.swagger() as { paths: Record<string, Record<string, unknown>> }
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => [method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1')] as const),
  )
  expect(described.length).toBeGreaterThan(30)
  for (const [method, route] of described)
    expect(ROUTE_NEEDS, `${method} ${route}`).toHaveProperty([`${method} ${route}`])
  // `expectDeclared` lets answers of other paths pass: no route of the API may be one of them.
  const known = described.map((row) => row.join(' '))
  expect(Object.keys(ROUTE_NEEDS).filter((row) => row.includes(' /v1/') && !known.includes(row))).toEqual([])
})

test('a route that names no need cannot be built', async () => {
  const { default: fastify } = await import('fastify')
  const { installAccess } = await import('../../src/http/plugins/access.ts')
  const http = fastify()
  await installAccess(http, app.context)
  expect(() => http.get('/v1/secrets', () => 'x')).toThrow('GET /v1/secrets does not say who may use it')
  expect(() => http.get('/v1/secrets', { config: { need: 'read' } }, () => 'x')).not.toThrow()
})

describe.each(guarded)('$method $url needs $need', (row) => {
  test('no key: 401', async () => {
    const response = await ask(row)
    expect(response.statusCode).toBe(401)
    expect(response.json<Problem>()).toMatchObject({ code: 'unauthorized' })
    expect(response.json<Problem>().detail).toContain('veridict keys create')
    expect(response.headers['www-authenticate']).toBe('Bearer realm="veridict"')
    expect(response.headers['content-type']).toBe('application/problem+json')
  })

  test('every other scope together: 403, by name', async () => {
    const others = SCOPES.filter((scope) => scope !== row.need && (scope !== 'admin' || row.need === 'operator'))
    const response = await ask(row, bearer(await app.give(others)))
    expect(response.statusCode).toBe(403)
    expect(response.json<Problem>()).toMatchObject({
      code: 'forbidden',
      detail: `this key does not have the scope "${row.need}"`,
    })
    expect(response.headers['www-authenticate']).toContain(`scope="${row.need}"`)
  })

  test.each([...new Set([row.need, row.need === 'operator' ? 'operator' : 'admin'])] as const)(
    '%s: it goes on to the route',
    async (scope) => {
      const response = await ask(row, bearer(await app.give([scope as 'admin'])))
      expect([401, 403, 405, 421, 429]).not.toContain(response.statusCode)
    },
  )
})

test.each(ROWS.filter(({ need }) => need === 'open'))('$method $url is open', async (row) => {
  expect([200, 302, 400]).toContain((await ask(row)).statusCode)
})

test.each(['/docs', '/docs/static/swagger-ui.css', '/docs/json', '/audit/sign-in', '/audit/assets/index.js'])(
  '%s is open',
  async (url) => {
    expect((await app.get(url)).statusCode).toBe(200)
  },
)

test.each([
  ['/audit/grades', '/audit/grades'],
  ['/audit/', '/audit/'],
  ['/audit/grades?label=aligned&task=a%20b', '/audit/grades?label=aligned&task=a%20b'],
  ['/audit/assetsx', '/audit/assetsx'],
  ['/audit/sign-in/x', '/audit/sign-in/x'],
])('%s leads to the sign-in, with the way back', async (url, next) => {
  const response = await app.get(url)
  expect(response.statusCode).toBe(302)
  expect(response.headers.location).toBe(`/audit/sign-in?next=${encodeURIComponent(next)}`)
})

test('whether an id exists is told to nobody who may not read it', async () => {
  const { EXAMPLE_REQUEST } = await import('../../src/http/routes/grades.ts')
  const made = await app.post('/v1/grades', EXAMPLE_REQUEST, bearer(await app.give(['grade'])))
  expect(made.statusCode).toBe(201)
  const there = `/v1/grades/${made.json<{ id: string }>().id}`
  for (const headers of [{}, bearer('vk_wrong'), bearer(await app.give(['grade']))]) {
    const [known, unknown] = await Promise.all(
      [there, '/v1/grades/grd_00000000000000000000000000'].map((url) => app.get(url, headers)),
    )
    expect(known?.statusCode).toBeGreaterThanOrEqual(401)
    expect([known?.statusCode, known?.body]).toEqual([unknown?.statusCode, unknown?.body])
  }
})

test.each(['/v1/grad%65s', '/v1/grades?', '/v1/grades?x=1'])(
  'a need is of the route, however the path is written: %s',
  async (url) => {
    expect((await app.get(url)).statusCode).toBe(401)
  },
)

test('what is no route is refused as ever, whoever asks', async () => {
  expect((await app.get('/v1/nothing')).statusCode).toBe(404)
  expect((await app.send({ method: 'DELETE', url: '/v1/grades' })).statusCode).toBe(405)
  expect((await app.send({ method: 'HEAD', url: '/v1/grades' })).statusCode).toBe(401)
})

const limited = (most: number) => app.give(['read'], { max_requests_per_minute: most })
const call = (headers: Record<string, string>, url = '/v1/judges') => app.get(url, headers)
const statuses = (responses: readonly LightMyRequestResponse[]) => responses.map(({ statusCode }) => statusCode)

/** One after the other. */
async function repeat(times: number, run: () => Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse[]> {
  const responses: LightMyRequestResponse[] = []
  for (let time = 0; time < times; time++) responses.push(await run())
  return responses
}

test('a key is told how much it has left, and refused beyond, with the time to wait', async () => {
  const key = bearer(await limited(3))
  const responses = await repeat(4, () => call(key))
  expect(statuses(responses)).toEqual([200, 200, 200, 429])
  expect(responses.map(({ headers }) => [headers['ratelimit-limit'], headers['ratelimit-remaining']])).toEqual([
    ['3', '2'],
    ['3', '1'],
    ['3', '0'],
    ['3', '0'],
  ])
  const [first, , , last] = responses
  expect(first?.headers['retry-after']).toBeUndefined()
  const wait = Number(last?.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
  expect(last?.headers['ratelimit-reset']).toBe(String(wait))
  expect(last?.json<Problem>()).toMatchObject({ status: 429, code: 'too_many_requests' })
})

test('what is refused for another reason counts too; what is refused for want of a key counts for none', async () => {
  const key = bearer(await limited(2))
  expect(statuses([await call({}), await call(bearer('vk_wrong'))])).toEqual([401, 401])
  expect(statuses([await call(key, '/metrics'), await call(key, '/v1/grades/grd_x'), await call(key)])).toEqual([
    403, 404, 429,
  ])
})

test('sign-ins count for the key', async () => {
  const key = await limited(2)
  const responses = await repeat(3, () => app.post('/v1/session', { key }))
  expect(statuses(responses)).toEqual([201, 201, 429])
  expect(statuses([await call(bearer(key))])).toEqual([429])
})

test('keys are counted apart, a session with its key; without a limit nothing is counted', async () => {
  const [one, other, free] = [await limited(2), await limited(1), await app.give(['read'])]
  const cookie = await app.signIn(one)
  expect(statuses([await call(bearer(one)), await call({ cookie }), await call(bearer(other))])).toEqual([
    200, 429, 200,
  ])
  const unlimited = await repeat(20, () => call(bearer(free)))
  expect(new Set(statuses(unlimited))).toEqual(new Set([200]))
  expect(unlimited[0]?.headers['ratelimit-limit']).toBeUndefined()
})

test('many at once are counted one by one', async () => {
  const key = bearer(await limited(5))
  const responses = await Promise.all(Array.from({ length: 20 }, () => call(key)))
  expect(statuses(responses).filter((status) => status === 200)).toHaveLength(5)
})

test('probes are answered whatever was asked', async () => {
  const key = bearer(await limited(1))
  await call(key)
  expect(statuses([await call(key), await call(key, '/healthz'), await call(key, '/readyz')])).toEqual([429, 200, 200])
})

const signIn = (key: string, remoteAddress: string) =>
  app.send({ method: 'POST', url: '/v1/session', payload: { key }, remoteAddress })

test('sign-ins that fail are counted by address, and hold no good key up', async () => {
  const [address, other] = ['192.0.2.1', '192.0.2.2']
  const good = await app.give(['read'])
  expect(statuses(await repeat(15, () => signIn(good, address)))).toEqual(Array(15).fill(201))
  expect(statuses(await repeat(11, () => signIn('vk_wrong', address)))).toEqual([...Array(10).fill(401), 429])
  const late = await signIn('vk_wrong', address)
  expect([late.statusCode, late.json<Problem>().code]).toEqual([429, 'too_many_requests'])
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
  expect((await signIn('vk_wrong', other)).statusCode).toBe(401)
  expect((await signIn(good, address)).statusCode).toBe(201)
})

test('many bad keys at once are told no more than ten times that they are bad', async () => {
  const responses = await Promise.all(Array.from({ length: 40 }, () => signIn('vk_wrong', '192.0.2.3')))
  expect(statuses(responses).filter((status) => status === 401)).toHaveLength(10)
  expect(new Set(statuses(responses))).toEqual(new Set([401, 429]))
})

test('an address of version 6 is its network: whoever has one has them all', async () => {
  const responses: LightMyRequestResponse[] = []
  for (let end = 1; end <= 11; end++) responses.push(await signIn('vk_x', `2001:db8::${end}`))
  expect(responses.at(-1)?.statusCode).toBe(429)
})
