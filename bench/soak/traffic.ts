import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { makeRequest } from '../make-body.ts'

/** Sends one request, and tells its outcome: a status and the code of its problem, `left` or `broken`. */
export type Act = () => Promise<string>

const ACTS = ['hit', 'miss', 'lexical', 'large', 'upload', 'page', 'read', 'report', 'leave', 'drip', 'follow'] as const
export type ActName = (typeof ACTS)[number]

export interface Traffic {
  readonly acts: Readonly<Record<ActName, Act>>
  /** Grades the requests that hits repeat. */
  prepare(): Promise<void>
  close(): Promise<void>
}

/** Bytes of a body; the answer of the played provider holds for runs of this size. */
const BODY = 8000
const LARGE = 24_000_000
/** Requests that are graded before the first phase, and repeated as hits. */
export const KNOWN_REQUESTS = 50
const JSON_TYPE = { 'content-type': 'application/json' }
const PAGES = ['/audit/', '/audit/queue', '/openapi.json', '/docs/']
const READS = ['/v1/grades?limit=50', '/v1/batches', '/v1/judges', '/healthz', '/readyz']

/** Makes the requests of the soak against a service. */
export function createTraffic(origin: string): Traffic {
  const wait = { headersTimeout: 120_000, bodyTimeout: 120_000, keepAliveMaxTimeout: 2000 }
  const agent = new Agent({ connections: 256, ...wait })
  const run = process.hrtime.bigint().toString(36)
  let serial = 0
  const encode = (value: object) => Buffer.from(JSON.stringify(value))
  const fresh = (bytes: number, judge: string) => encode(makeRequest(bytes, `${run}-${serial++}`, { judge }))
  const known = Array.from({ length: KNOWN_REQUESTS }, (_, at) => encode(makeRequest(BODY, `${run}-known-${at}`)))
  const pick = <T>(list: readonly T[]): T => list[serial++ % list.length] as T

  async function send(path: string, body?: Buffer, signal?: AbortSignal): Promise<string> {
    const answer = await request(origin + path, {
      dispatcher: agent,
      ...(body && { method: 'POST' as const, headers: JSON_TYPE, body }),
      ...(signal && { signal }),
    })
    const text = await answer.body.text()
    if (answer.statusCode < 400) return `${answer.statusCode}`
    if (answer.statusCode === 503 && answer.headers['retry-after'] === undefined) return '503 without Retry-After'
    return `${answer.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? 'without a problem document'}`
  }

  async function leave(): Promise<string> {
    const leaving = new AbortController()
    const answer = send('/v1/grades', fresh(BODY, 'openai'), leaving.signal).catch(() => 'left')
    await delay(30)
    leaving.abort()
    return answer
  }

  /** Announces a body, sends a byte a second for five seconds, and leaves. */
  async function drip(): Promise<string> {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    const head = 'host: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000'
    socket.write(`POST /v1/grades HTTP/1.1\r\n${head}\r\n\r\n{`)
    for (let second = 0; second < 5 && !socket.destroyed; second++) {
      await delay(1000)
      if (socket.writable) socket.write(' ')
    }
    socket.destroy()
    return answer === '' ? 'left' : answer.slice(9, 12)
  }

  /** Reads the events of the newest batch for five seconds. */
  async function follow(): Promise<string> {
    const list = await request(`${origin}/v1/batches?limit=1`, { dispatcher: agent })
    const [batch] = ((await list.body.json()) as { items: readonly { id: string }[] }).items
    if (batch === undefined) return 'nothing to follow'
    const signal = AbortSignal.timeout(5000)
    const answer = await request(`${origin}/v1/batches/${batch.id}/events`, { dispatcher: agent, signal })
    await answer.body.dump({ limit: 10_000_000 }).catch(() => undefined)
    return `${answer.statusCode}`
  }

  return {
    acts: {
      hit: () => send('/v1/grades', pick(known)),
      miss: () => send('/v1/grades', fresh(BODY, 'openai')),
      lexical: () => send('/v1/grades', fresh(BODY, 'lexical')),
      large: () => send('/v1/grades', fresh(LARGE, 'lexical')),
      upload: () => send('/v1/trajectories', encode(makeRequest(BODY, `${run}-${serial++}`).trajectory)),
      page: () => send(pick(PAGES)),
      read: () => send(pick(READS)),
      report: () => send('/v1/reports?judge=lexical&draws=200'),
      ...{ leave, drip, follow },
    },
    async prepare() {
      for (const body of known) await send('/v1/grades', body)
    },
    close: () => agent.destroy(),
  }
}
