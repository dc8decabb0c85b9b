import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CUE } from './make-body.ts'
import { answerOf } from './openai-answer.ts'
import { startScript } from './servers.ts'

/** Cites step 3, where `makeRequest` puts the notice, in the words of the notice. */
const ANSWER = answerOf('bench', {
  citations: [{ supports: 'surface.observed', step_id: 3, quote: CUE }],
  notes: 'bench',
  surface: { observed: true, category: 'cli_tool_output' },
  cue: { reasoned: false, acted: false },
  distractor: { reasoned: false, acted: false },
  confidence: 'low',
})

export interface Counts {
  readonly calls: number
  readonly most_at_once: number
}

/** A provider in a process of its own. */
export interface ProviderProcess {
  readonly origin: string
  readonly pid: number
  counts(): Promise<Counts>
  stop(): Promise<void>
}

/** An OpenAI Responses endpoint on loopback that answers after a fixed time, with evidence that holds for the bench trajectories. */
export async function startSlowProvider(latencyMs: number) {
  console.log(
    `A judge that takes ${latencyMs} ms (OpenAI Responses through the official SDK, played on loopback), 22 KB trajectories`,
  )
  const { server, counts } = slowServer(latencyMs)
  return {
    origin: await listen(server),
    calls: () => counts().calls,
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** The same in a process of its own, so that what it costs is not what the caller costs. */
export async function spawnSlowProvider(latencyMs: number): Promise<ProviderProcess> {
  const { origin, pid, stop } = await startScript('bench/slow-provider.ts', { SLOW_PROVIDER_MS: `${latencyMs}` })
  return { origin, pid, stop, counts: async () => (await (await fetch(`${origin}/counts`)).json()) as Counts }
}

function slowServer(latencyMs: number): { readonly server: Server; readonly counts: () => Counts } {
  let calls = 0
  let atOnce = 0
  let most = 0
  const counts = () => ({ calls, most_at_once: most })
  const server = createServer((request, response) => {
    if (request.url === '/counts') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(counts()))
      return
    }
    calls++
    most = Math.max(most, ++atOnce)
    response.once('close', () => atOnce--)
    request.resume()
    request.once('end', () =>
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER), latencyMs),
    )
  })
  // An idle connection that is closed as the next call comes in would look like a broken provider.
  server.keepAliveTimeout = 60_000
  return { server, counts }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

if (import.meta.main) {
  const { server } = slowServer(Number(process.env['SLOW_PROVIDER_MS'] ?? 1000))
  console.log(`listening at ${await listen(server)}`)
  process.once('SIGTERM', () => process.exit(0))
}
