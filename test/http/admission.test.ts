import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { Limits } from '../../src/config/settings.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { REQUEST } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { bodyOf, talk } from './raw-http.ts'

let app: TestApp

async function start(limits: Partial<Limits>): Promise<string> {
  app = await startApp({ limits })
  return app.listen()
}

const MB = 1024 * 1024
const KNOWN = { ...REQUEST, judge: 'lexical' }
const KNOWN_TEXT = JSON.stringify(KNOWN)
const head = (length: number, ...lines: string[]) =>
  [
    'POST /v1/grades HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `content-length: ${length}`,
    ...lines,
    '',
    '',
  ].join('\r\n')

/** The beginning of a body, behind which it takes the room for all of it. */
const begin = (bytes: number, ...lines: string[]) => `${head(bytes, ...lines)}{${' '.repeat(100_000)}`

/** One series of /metrics, by its labels. */
async function metric(name: string, of: string): Promise<number> {
  const line = (await app.get('/metrics')).body.split('\n').find((one) => one.startsWith(`${name}{of="${of}"}`))
  return Number(line?.split(' ')[1] ?? 0)
}
const used = (of: string) => metric('veridict_admitted', of)

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

function expectOverloaded(status: number, retryAfter: unknown, problem: Problem): void {
  expect([status, problem.code, problem.retryable]).toEqual([503, 'overloaded', true])
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)
  expect(Number(retryAfter)).toBeLessThanOrEqual(60)
}

test('bodies share a room: large ones leave a quarter to small ones, wait for theirs in a queue, and give it back', async () => {
  const origin = await start({ held_bytes: 16 * MB })
  const sockets = [4, 4, 4].map((size) => talk(origin, begin(size * MB)).socket)
  await until(async () => (await used('body_bytes')) === 12 * MB)
  const large = KNOWN_TEXT + ' '.repeat(2 * MB)
  const waits = app.post('/v1/grades', large)
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
  expect(await used('body_bytes')).toBe(12 * MB)
  for (const socket of sockets) socket.destroy()
  expect((await waits).statusCode).toBe(200)
  await until(async () => (await used('body_bytes')) === 0)
})

test('a large body that finds no room in five seconds is refused, and so is one beyond the queue', async () => {
  const origin = await start({ held_bytes: 4 * MB })
  const holder = talk(origin, begin(4 * MB)).socket
  await until(async () => (await used('body_bytes')) === 4 * MB)
  const queue = Array.from({ length: 64 }, () => talk(origin, begin(2 * MB), '}'))
  const beyond = await Promise.race(Array.from({ length: 2 }, () => talk(origin, begin(2 * MB), '}').answer))
  expectOverloaded(503, /retry-after: (\d+)/.exec(beyond)?.[1], bodyOf<Problem>(beyond))
  for (const { answer } of queue) expect(bodyOf<Problem>(await answer).code).toBe('overloaded')
  expect(await metric('veridict_refused_total', 'body_bytes')).toBeGreaterThan(64)
  for (const { socket } of queue) socket.destroy()
  holder.destroy()
  await until(async () => (await used('body_bytes')) === 0)
})

test('a body of which nothing comes holds next to no room, whatever its length', async () => {
  const origin = await start({ held_bytes: 4 * MB })
  const lines = (path: string) => head(4 * MB).replace('/v1/grades', path)
  const silent = ['/v1/grades', '/v1/agreement', '/v1/batches'].map((path) => talk(origin, lines(path)).socket)
  const chunked = lines('/v1/agreement').replace(/content-length: .*/, 'transfer-encoding: chunked')
  silent.push(talk(origin, `${chunked}1\r\n{\r\n`).socket)
  silent.push(talk(origin, lines('/v1/batches').replace('/json', '/x-ndjson')).socket)
  await until(async () => (await used('body_bytes')) === 5 * 64 * 1024)
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
  for (const socket of silent) socket.destroy()
  await until(async () => (await used('body_bytes')) === 0)
})

test('a compressed body counts as what it may become', async () => {
  const origin = await start({})
  const body = gzipSync(`{${' '.repeat(100_000)}`)
  const { socket } = talk(origin, `${head(20_000, 'content-encoding: gzip')}`)
  await until(async () => (await used('body_bytes')) === 64 * 1024)
  socket.write(body)
  await until(async () => (await used('body_bytes')) === 2_000_000)
  socket.destroy()
  await until(async () => (await used('body_bytes')) === 0)
})

test.each([
  ['no JSON', '{', 400],
  ['no grade request', '{}', 400],
  ['an unknown judge', JSON.stringify({ ...REQUEST, judge: 'nobody' }), 400],
  ['nothing cached', JSON.stringify({ ...KNOWN, cache: 'only' }), 404],
])('what is refused for another reason gives its room back: %s', async (_name, body, status) => {
  await start({})
  for (let round = 0; round < 3; round++) expect((await app.post('/v1/grades', body)).statusCode).toBe(status)
  expect(await used('body_bytes')).toBe(0)
})

test('a body that drips is broken off with 408; the rest of a refused one ends too; one that is written as it goes does not', async () => {
  const origin = await start({ body_ms: 400 })
  const drip = (bytes: string) => {
    const talking = talk(origin, bytes)
    const timer = setInterval(() => talking.socket.writable && talking.socket.write(' '), 50)
    talking.socket.once('close', () => clearInterval(timer))
    return talking
  }
  const nobody = drip(head(MB).replace('/v1/grades', '/nowhere'))
  expect(await drip(head(MB)).answer).toContain('HTTP/1.1 408')
  expect(await nobody.answer).toContain('HTTP/1.1 404')
  await until(async () => (await used('body_bytes')) === 0)

  const lines = drip(head(1000).replace('/v1/grades', '/v1/batches').replace('/json', '/x-ndjson'))
  await new Promise((resolve) => setTimeout(resolve, 1200))
  expect(lines.socket.destroyed).toBe(false)
  lines.socket.destroy()
  await until(async () => (await used('body_bytes')) === 0)
})

const BIG = { steps: Array.from({ length: 12 }, (_, at) => ({ actor: 'user', text: `${at}`.padEnd(1_000_000, 'é') })) }

test('a page of large steps ends early and says where it goes on; a large answer arrives whole', async () => {
  const origin = await start({})
  const { id } = (await app.post('/v1/trajectories', BIG)).json<{ id: string }>()
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `${origin}/v1/trajectories/${id}/steps${cursor && `?cursor=${cursor}`}`
    const page = (await (await fetch(url)).json()) as {
      items: { parts: { text: string }[] }[]
      next_cursor: string | null
    }
    expect(page.items.length).toBeLessThan(6)
    for (const { parts } of page.items) for (const { text } of parts) seen.push(text)
    cursor = page.next_cursor
  }
  expect(seen).toEqual(BIG.steps.map(({ text }) => text))
})

test('connections are bounded: one more is closed as it comes', async () => {
  const origin = await start({ connections: 1 })
  const get = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
  const first = talk(origin, get, '}')
  expect(await first.answer).toContain('200 OK')
  const second = connect(Number(new URL(origin).port), '127.0.0.1')
  second.on('error', () => undefined)
  await new Promise((resolve) => second.once('close', resolve))
  first.socket.destroy()
})

test.each([
  ['memory', { heap_share: 1e-9 }],
  ['time', { event_loop_delay_ms: 1e-9 }],
])('without %s left nothing new is begun, and hits are answered', async (_name, limits) => {
  await start(limits)
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
  const refresh = () => app.post('/v1/grades', { ...KNOWN, cache: 'refresh' })
  await until(async () => (await refresh()).statusCode === 503)
  const refused = await refresh()
  expectOverloaded(refused.statusCode, refused.headers['retry-after'], refused.json<Problem>())
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(200)
})

test('a body without a length is cut off for its silence alone', async () => {
  const origin = await start({})
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const chunked = head(1).replace(/content-length: .*/, 'transfer-encoding: chunked')
    const served: Socket[] = []
    app.http.server.on('connection', (socket) => served.push(socket))
    const { socket } = talk(origin, `${chunked}186a1\r\n{${' '.repeat(100_000)}\r\n`)
    await until(async () => (await used('body_bytes')) === 32 * MB)
    const seen = served[0]?.bytesRead ?? 0
    socket.write('1\r\n \r\n')
    await until(async () => (served[0]?.bytesRead ?? 0) > seen)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(served[0]?.writableEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    await until(async () => socket.closed)
  } finally {
    vi.useRealTimers()
  }
})
