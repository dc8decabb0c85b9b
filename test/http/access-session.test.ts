import { rmSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EXAMPLE_REQUEST } from '../../src/http/routes/grades.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import type { Who } from '../../src/schemas/views.ts'
import { bearer, GUARDED, startApp, useApp } from '../start-app.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { talk } from './raw-http.ts'

const app = useApp({ env: GUARDED }, 'once')

const signIn = async (key: string, headers: Record<string, string> = {}) => app.post('/v1/session', { key }, headers)
const who = (cookie: string) => app.get('/v1/session', { cookie })
const signOut = (cookie: string, headers: Record<string, string> = { 'x-veridict-page': '1' }) =>
  app.send({ method: 'DELETE', url: '/v1/session', headers: { cookie, ...headers } })
const secretOf = (cookie: string) => cookie.split('=')[1] ?? ''

test('a session is what its key is; its end takes the cookie back, and another id has no signature', async () => {
  const token = await app.give(['read', 'review'], { name: 'Ada' })
  const opened = await signIn(token)
  expect(opened.statusCode).toBe(201)
  const { expires_at, ...caller } = opened.json<Record<string, unknown>>()
  expect(caller).toEqual({ name: 'Ada', scopes: ['read', 'review'] })
  expect(String(expires_at) > new Date().toISOString()).toBe(true)
  const cookie = await app.signIn(token)
  expect((await who(cookie)).json<Who>()).toEqual({ required: true, session: true, ...caller })
  expect((await app.get('/audit/grades', { cookie })).statusCode).toBe(200)
  expect((await app.get('/v1/grades', { cookie })).statusCode).toBe(200)
  const graded = await app.post('/v1/grades', EXAMPLE_REQUEST, { cookie })
  expect([graded.statusCode, graded.json<Problem>().code]).toEqual([403, 'forbidden'])
  const ended = await signOut(cookie)
  expect([ended.statusCode, ended.json()]).toEqual([200, { status: 'ended' }])
  expect(String(ended.headers['set-cookie'])).toContain('Expires=Thu, 01 Jan 1970')
  const over = await who(cookie.replace('key_', 'key_0'))
  expect([over.statusCode, over.json<Problem>().detail]).toEqual([401, expect.stringContaining('this session is over')])
})

test('it ends with its key, and in the pages that leads to the sign-in', async () => {
  const token = await app.give()
  const cookie = await app.signIn(token)
  await app.context.stores.access.revokeKey(`key_${token.split('_')[1]}`, new Date().toISOString())
  expect((await who(cookie)).statusCode).toBe(401)
  const page = await app.get('/audit/grades', { cookie })
  expect([page.statusCode, page.headers.location]).toEqual([302, '/audit/sign-in?next=%2Faudit%2Fgrades'])
})

test('the cookie: not for scripts, not from other sites, and its secret is nowhere else', async () => {
  const token = await app.give()
  const opened = await signIn(token)
  const [pair = '', ...attributes] = String(opened.headers['set-cookie']).split('; ')
  expect(pair).toMatch(/^veridict_session=key_[0-9a-f]{16}\/\d{13}\.[\w+/]{43}$/)
  expect(attributes.sort()).toEqual(
    ['Expires=', 'HttpOnly', 'Path=/', 'SameSite=Strict'].map((one) => expect.stringContaining(one)),
  )
  expect(opened.body).not.toContain(secretOf(pair))
  expect(opened.body).not.toContain(token)
  const log = app.logs.join('')
  expect(log).toContain('/v1/session')
  for (const secret of [secretOf(pair), token, token.slice(-43)]) expect(log).not.toContain(secret)
})

test('a planted or changed session is worth nothing', async () => {
  const token = await app.give()
  const planted = `veridict_session=${'A'.repeat(43)}`
  const opened = await signIn(token, { cookie: planted })
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? ''
  expect((await who(planted)).statusCode).toBe(401)
  expect((await who(cookie)).statusCode).toBe(200)
  for (const changed of [cookie.replace('/1', '/2'), cookie.slice(0, -1), cookie.replace(/\..*/, ''), `${cookie}x`])
    expect((await who(changed)).statusCode, changed).toBe(401)
})

test('processes of one database sign alike; another database does not', async () => {
  const database = tempDatabase()
  const [one, other] = await Promise.all(
    [1, 2].map(() => startApp({ env: { ...GUARDED, VERIDICT_DATABASE: database } })),
  )
  const cookie = (await one?.signIn(await one.give())) ?? ''
  expect((await other?.send({ url: '/v1/session', headers: { cookie } }))?.statusCode).toBe(200)
  expect((await who(cookie)).statusCode).toBe(401)
  await Promise.all([one?.stop(), other?.stop()])
})

test('a copy of the database does not suffice to sign, and no session is longer than twelve hours', async () => {
  const database = tempDatabase()
  const service = await startApp({ env: { ...GUARDED, VERIDICT_DATABASE: database } })
  const cookie = await service.signIn(await service.give())
  const ask = () => service.get('/v1/session', { cookie })
  expect((await ask()).statusCode).toBe(200)
  expect(statSync(`${database}.session`).mode & 0o777).toBe(0o600)
  const [id = ''] = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')
  const later = service.http.signCookie(id.replace(/[/].*/, `/${Date.now() + 13 * 3_600_000}`))
  const long = await service.get('/v1/session', { cookie: `veridict_session=${encodeURIComponent(later)}` })
  expect(long.statusCode).toBe(401)
  await service.stop()
  rmSync(`${database}.session`)
  const copy = await startApp({ env: { ...GUARDED, VERIDICT_DATABASE: database } })
  expect((await copy.get('/v1/session', { cookie })).statusCode).toBe(401)
  await copy.stop()
})

test('a sign-in that failed sets nothing, and leaves the session that is there', async () => {
  const cookie = await app.signIn(await app.give())
  const failed = await signIn('vk_wrong', { cookie })
  expect([failed.statusCode, failed.json<Problem>().code]).toEqual([401, 'unauthorized'])
  expect(failed.headers['set-cookie']).toBeUndefined()
  expect((await who(cookie)).statusCode).toBe(200)
})

test('a key beside a cookie decides', async () => {
  const cookie = await app.signIn(await app.give(['read'], { name: 'page' }))
  const key = bearer(await app.give(['read'], { name: 'program' }))
  const both = await app.get('/v1/session', { cookie, ...key })
  expect(both.json<Who>()).toMatchObject({ name: 'program', session: false })
  const wrong = await app.get('/v1/session', { cookie, ...bearer('vk_wrong') })
  expect(wrong.statusCode).toBe(401)
})

describe('forms of other pages, with the cookie', () => {
  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['text', { 'content-type': 'text/plain' }],
    ['text that says JSON', { 'content-type': 'text/plain; application/json' }],
    ['nothing said', {}],
    ['another JSON', { 'content-type': 'application/jsonx' }],
  ])('%s is refused', async (_, headers) => {
    const cookie = await app.signIn(await app.give())
    for (const [method, url] of [
      ['POST', '/v1/grades'],
      ['POST', '/v1/batches/bat_x/cancel'],
      ['DELETE', '/v1/session'],
    ] as const) {
      const response = await app.send({ method, url, headers: { cookie, ...headers } })
      expect([response.statusCode, response.json<Problem>().code], url).toEqual([403, 'cross_origin'])
    }
    expect((await who(cookie)).statusCode).toBe(200)
  })

  test.each([
    ['JSON', { 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(EXAMPLE_REQUEST), 201],
    ['JSON that is none', { 'content-type': 'APPLICATION/JSON' }, '{', 400],
    ['the header of the pages, without a body', { 'x-veridict-page': '1' }, undefined, 400],
  ])('%s goes on to the route', async (_, headers, payload, status) => {
    const cookie = await app.signIn(await app.give())
    const given = { cookie, ...headers }
    const response = await app.http.inject({
      method: 'POST',
      url: '/v1/grades',
      headers: given,
      ...(payload && { payload }),
    })
    expect(response.statusCode).toBe(status)
  })
})

test('where no key is needed it says so, and a session that is over does no harm', async () => {
  const open = await startApp({ env: { VERIDICT_ACCESS: 'off' } })
  const whoOf = async (cookie: string) => (await open.get('/v1/session', { cookie })).json<Who>()
  const anybody = { required: false, session: false, name: 'anybody' }
  expect(await open.read<Who>('/v1/session')).toMatchObject(anybody)
  expect(await whoOf(`veridict_session=${'A'.repeat(43)}`)).toMatchObject(anybody)
  const own = await open.signIn(await open.give(['read'], { name: 'Ada' }))
  expect(await whoOf(own)).toMatchObject({ required: false, session: true, name: 'Ada' })
})

test.each([
  ['nothing', {}],
  ['more than a key', { key: 'vk_x', next: 'https://attacker.example' }],
  ['a key that is no text', { key: { toString: 1 } }],
  ['a key without end', { key: 'v'.repeat(3000) }],
])('a sign-in with %s is not understood', async (_, body) => {
  const response = await app.post('/v1/session', body)
  expect([response.statusCode, response.json<Problem>().code]).toEqual([400, 'invalid_request'])
})

const LENGTH = 16 * 1024 * 1024

/** The status that is answered to a body of which only the first byte has come, by somebody without a key. */
async function statusOfFirstByte(line: string): Promise<string> {
  const origin = await app.listen()
  const head = `host: ${new URL(origin).host}\r\ncontent-type: application/json\r\ncontent-length: ${LENGTH}`
  const { socket, answer } = talk(origin, `${line} HTTP/1.1\r\n${head}\r\n\r\n{`, '\r\n\r\n')
  const status = (await answer).split(' ')[1] ?? ''
  socket.destroy()
  return status
}

test.each([
  ['POST /nothing', '404'],
  ['PUT /v1/grades', '405'],
  ['OPTIONS /v1/grades', '405'],
  ['DELETE /v1/session', '200'],
  ['POST /v1/session', '413'],
  ['POST /v1/grades', '401'],
])('%s without a key: no body is waited for, nor kept', async (line, status) => {
  expect(await statusOfFirstByte(line)).toBe(status)
})

test('a sign-in has room for a key and for no more, also where its size shows only as it arrives', async () => {
  expect((await app.post('/v1/session', { key: await app.give() })).statusCode).toBe(201)
  const large = JSON.stringify({ key: 'k'.repeat(5000) })
  const announced = await app.post('/v1/session', large)
  expect(announced.json<Problem>()).toMatchObject({ status: 413, detail: 'the body is larger than 4096 bytes' })
  const chunked = await app.post('/v1/session', large, { 'transfer-encoding': 'chunked' })
  expect(chunked.json<Problem>()).toMatchObject({ status: 413, code: 'body_too_large' })
})
