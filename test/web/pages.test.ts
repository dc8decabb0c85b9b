import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../start-app.ts'
import { askRaw } from './ask-raw.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
  await app.http.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.stop())

test.each(['/', '/audit'])('%s leads to the pages', async (path) => {
  const response = await app.get(path)
  expect([response.statusCode, response.headers.location]).toEqual([302, '/audit/'])
})

test.each(['/audit/', '/audit/grades', '/audit/grades/grd_x', '/audit/any/thing?at=all'])(
  '%s is the one page',
  async (path) => {
    const response = await app.get(path)
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.body).toBe(readFileSync('web/dist/index.html', 'utf8'))
  },
)

test('every built file is served with its type, and not again while it is the same', async () => {
  const files = readdirSync('web/dist/assets')
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    const response = await app.get(`/audit/assets/${file}`)
    expect(response.statusCode, file).toBe(200)
    expect(response.rawPayload).toEqual(readFileSync(`web/dist/assets/${file}`))
    expect(response.headers['content-type'], file).toMatch(/^text\/(javascript|css); charset=utf-8$/)
    const again = await app.http.inject({
      url: `/audit/assets/${file}`,
      headers: { 'if-none-match': String(response.headers.etag) },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  }
})

describe('what the pages may do is said on every answer', () => {
  test.each(['/audit/', '/audit/assets/index.js', '/audit/assets/index.css'])('%s', async (path) => {
    const { headers } = await app.get(path)
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })

  test('and the page needs no more: nothing inline, nothing from elsewhere', () => {
    const page = readFileSync('web/dist/index.html', 'utf8')
    expect(page).not.toMatch(/<style|style="|\son[a-z]+=/)
    expect([...page.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, inside]) => inside)).toEqual([''])
    const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
    expect(addresses.every((address) => address?.startsWith('/audit/assets/') || address === 'data:,')).toBe(true)
  })
})

test.each([
  '/audit/assets/../index.html',
  '/audit/assets/../../../package.json',
  '/audit/assets/%2e%2e/%2e%2e/%2e%2e/package.json',
  '/audit/assets/..%2f..%2f..%2fpackage.json',
  '/audit/assets/..%5c..%5c..%5cpackage.json',
  '/audit/assets//etc/passwd',
  '/audit/assets/nothing.js',
  '/audit/assets/__proto__',
  '/audit/assets/',
])('no path leads out: GET %s', async (path) => {
  const answer = await askRaw((app.http.server.address() as AddressInfo).port, path)
  expect(answer.status).toBe(404)
  expect(answer.body).not.toContain('"dependencies"')
  expect(answer.type).toContain('application/problem+json')
})

test('the pages are no part of the contract', async () => {
  const { paths } = (await app.get('/openapi.json')).json<{ paths: object }>()
  expect(Object.keys(paths).filter((path) => path === '/' || path.startsWith('/audit'))).toEqual([])
})
