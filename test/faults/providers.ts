import { judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { answerText, roundOfBody, runOfBody } from '../e2e/trials.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import type { Provider } from './operation.ts'

/** Single calls, so many at once. */
export const provideCalls =
  (concurrency: number, latency_ms = 0) =>
  async (): Promise<Provider> => {
    const mock = await startMockCalls({ latency_ms: () => latency_ms })
    return { config: { judges: judgeAt(mock.base_url, concurrency) }, billed: () => mock.calls.length }
  }

/** The batch endpoint of a provider. */
export const provideBatches = (provider: 'openai' | 'anthropic') => async (): Promise<Provider> => {
  const mock = await startMockBatches({
    // Its first look finds a batch running.
    plan: () => ({ polls: 1 }),
    answer(body) {
      const text = JSON.stringify(body)
      return answerText(runOfBody(text), roundOfBody(text))
    },
  })
  const judge = {
    provider,
    model: 'mock-1',
    base_url: provider === 'openai' ? mock.openai_base_url : mock.origin,
    effort: null,
    key_env: provider === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY',
  }
  return {
    config: { judges: { mock: judge }, batches: { poll_seconds: 1 } },
    billed: () => mock.counts.requests_run,
  }
}
