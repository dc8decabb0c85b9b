import type Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { Answered, BatchCalls, BatchState, Submission } from '../../ports/batch-api.ts'
import {
  bytesOf,
  callBatch,
  cancelOrEnded,
  checkCustomId,
  detailOf,
  idOf,
  NO_BATCHES,
  NO_SUCH_BATCH,
  stateWordOf,
  withoutTier,
} from '../batch-calls.ts'
import { readLines } from '../batch-lines.ts'
import { NotEnded, readResults } from '../batch-results.ts'
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
  const poll = (providerId: string, signal: AbortSignal) =>
    callBatch(sdk, signal, NO_SUCH_BATCH, async () =>
      stateOf(await batches.retrieve(providerId, {}, { signal }), sdk.secret),
    )
  const results = (providerId: string, signal: AbortSignal) =>
    readResults(sdk, signal, readFile(calls, downloads, providerId, signal), (line) =>
      resultOfMessageLine(line, sdk.place, settings),
    )
  return {
    encode: (customId, request) =>
      JSON.stringify({
        custom_id: checkCustomId(customId),
        params: buildMessagesRequest(request, withoutTier(settings)),
      }),
    submit: (submission, signal) => submit(calls, sdk, submission, signal),
    find: (mark, signal) => findMessageBatch(calls, sdk, mark, signal, results),
    poll,
    results,
    cancel: (providerId, signal) =>
      cancelOrEnded(
        sdk,
        signal,
        () => batches.cancel(providerId, {}, { signal }),
        () => poll(providerId, signal),
      ),
  }
}

/** The lines go as they are. `batches.create` would want them parsed, only to write the same bytes again. */
function submit(
  client: Anthropic,
  sdk: Sdk,
  submission: Submission,
  signal: AbortSignal,
): Promise<Answered<{ provider_id: string }>> {
  const body = new Blob(['{"requests":[', ...submission.lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}'])
  return callBatch(sdk, signal, NO_BATCHES, async () => {
    const batch = await client.post<MessageBatch>('/v1/messages/batches', {
      body,
      headers: { 'content-type': 'application/json' },
      signal,
      timeout: LONGEST_CALL_MS,
    })
    return { provider_id: idOf(batch, sdk.secret) }
  })
}

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
