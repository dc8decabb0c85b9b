import type Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { BatchCalls, BatchState, Submission } from '../../ports/batch-api.ts'
import { bytesOf, detailOf, stateWordOf, withoutTier } from '../batch-calls.ts'
import { callsOf } from '../batch-endpoint.ts'
import { NotEnded, readLines } from '../batch-results.ts'
import { LONGEST_CALL_MS, type Sdk } from '../call.ts'
import { countOf } from '../reply.ts'
import { makeBatchFetch, makeDownloadFetch } from '../transport.ts'
import { findMessageBatch } from './anthropic-batch-find.ts'
import { resultOfMessageLine } from './anthropic-batch-result.ts'
import { buildMessagesRequest } from './anthropic-request.ts'

type MessageBatch = Anthropic.Messages.MessageBatch

/** Anthropic’s Message Batches. Results are downloaded apart, since they may be of any size. */
export function createAnthropicBatch(client: Anthropic, sdk: Sdk, settings: JudgeSettings): BatchCalls {
  const calls = client.withOptions({ fetch: makeBatchFetch() })
  const downloads = client.withOptions({ fetch: makeDownloadFetch() })
  const { batches } = calls.messages
  const api = callsOf(sdk, {
    envelope: (request) => ({ params: buildMessagesRequest(request, withoutTier(settings)) }),
    submit: (submission, signal) => submit(calls, submission, signal),
    state: async (id, signal) => stateOf(await batches.retrieve(id, {}, { signal }), sdk.secret),
    cancel: (id, signal) => batches.cancel(id, {}, { signal }),
    lines: (id, signal) => readFile(calls, downloads, id, signal),
    resultOf: (line) => resultOfMessageLine(line, sdk.place, settings),
  })
  return { ...api, find: (mark, signal) => findMessageBatch(calls, sdk, mark, signal, api.results) }
}

/** The lines go as they are. `batches.create` would want them parsed, only to write the same bytes again. */
const submit = (client: Anthropic, { lines }: Submission, signal: AbortSignal) =>
  client.post<MessageBatch>('/v1/messages/batches', {
    body: new Blob(['{"requests":[', ...lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}']),
    headers: { 'content-type': 'application/json' },
    signal,
    timeout: LONGEST_CALL_MS,
  })

/** A word that this version does not know is no end: the batch is asked again. */
const hasEnded = (batch: MessageBatch): boolean => stateWordOf(batch.processing_status) === 'ended'

function stateOf(batch: MessageBatch, secret: string): BatchState {
  const { processing, succeeded, errored, canceled, expired } = batch.request_counts
  const completed = [succeeded, errored, canceled, expired].reduce((sum, count) => sum + countOf(count), 0)
  return {
    state: hasEnded(batch) ? 'ended' : 'in_progress',
    detail: detailOf(batch.processing_status, secret),
    completed,
    total: completed + countOf(processing),
  }
}

/** From the path of the results and not from `results_url`, which could lead the key to another server. */
async function* readFile(calls: Anthropic, downloads: Anthropic, id: string, signal: AbortSignal) {
  if (!hasEnded(await calls.messages.batches.retrieve(id, {}, { signal }))) throw new NotEnded()
  const path = `/v1/messages/batches/${encodeURIComponent(id)}/results`
  yield* readLines(bytesOf(await downloads.get(path, { signal, timeout: LONGEST_CALL_MS }).asResponse()))
}
