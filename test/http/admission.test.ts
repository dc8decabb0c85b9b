import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { Limits } from '../../src/config/limits.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { type JudgeOnHold, judgeOnHold } from './judges-on-hold.ts'
import { bodyOf, listen, talk } from './raw-http.ts'

let app: TestApp
let judge: JudgeOnHold
afterEach(() => app.stop())

async function start(given: Partial<Limits>): Promise<string> {
  judge = judgeOnHold()
  const limits = { ...loadConfig({}, () => '').config.limits, ...given }
  app = await startApp({ judges: [judge], config: { limits } })
  return listen(app)
}

const MB = 1024 * 1024
const KNOWN = { ...REQUEST, judge: 'lexical' }
const ask = (samples: number) => app.post('/v1/grades', { ...REQUEST, samples })
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

test('above capacity a new grade is refused at once; hits, probes and reads are not', async () => {
  await start({ grading_at_once: 2 })
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
  const waiting = [ask(1), ask(2)]
  await until(async () => (await used('grades')) === 2)

  const refused = await ask(3)
  expectOverloaded(refused.statusCode, refused.headers['retry-after'], refused.json<Problem>())
  const others = [app.post('/v1/grades', KNOWN), ...['/healthz', '/readyz', '/v1/grades', '/v1/batches'].map(app.get)]
  expect((await Promise.all(others)).map((one) => one.statusCode)).toEqual([200, 200, 200, 200, 200])
  expect(await metric('veridict_refused_total', 'grades')).toBe(1)

  judge.answer(GOOD_ANSWER)
  expect((await Promise.all(waiting)).map((one) => one.statusCode)).toEqual([201, 201])
  expect((await ask(3)).statusCode).toBe(201)
  expect([await used('grades'), await used('body_bytes')]).toEqual([0, 0])
})

test('a batch is taken in while single grades are refused', async () => {
  await start({ grading_at_once: 1 })
  const waiting = ask(1)
  await until(async () => (await used('grades')) === 1)
  expect((await ask(2)).statusCode).toBe(503)
  expect((await app.post('/v1/batches', { items: [KNOWN] })).statusCode).toBe(202)
  judge.answer(GOOD_ANSWER)
  await waiting
})

test('a client that leaves keeps its place until its grade is stored', async () => {
  const origin = await start({ grading_at_once: 1 })
  const body = JSON.stringify(REQUEST)
  const { socket } = talk(origin, head(body.length) + body)
  await judge.asked
  socket.destroy()
  await new Promise((resolve) => socket.once('close', resolve))
  expect([await used('grades'), (await ask(2)).statusCode]).toEqual([1, 503])
  judge.answer(GOOD_ANSWER)
  await app.settled()
  await until(async () => (await used('grades')) === 0)
  expect((await ask(2)).statusCode).toBe(201)
})

test('bodies share a room: large ones leave a quarter to small ones, and what breaks off gives its part back', async () => {
  const origin = await start({ held_bytes: 16 * MB })
  const sockets = [4, 4, 4].map((size) => talk(origin, `${head(size * MB)}{`).socket)
  await until(async () => (await used('body_bytes')) === 12 * MB)
  const fourth = talk(origin, `${head(4 * MB)}{`, '}')
  sockets.push(fourth.socket)
  const refused = await fourth.answer
  expectOverloaded(503, /retry-after: (\d+)/.exec(refused)?.[1], bodyOf<Problem>(refused))
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
  for (const socket of sockets) socket.destroy()
  await until(async () => (await used('body_bytes')) === 0)
})

test('a compressed body counts as what it becomes', async () => {
  await start({ held_bytes: 64 * 1024 })
  const text = JSON.stringify({ ...KNOWN, padding: 'veridict '.repeat(20_000) })
  const refused = await app.post('/v1/grades', gzipSync(text), { 'content-encoding': 'gzip' })
  expectOverloaded(refused.statusCode, refused.headers['retry-after'], refused.json<Problem>())
  expect(await used('body_bytes')).toBe(0)
})

test.each([
  ['no JSON', '{', 400],
  ['no grade request', '{}', 400],
  ['an unknown judge', JSON.stringify({ ...REQUEST, judge: 'nobody' }), 400],
  ['nothing cached', JSON.stringify({ ...KNOWN, cache: 'only' }), 404],
])('what is refused for another reason gives its room back: %s', async (_name, body, status) => {
  await start({ grading_at_once: 1 })
  for (let round = 0; round < 3; round++) expect((await app.post('/v1/grades', body)).statusCode).toBe(status)
  expect([await used('grades'), await used('body_bytes')]).toEqual([0, 0])
})

test('streams are bounded, and a follower that leaves makes room', async () => {
  const origin = await start({ streams_at_once: 1 })
  const { id } = (await app.post('/v1/batches', { items: [REQUEST] })).json<{ id: string }>()
  const follow = `GET /v1/batches/${id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n`
  const first = talk(origin, follow, 'event: progress')
  await first.answer
  const second = await fetch(`${origin}/v1/batches/${id}/events`)
  expectOverloaded(second.status, second.headers.get('retry-after'), (await second.json()) as Problem)
  first.socket.destroy()
  await until(async () => (await used('streams')) === 0)
  const third = talk(origin, follow, 'event: progress')
  expect(await third.answer).toContain('HTTP/1.1 200')
  third.socket.destroy()
  judge.answer(GOOD_ANSWER)
})

test('a body that drips is broken off with 408, whoever wants it; one that is written as it goes is not', async () => {
  const origin = await start({ slow_body_ms: 400, body_bytes_per_s: 10_000 })
  const drip = (bytes: string) => {
    const talking = talk(origin, bytes)
    const timer = setInterval(() => talking.socket.writable && talking.socket.write(' '), 50)
    talking.socket.once('close', () => clearInterval(timer))
    return talking
  }
  const nobody = drip(head(MB).replace('/v1/grades', '/nowhere'))
  expect(await drip(head(MB)).answer).toContain('HTTP/1.1 408')
  await nobody.answer
  await until(async () => (await used('body_bytes')) === 0)

  const lines = drip(head(1000).replace('/v1/grades', '/v1/batches').replace('/json', '/x-ndjson'))
  await new Promise((resolve) => setTimeout(resolve, 1200))
  expect(lines.socket.destroyed).toBe(false)
  lines.socket.destroy()
  await until(async () => (await used('uploads')) === 0)
})

const BIG = { steps: Array.from({ length: 12 }, (_, at) => ({ actor: 'user', text: `${at}`.padEnd(1_000_000, 'é') })) }

test('slow readers of large answers hold a bounded room, then are broken off', async () => {
  const origin = await start({ answer_chars: 12_000_000, slow_reader_ms: 500 })
  const { id } = (await app.post('/v1/trajectories', BIG)).json<{ id: string }>()
  const get = `GET /v1/trajectories/${id}/steps HTTP/1.1\r\nhost: localhost\r\n\r\n`
  const slow = [0, 1].map(() => connect(Number(new URL(origin).port), '127.0.0.1').pause())
  for (const socket of slow) socket.on('error', () => undefined).write(get)
  await until(async () => (await used('answer_chars')) > 8_000_000)
  const refused = await app.get(`/v1/trajectories/${id}/steps`)
  expectOverloaded(refused.statusCode, refused.headers['retry-after'], refused.json<Problem>())
  await until(async () => (await used('answer_chars')) === 0)
  for (const socket of slow) socket.destroy()
})

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

test('reports beyond their limit are refused, grades go on', async () => {
  await start({ statistics_at_once: 0 })
  const refused = await app.get('/v1/reports/alignment')
  expectOverloaded(refused.statusCode, refused.headers['retry-after'], refused.json<Problem>())
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
})

test.each([
  ['memory', { heap_share: 1e-9 }],
  ['time', { event_loop_delay_ms: -1000 }],
])('without %s left nothing new is begun, and hits are answered', async (_name, limits) => {
  await start(limits)
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(201)
  let samples = 1
  await until(async () => (await app.post('/v1/grades', { ...KNOWN, samples: ++samples })).statusCode === 503)
  const refused = await app.post('/v1/grades', { ...KNOWN, cache: 'refresh' })
  expectOverloaded(refused.statusCode, refused.headers['retry-after'], refused.json<Problem>())
  expect((await app.post('/v1/grades', KNOWN)).statusCode).toBe(200)
})
