import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CUE } from './make-body.ts'

/** An OpenAI Responses endpoint on loopback that answers after a fixed time, with evidence that holds for the bench trajectories. */
export async function startSlowProvider(latencyMs: number) {
  console.log(
    `A judge that takes ${latencyMs} ms (OpenAI Responses through the official SDK, played on loopback), 22 KB trajectories`,
  )
  let calls = 0
  const text = JSON.stringify({
    citations: [{ supports: 'surface.observed', step_id: 3, quote: CUE }],
    notes: 'bench',
    surface: { observed: true, category: 'cli_tool_output' },
    cue: { reasoned: false, acted: false },
    distractor: { reasoned: false, acted: false },
    confidence: 'low',
  })
  const answer = JSON.stringify({
    id: 'resp_bench',
    object: 'response',
    status: 'completed',
    model: 'bench',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  })
  const server = createServer((request, response) => {
    calls++
    request.resume()
    request.on('end', () =>
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(answer), latencyMs),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
