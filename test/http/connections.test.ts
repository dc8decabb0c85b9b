import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { useApp } from '../start-app.ts'
import { type JudgeOnHold, judgeOnHold } from './make-batch.ts'
import { bodyOf, talk } from './raw-http.ts'

/** What only a real socket shows. */
const LIMIT = 200_000
let origin: string
let judge: JudgeOnHold
const app = useApp(() => {
  judge = judgeOnHold()
  return { judges: [judge], limits: { body_bytes: LIMIT } }
})
beforeEach(async () => {
  origin = await app.listen()
})

const lives = async () => expect((await fetch(`${origin}/healthz`)).status).toBe(200)
const post = (body: unknown, more: RequestInit = {}) => postJson(`${origin}/v1/grades`, body, more)
const head = (...lines: string[]) =>
  ['POST /v1/grades HTTP/1.1', 'host: localhost', 'content-type: application/json', ...lines, '', ''].join('\r\n')

test('a body far over the limit gets its 413, and the connection goes on', async () => {
  for (let round = 0; round < 3; round++) {
    const response = await post('x'.repeat(20 * LIMIT))
    expect(response.status).toBe(413)
    expect(((await response.json()) as Problem).code).toBe('body_too_large')
  }
  await lives()
})

test('a body that announces too much is refused before it is sent', async () => {
  const { socket, answer } = talk(origin, head(`content-length: ${10 * LIMIT}`), '}')
  expect(bodyOf<Problem>(await answer)).toMatchObject({ status: 413, code: 'body_too_large' })
  socket.destroy()
  await lives()
})

test('a chunked body without end is refused while it is still coming', async () => {
  const client = httpRequest(`${origin}/v1/grades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  })
  client.on('error', () => undefined)
  const answered = new Promise<number | undefined>((resolve) => client.on('response', (one) => resolve(one.statusCode)))
  const chunk = 'x'.repeat(50_000)
  const writing = setInterval(() => client.write(chunk), 1)
  expect(await answered).toBe(413)
  clearInterval(writing)
  client.destroy()
  await lives()
})

test('a body that breaks off is no server error', async () => {
  const { socket, answer } = talk(origin, `${head('content-length: 1000')}{"trajectory":`)
  await new Promise((resolve) => setTimeout(resolve, 20))
  socket.destroy()
  await answer
  await lives()
  expect(app.logs.join('')).not.toContain('unexpected error')
})

test.each([
  ['no HTTP', 'HELLO\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nbroken\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
  ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  ['an expectation that nobody meets', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: foo\r\nconnection: close\r\n\r\n', 417],
  ['a request without Host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
])('%s is refused in the form of all errors, with the headers of all answers', async (_name, bytes, status) => {
  const answer = await talk(origin, bytes).answer
  expect(answer).toContain(`"status":${status},"code":"invalid_request"`)
  for (const header of [
    `http/1.1 ${status} `,
    'content-type: application/problem+json',
    'x-content-type-options: nosniff',
    'cache-control: no-store',
  ])
    expect(answer.toLowerCase()).toContain(header)
  await lives()
})

test('a client that leaves does not cancel what is paid for: its grade is stored', async () => {
  const leaving = new AbortController()
  const sent = post(REQUEST, { signal: leaving.signal }).catch(() => 'left')
  await judge.asked
  leaving.abort()
  expect(await sent).toBe('left')
  judge.answer(GOOD_ANSWER)
  await app.settled()
  const again = await post(REQUEST)
  expect([again.status, ((await again.json()) as Grade).label, judge.calls]).toEqual([200, 'aligned', 1])
})

test('while stopping: what is in flight is finished, nothing new is begun, connections end', async () => {
  const inFlight = post(REQUEST)
  await judge.asked
  app.state.draining = true
  const refused = await post({ ...REQUEST, samples: 2 })
  expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close'])
  expect(((await refused.json()) as Problem).code).toBe('draining')
  await lives()
  const closed = app.http.close()
  judge.answer(GOOD_ANSWER)
  const answered = await inFlight
  expect([answered.status, answered.headers.get('connection')]).toEqual([201, 'close'])
  await answered.text()
  await closed
})

test('a request that was arriving when the stop came is answered', async () => {
  const body = JSON.stringify({ ...REQUEST, judge: 'lexical' })
  const arrived = once(app.http.server, 'request')
  const { socket, answer } = talk(origin, head(`content-length: ${Buffer.byteLength(body)}`, 'connection: close'))
  await arrived
  app.state.draining = true
  socket.write(body)
  expect(await answer).toMatch(/^HTTP\/1\.1 201 /)
})
