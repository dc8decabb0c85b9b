import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { makeRequest } from '../make-body.ts'
import type { Recorder } from './recorder.ts'

/** What clients do, each as one request that answers what became of it. */
export interface Traffic {
  readonly act: Readonly<Record<Act, () => Promise<void>>>
  /** Grades what the hits will ask again. */
  prepare(): Promise<void>
  close(): Promise<void>
}

const ACTS = ['hit', 'miss', 'lexical', 'large', 'upload', 'page', 'read', 'report', 'leave', 'drip', 'follow'] as const
export type Act = (typeof ACTS)[number]

/** The played provider’s answer holds for runs of this size. */
const BODY = 8000
const LARGE = 24_000_000
/** Graded before the first phase, and asked again as hits. */
export const KNOWN_REQUESTS = 50
const JSON_TYPE = { 'content-type': 'application/json' }
const PAGES = ['/audit/', '/audit/queue', '/openapi.json', '/docs/']
const READS = ['/v1/grades?limit=50', '/v1/batches', '/v1/judges', '/healthz', '/readyz']

export function createTraffic(origin: string, recorder: Recorder): Traffic {
  const agent = new Agent({
    connections: 256,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
    keepAliveMaxTimeout: 2000,
  })
  const run = process.hrtime.bigint().toString(36)
  let serial = 0
  const fresh = (bytes: number, extra: object) => encode(makeRequest(bytes, `${run}-${serial++}`, extra))
  const known = Array.from({ length: KNOWN_REQUESTS }, (_, index) => encode(makeRequest(BODY, `${run}-known-${index}`)))

  async function send(path: string, body?: Buffer, signal?: AbortSignal): Promise<string> {
    const answer = await request(origin + path, {
      dispatcher: agent,
      ...(body === undefined ? {} : { method: 'POST' as const, headers: JSON_TYPE, body }),
      ...(signal && { signal }),
    })
    const text = await answer.body.text()
    if (answer.statusCode < 400) return `${answer.statusCode}`
    if (answer.statusCode === 503 && answer.headers['retry-after'] === undefined) return '503 without Retry-After'
    return `${answer.statusCode} ${codeOf(text)}`
  }

  const leave = async () => {
    const leaving = new AbortController()
    const answered = send('/v1/grades', fresh(BODY, { judge: 'openai' }), leaving.signal).catch(() => 'left')
    await delay(30)
    leaving.abort()
    return answered
  }
  const pick = <T>(list: readonly T[]): T => list[serial++ % list.length] as T
  const time = (kind: Act, work: () => Promise<string>) => () => recorder.time(kind, work)
  return {
    act: {
      hit: time('hit', () => send('/v1/grades', pick(known))),
      miss: time('miss', () => send('/v1/grades', fresh(BODY, { judge: 'openai' }))),
      lexical: time('lexical', () => send('/v1/grades', fresh(BODY, { judge: 'lexical' }))),
      large: time('large', () => send('/v1/grades', fresh(LARGE, { judge: 'lexical' }))),
      upload: time('upload', () => send('/v1/trajectories', trajectoryOf(fresh(BODY, {})))),
      page: time('page', () => send(pick(PAGES))),
      read: time('read', () => send(pick(READS))),
      report: time('report', () => send('/v1/reports?judge=lexical&draws=200')),
      leave: time('leave', leave),
      drip: time('drip', () => drip(origin)),
      follow: time('follow', () => follow(origin, agent)),
    },
    async prepare() {
      for (const body of known) await send('/v1/grades', body)
    },
    close: () => agent.destroy(),
  }
}

const encode = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const trajectoryOf = (body: Buffer): Buffer =>
  encode((JSON.parse(body.toString()) as { trajectory: object }).trajectory)

function codeOf(text: string): string {
  try {
    return (JSON.parse(text) as { code: string }).code
  } catch {
    return 'no problem document'
  }
}

/** Announces a body, sends a byte a second of it, and goes after a while. */
async function drip(origin: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.write(
    'POST /v1/grades HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
  )
  for (let second = 0; second < 5 && !socket.destroyed; second++) {
    await delay(1000)
    if (socket.writable) socket.write(' ')
  }
  socket.destroy()
  return received === '' ? 'left' : received.slice(9, 12)
}

/** Reads the events of the newest batch for some seconds. */
async function follow(origin: string, dispatcher: Agent): Promise<string> {
  const list = await request(`${origin}/v1/batches?limit=1`, { dispatcher })
  const { items } = (await list.body.json()) as { items: readonly { id: string }[] }
  const id = items[0]?.id
  if (id === undefined) return 'nothing to follow'
  const leaving = new AbortController()
  const answer = await request(`${origin}/v1/batches/${id}/events`, { dispatcher, signal: leaving.signal })
  const timer = setTimeout(() => leaving.abort(), 5000)
  try {
    await answer.body.dump({ limit: 10_000_000 })
  } catch {
    // It left.
  }
  clearTimeout(timer)
  return `${answer.statusCode}`
}
