import { setTimeout as sleep } from 'node:timers/promises'
import { startMockProvider } from '../mock-provider/start.ts'
import { answerText, roundOfBody, runOfBody } from './trials.ts'

/** One call that has reached the provider. */
interface Call {
  readonly nth: number
  readonly run: number
  readonly round: number
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

export interface MockCallOptions {
  readonly latency_ms: (call: Call) => number
  readonly play?: (call: Call) => Play
}

/** Starts OpenAI’s Responses API on loopback, as a model whose answer follows from the run. The provider stops at the end of the test. */
export async function startMockCalls({ latency_ms, play = () => 'answer' }: MockCallOptions) {
  const calls: (Call & { readonly play: Play })[] = []
  const { origin } = await startMockProvider(async (body) => {
    const call = { nth: calls.length, run: runOfBody(body), round: roundOfBody(body) }
    const played = play(call)
    calls.push({ ...call, play: played })
    await sleep(latency_ms(call))
    if (played === 'answer') return { text: answerText(call.run, call.round) }
    return typeof played === 'string'
      ? played
      : { ...played, json: { error: { message: 'scripted', ...played.error } } }
  })
  return { base_url: `${origin}/v1`, calls }
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
