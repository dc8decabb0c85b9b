import type { HTTPMethods } from 'fastify'
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
