import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { startServer } from '../local-server.ts'
import { answerBody } from '../mock-provider/batch-answers.ts'
import { answerText, roundOfBody, runOfBody } from './trials.ts'

/** One call that has reached the provider. */
interface Call {
  readonly nth: number
  readonly run: number
  readonly round: number
  /** Calls for this run and round before this one. */
  readonly earlier: number
}

/** What the provider does with a call. */
export type Play =
  | 'answer'
  | 'hang'
  /** The connection is closed in the middle of the answer. */
  | 'break_off'
  | {
      readonly status: number
      readonly error: { code?: string; type?: string }
      readonly headers?: Record<string, string>
    }

export interface MockCalls {
  /** For `base_url` of a judge. */
  readonly base_url: string
  readonly calls: readonly (Call & { readonly play: Play })[]
  stop(): Promise<void>
}

export interface MockCallOptions {
  readonly latency_ms: (call: Call) => number
  readonly play?: (call: Call) => Play
}

/** OpenAI’s Responses API on loopback, as a model whose answer follows from the run. Ends with the test. */
export async function startMockCalls({ latency_ms, play = () => 'answer' }: MockCallOptions): Promise<MockCalls> {
  const calls: (Call & { play: Play })[] = []
  const asked = new Map<string, number>()
  const { origin, stop } = await startServer((request, response) => {
    void text(request).then(
      (body) => {
        const [run, round] = [runOfBody(body), roundOfBody(body)]
        const earlier = asked.get(`${run}/${round}`) ?? 0
        asked.set(`${run}/${round}`, earlier + 1)
        const call = { nth: calls.length, run, round, earlier }
        const played = play(call)
        calls.push({ ...call, play: played })
        setTimeout(() => respond(response, call, played), latency_ms(call))
      },
      // A caller that was killed while it sent: nothing has reached the provider.
      () => response.destroy(),
    )
  })
  onTestFinished(stop)
  return { base_url: `${origin}/v1`, calls, stop }
}

function respond(response: ServerResponse, call: Call, play: Play): void {
  if (play === 'hang') return
  if (typeof play === 'object') {
    response.writeHead(play.status, { 'content-type': 'application/json', ...play.headers })
    response.end(JSON.stringify({ error: { message: 'scripted', ...play.error } }))
    return
  }
  const body = JSON.stringify(answerBody('/v1/responses', `call-${call.nth}`, answerText(call.run, call.round)))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  if (play === 'answer') response.end(body)
  else response.write(body.slice(0, 200), () => response.destroy())
}

/** Configuration of the judge `mock` over the batch endpoint of a provider, which is asked each second. */
export const batchJudgeAt = (provider: 'openai' | 'anthropic', origin: string) => ({
  judges: {
    mock: {
      ...{ provider, model: 'mock-1', effort: null },
      base_url: provider === 'openai' ? `${origin}/v1` : origin,
      key_env: provider === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY',
    },
  },
  batches: { poll_seconds: 1 },
})

/** The judge `mock` over it, with a price, as VERIDICT_CONFIG says it. */
export const judgeAt = (base_url: string, concurrency: number, more: object = {}) => ({
  mock: {
    provider: 'openai',
    model: 'mock-1',
    base_url,
    effort: null,
    key_env: 'OPENAI_API_KEY',
    concurrency: { initial: concurrency, min: 1, max: concurrency },
    price: { input: 1, output: 4, cache_read: 0.1, cache_write: 1, as_of: '2026-11-01' },
    ...more,
  },
})
