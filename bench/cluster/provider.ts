import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startScript } from '../servers.ts'
import { ANSWER } from '../soak/provider-answer.ts'

/** What the played provider has seen. Items are told apart by the salt of their trajectory. */
interface Seen {
  readonly calls: number
  readonly items: number
  readonly most_at_once: number
  /** How many items were asked about once, twice, …: `{"1": 9990, "2": 10}`. */
  readonly times: Readonly<Record<string, number>>
}

export interface CountingProvider {
  readonly origin: string
  seen(): Promise<Seen>
  /** Calls of the process with this API key that are on their way, or were answered so lately that it may not have read them. */
  onTheWay(key: string): Promise<number>
  /** Forgets what it has seen. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/** An OpenAI Responses endpoint on loopback in a process of its own, which answers after a fixed time and counts. */
export async function spawnCountingProvider(latencyMs: number): Promise<CountingProvider> {
  const { origin, stop } = await startScript('bench/cluster/provider.ts', { CLUSTER_PROVIDER_MS: `${latencyMs}` })
  const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${origin}${path}`)).json()) as T
  return {
    origin,
    stop,
    seen: () => ask<Seen>('/seen'),
    onTheWay: (key) => ask<number>(`/on-the-way/${key}`),
    reset: async () => void (await ask('/reset')),
  }
}

/** An answer that was sent so long ago has been read, unless its reader is stopped. */
const UNREAD_MS = 300

interface Call {
  readonly key: string
  readonly begun: number
  ended: number | null
}

function createCounter() {
  let calls: Call[] = []
  let times = new Map<string, number>()
  let total = 0
  let [atOnce, most] = [0, 0]
  return {
    begin(key: string, item: string): Call {
      const call: Call = { key, begun: Date.now(), ended: null }
      if (calls.length > 5000) calls = calls.filter(({ ended }) => ended === null || Date.now() - ended < UNREAD_MS)
      calls.push(call)
      times.set(item, (times.get(item) ?? 0) + 1)
      total++
      most = Math.max(most, ++atOnce)
      return call
    },
    end(call: Call): void {
      if (call.ended !== null) return
      call.ended = Date.now()
      atOnce--
    },
    onTheWay: (key: string): number =>
      calls.filter((one) => one.key === key && (one.ended === null || Date.now() - one.ended < UNREAD_MS)).length,
    seen: (): Seen => {
      const counts: Record<string, number> = {}
      for (const count of times.values()) counts[count] = (counts[count] ?? 0) + 1
      return { calls: total, items: times.size, most_at_once: most, times: counts }
    },
    reset(): void {
      times = new Map()
      ;[total, most] = [0, atOnce]
    },
  }
}

/** `src/file-<salt>-<index>.ts` stands in every generated step. */
function itemOf(body: string): string {
  const from = body.indexOf('src/file-')
  return body.slice(from, body.indexOf('-', body.indexOf('-', from + 9) + 1))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

if (import.meta.main) {
  const latency = Number(process.env['CLUSTER_PROVIDER_MS'] ?? 200)
  const counter = createCounter()
  const answers: Readonly<Record<string, (rest: string) => unknown>> = {
    seen: () => counter.seen(),
    'on-the-way': (key) => counter.onTheWay(key),
    reset: () => counter.reset() ?? true,
  }
  const server = createServer(async (request, response) => {
    const [, name = '', rest = ''] = request.url?.split('/') ?? []
    const answer = answers[name]
    if (answer !== undefined) {
      response.end(JSON.stringify(answer(rest)))
      return
    }
    const key = (request.headers.authorization ?? '').replace('Bearer ', '')
    const body = await readText(request).catch(() => null)
    if (body === null) return
    const call = counter.begin(key, itemOf(body))
    response.once('close', () => counter.end(call))
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER), latency)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
