import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { talk } from '../http/raw-http.ts'
import { useApp } from '../start-app.ts'

const app = useApp({}, 'once')

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

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
    const again = await app.get(`/audit/assets/${file}`, { 'if-none-match': String(response.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  }
})

describe('what the pages may do is said on every answer', () => {
  const PAGES = [
    '/audit/',
    '/audit/grades/grd_x',
    '/audit/sign-in',
    '/audit/assets/index.js',
    '/audit/assets/index.css',
  ]
  test.each(PAGES)('%s, and when it is unchanged', async (path) => {
    const { headers } = await app.get(path)
    const again = await app.get(path, { 'if-none-match': String(headers.etag) })
    expect(again.statusCode).toBe(304)
    const { 'content-security-policy': said, etag } = headers
    expect(again.headers).toMatchObject({ ...EVERYWHERE, 'content-security-policy': said, etag })
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
    expect(headers).toMatchObject({ ...EVERYWHERE, 'cache-control': 'no-cache' })
  })

  test.each(['/docs', '/docs/static/index.css', '/docs/static/swagger-ui-bundle.js'])('%s', async (path) => {
    const { statusCode, headers } = await app.get(path)
    expect([statusCode, headers]).toEqual([200, expect.objectContaining(EVERYWHERE)])
    for (const part of ["script-src 'self';", "frame-ancestors 'none'"])
      expect(headers['content-security-policy']).toContain(part)
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
  const lines = [`GET ${path} HTTP/1.1`, 'host: localhost', 'connection: close', '', '']
  const { answer } = talk(await app.listen(), lines.join('\r\n'))
  expect(await answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\ncontent-type: application\/problem\+json/)
  expect(await answer).not.toContain('"dependencies"')
})

test('the pages are no part of the contract', async () => {
  const { paths } = (await app.get('/openapi.json')).json<{ paths: object }>()
  expect(Object.keys(paths).filter((path) => path === '/' || path.startsWith('/audit'))).toEqual([])
})
