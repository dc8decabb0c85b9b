import type { BatchCalls, BatchResult, BatchState, Submission } from '../ports/batch-api.ts'
import type { JudgeRequest } from '../ports/judge-ports.ts'
import { callBatch, checkCustomId, idOf, NO_BATCHES, NO_SUCH_BATCH } from './batch-calls.ts'
import { type ResultLine, readResults } from './batch-results.ts'
import type { Sdk } from './call.ts'

/** What a provider’s batch endpoint is asked by its SDK, which throws what goes wrong. */
interface BatchEndpoint {
  /** What stands beside the custom id in a line. */
  envelope(request: JudgeRequest): object
  submit(submission: Submission, signal: AbortSignal): Promise<{ readonly id: unknown }>
  state(providerId: string, signal: AbortSignal): Promise<BatchState>
  cancel(providerId: string, signal: AbortSignal): Promise<{ readonly id: unknown }>
  lines(providerId: string, signal: AbortSignal): AsyncIterable<string | null>
  resultOf(line: ResultLine): BatchResult
}

/** The calls of such an endpoint, which never throw. How a submission is found again each provider has for itself. */
export function callsOf(sdk: Sdk, endpoint: BatchEndpoint): Omit<BatchCalls, 'find'> {
  const poll: BatchCalls['poll'] = (id, signal) =>
    callBatch(sdk, signal, NO_SUCH_BATCH, () => endpoint.state(id, signal))
  return {
    encode: (customId, request) =>
      JSON.stringify({ custom_id: checkCustomId(customId), ...endpoint.envelope(request) }),
    submit: (submission, signal) =>
      callBatch(sdk, signal, NO_BATCHES, async () => ({
        provider_id: idOf(await endpoint.submit(submission, signal), sdk.secret),
      })),
    poll,
    results: (id, signal) => readResults(sdk, signal, endpoint.lines(id, signal), endpoint.resultOf),
    async cancel(id, signal) {
      const cancelled = await callBatch(sdk, signal, NO_SUCH_BATCH, async () => ({
        id: idOf(await endpoint.cancel(id, signal), sdk.secret),
      }))
      if (cancelled.ok) return { ok: true }
      // One that has ended by itself meanwhile cannot be cancelled, and need not be.
      const now = await poll(id, signal)
      return now.ok && now.state !== 'in_progress' ? { ok: true } : cancelled
    },
  }
}
