import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Problem } from '../../src/schemas/problem.ts'
import { type GuardedApp, startGuarded } from './access-app.ts'
import { listen, talk } from './raw-http.ts'

let app: GuardedApp
beforeEach(async () => {
  app = await startGuarded()
})
afterEach(() => app.stop())

const LENGTH = 16 * 1024 * 1024

/** The status that is answered to a body of which only the first byte has come, by somebody without a key. */
async function statusOfFirstByte(line: string): Promise<string> {
  const origin = await listen(app)
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
