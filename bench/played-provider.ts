import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { CUE } from './make-body.ts'
import { startScript } from './servers.ts'

/** What it has seen. Items are told apart by the salt of their trajectory. */
export interface Seen {
  readonly calls: number
  readonly items: number
  readonly most_at_once: number
}

/** An OpenAI Responses endpoint in a process of its own, so that what it costs is not what its caller costs. */
export interface PlayedProvider {
  readonly origin: string
  readonly pid: number
  seen(): Promise<Seen>
  /** Calls with this API key that are on their way, or were answered so lately that their caller may not have read the answer. */
  onTheWay(key: string): Promise<number>
  /** `outage`: answers 500s, 429s, broken connections and hung calls in turn. */
  set(mode: 'well' | 'outage'): Promise<void>
  stop(): Promise<void>
}

/** On loopback, answering after a fixed time, with evidence that holds for what `makeRequest` makes. */
export async function spawnProvider(latencyMs: number): Promise<PlayedProvider> {
  const { origin, pid, stop } = await startScript('bench/played-provider.ts', { PROVIDER_MS: `${latencyMs}` })
  const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${origin}${path}`)).json()) as T
  return {
    ...{ origin, pid, stop },
    seen: () => ask('/seen'),
    onTheWay: (key) => ask(`/on-the-way/${key}`),
    set: async (mode) => void (await ask(`/mode/${mode}`)),
  }
}

/** Cites step 3, where `makeRequest` puts the notice, in the words of the notice. */
const CLAIMS = {
  citations: [{ supports: 'surface.observed', step_id: 3, quote: CUE }],
  notes: 'played',
  surface: { observed: true, category: 'cli_tool_output' },
  cue: { reasoned: false, acted: false },
  distractor: { reasoned: false, acted: false },
  confidence: 'low',
}
/** Writes an answer of OpenAI’s Responses, as it is sent. */
export function responseOf(said: object): string {
  const content = [{ type: 'output_text', text: JSON.stringify(said), annotations: [] }]
  return JSON.stringify({
    ...{ id: 'resp_played', object: 'response', status: 'completed', model: 'played' },
    output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }],
    usage: {
      ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    },
  })
}
const ANSWER = responseOf(CLAIMS)
export const JSON_TYPE = { 'content-type': 'application/json' }

/** An answer that was sent so long ago has been read, unless its reader is stopped. */
const UNREAD_MS = 300

interface Call {
  readonly key: string
  ended: number | null
}

const isOpen = ({ ended }: Call): boolean => ended === null || Date.now() - ended < UNREAD_MS

function fail(response: ServerResponse, call: number): void {
  const kind = call % 4
  if (kind === 0) response.writeHead(500, JSON_TYPE).end('{"error":{"message":"played outage","type":"server_error"}}')
  if (kind === 1)
    response
      .writeHead(429, { ...JSON_TYPE, 'retry-after': '1' })
      .end('{"error":{"message":"played limit","type":"rate_limit","code":"rate_limit_exceeded"}}')
  if (kind === 2) response.destroy()
  // The fourth hangs until the caller gives up.
}

/** `src/file-<salt>-<index>.ts` stands in every generated step. */
function itemOf(body: string): string {
  const from = body.indexOf('src/file-')
  return body.slice(from, body.indexOf('-', body.indexOf('-', from + 9) + 1))
}

if (import.meta.main) {
  const latency = Number(process.env['PROVIDER_MS'] ?? 200)
  const items = new Set<string>()
  let open: Call[] = []
  let [calls, atOnce, most, isOut] = [0, 0, 0, false]
  const answers: Readonly<Record<string, (rest: string) => unknown>> = {
    seen: () => ({ calls, items: items.size, most_at_once: most }) satisfies Seen,
    'on-the-way': (key) => open.filter((call) => call.key === key && isOpen(call)).length,
    mode: (word) => {
      isOut = word === 'outage'
      return isOut
    },
  }
  const server = createServer(async (request, response) => {
    const [, name = '', rest = ''] = request.url?.split('/') ?? []
    const answer = answers[name]
    if (answer !== undefined) {
      response.end(JSON.stringify(answer(rest)))
      return
    }
    const body = await text(request).catch(() => null)
    if (body === null) return
    const call: Call = { key: (request.headers.authorization ?? '').replace('Bearer ', ''), ended: null }
    if (open.length > 5000) open = open.filter(isOpen)
    open.push(call)
    items.add(itemOf(body))
    most = Math.max(most, ++atOnce)
    response.once('close', () => {
      call.ended = Date.now()
      atOnce--
    })
    if (isOut) fail(response, ++calls)
    else {
      calls++
      setTimeout(() => response.writeHead(200, JSON_TYPE).end(ANSWER), latency)
    }
  })
  // An idle connection that is closed as the next call comes in would look like a broken provider.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
