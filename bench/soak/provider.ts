import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startScript } from '../servers.ts'
import { ANSWER } from './provider-answer.ts'

/** What the played provider does with a call. `outage` deals out 500s, 429s, hung calls and broken connections in turn. */
type ProviderMode = 'well' | 'outage'

export interface PlayedProvider {
  readonly origin: string
  set(mode: ProviderMode): Promise<void>
  stop(): Promise<void>
}

/** In a process of its own, so that what it costs is not what the service costs. */
export async function spawnProvider(latencyMs: number): Promise<PlayedProvider> {
  const { origin, stop } = await startScript('bench/soak/provider.ts', { SOAK_PROVIDER_MS: `${latencyMs}` })
  return {
    origin,
    stop,
    async set(mode) {
      const answer = await fetch(`${origin}/mode/${mode}`, { method: 'POST' })
      await answer.text()
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

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

if (import.meta.main) {
  const latency = Number(process.env['SOAK_PROVIDER_MS'] ?? 200)
  let mode: ProviderMode = 'well'
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url?.startsWith('/mode/')) {
      mode = request.url.endsWith('outage') ? 'outage' : 'well'
      response.end()
      return
    }
    calls++
    const call = calls
    request.once('end', () => {
      if (mode === 'outage') fail(response, call)
      else setTimeout(() => response.writeHead(200, JSON_TYPE).end(ANSWER), latency)
    })
  })
  // Told in a header, so that no call comes as its connection is closed.
  server.keepAliveTimeout = 5000
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
