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
import { findMessageBatch } from './anthropic-batch-find.ts'
import { resultOfMessageLine } from './anthropic-batch-result.ts'
import { buildMessagesRequest } from './anthropic-request.ts'

type MessageBatch = Anthropic.Messages.MessageBatch

/** What the batch endpoint is called with: results are downloaded apart, since they may be of any size. */
interface Clients {
  readonly calls: Anthropic
  readonly downloads: Anthropic
}

/** Anthropic’s Message Batches. */
export function createAnthropicBatch(clients: Clients, sdk: Sdk, settings: JudgeSettings): BatchCalls {
  const { batches } = clients.calls.messages
  const poll = async (providerId: string, signal: AbortSignal): Promise<Answered<BatchState>> => {
    const found = await callBatch(sdk, signal, NO_SUCH_BATCH, async () =>
      stateOf(await batches.retrieve(providerId, {}, { signal }), sdk.secret),
    )
    return found.ok ? { ok: true, ...found.value } : found
  }
  const results = (providerId: string, signal: AbortSignal) =>
    readResults(sdk, signal, readFile(clients, providerId, signal), (line) =>
      resultOfMessageLine(line, sdk.place, settings),
    )
  return {
    encode: (customId, request) =>
      JSON.stringify({
        custom_id: checkCustomId(customId),
        params: buildMessagesRequest(request, withoutTier(settings)),
      }),
    submit: (submission, signal) => submit(clients.calls, sdk, submission, signal),
    find: (mark, signal) => findMessageBatch(clients.calls, sdk, mark, signal, results),
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
async function submit(
  client: Anthropic,
  sdk: Sdk,
  submission: Submission,
  signal: AbortSignal,
): Promise<Answered<{ provider_id: string }>> {
  const body = new Blob(['{"requests":[', ...submission.lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}'])
  const sent = await callBatch(sdk, signal, NO_BATCHES, async () => {
    const batch = await client.post<MessageBatch>('/v1/messages/batches', {
      body,
      headers: { 'content-type': 'application/json' },
      signal,
      timeout: LONGEST_CALL_MS,
    })
    return idOf(batch, sdk.secret)
  })
  return sent.ok ? { ok: true, provider_id: sent.value } : sent
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
async function* readFile({ calls, downloads }: Clients, id: string, signal: AbortSignal) {
  if (!hasEnded(await calls.messages.batches.retrieve(id, {}, { signal }))) throw new NotEnded()
  const path = `/v1/messages/batches/${encodeURIComponent(id)}/results`
  yield* readLines(bytesOf(await downloads.get(path, { signal, timeout: LONGEST_CALL_MS }).asResponse()))
}
