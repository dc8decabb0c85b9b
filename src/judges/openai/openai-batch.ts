import type OpenAI from 'openai'
import { toStreamingFile } from 'openai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { Answered, BatchCalls, BatchState, Submission, SubmissionMark } from '../../ports/batch-api.ts'
import {
  bytesOf,
  callBatch,
  createdSince,
  detailOf,
  idOf,
  NO_BATCHES,
  stateWordOf,
  withoutTier,
} from '../batch-calls.ts'
import { callsOf } from '../batch-endpoint.ts'
import { NotEnded, readLines } from '../batch-results.ts'
import { LONGEST_CALL_MS, type Sdk } from '../call.ts'
import { countOf } from '../reply.ts'
import { makeBatchFetch, makeDownloadFetch } from '../transport.ts'
import { type OpenAiApi, openAiApi } from './openai-api.ts'
import { resultOfOutput } from './openai-batch-result.ts'

type Batch = OpenAI.Batches.Batch

/** The field of a batch’s metadata that holds our id of it. */
const OUR_ID = 'veridict'

const STATES: Readonly<Record<Batch['status'], BatchState['state']>> = {
  validating: 'in_progress',
  in_progress: 'in_progress',
  finalizing: 'in_progress',
  cancelling: 'in_progress',
  failed: 'failed',
  completed: 'ended',
  expired: 'ended',
  cancelled: 'ended',
}

/**
 * OpenAI’s batch endpoint: a file of requests goes up, a batch is made of it, and two files come down; apart, since they may be of any
 * size.
 */
export function createOpenAiBatch(client: OpenAI, sdk: Sdk, settings: JudgeSettings): BatchCalls {
  const api = openAiApi(settings)
  const calls = client.withOptions({ fetch: makeBatchFetch() })
  const downloads = client.withOptions({ fetch: makeDownloadFetch() })
  const { batches } = calls
  return {
    ...callsOf(sdk, {
      envelope: (request) => ({
        method: 'POST',
        url: api.path,
        body: api.buildBody(request, withoutTier(settings)),
      }),
      submit: (submission, signal) => submit(calls, api, submission, signal),
      state: async (id, signal) => stateOf(await batches.retrieve(id, { signal }), sdk.secret),
      cancel: (id, signal) => batches.cancel(id, { signal }),
      lines: (id, signal) => readFiles(calls, downloads, id, signal),
      resultOf: (line) => resultOfOutput(line, api, sdk.place, settings),
    }),
    find: (mark, signal) => find(calls, sdk, mark, signal),
  }
}

/** A file without its batch costs nothing, so that only the second call has to be found again after a crash. */
async function submit(
  client: OpenAI,
  api: OpenAiApi,
  { id: ours, lines }: Submission,
  signal: AbortSignal,
): Promise<Batch> {
  const file = toStreamingFile(bytesOfLines(lines), `${ours}.jsonl`, { type: 'application/jsonl' })
  const options = { signal, timeout: LONGEST_CALL_MS }
  const { id } = await client.files.create({ purpose: 'batch', file }, options)
  const batch = {
    input_file_id: id,
    endpoint: api.path,
    completion_window: '24h',
    metadata: { [OUR_ID]: ours },
  } as const
  return await client.batches.create(batch, options)
}

async function* bytesOfLines(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`
}

function find(
  client: OpenAI,
  sdk: Sdk,
  mark: SubmissionMark,
  signal: AbortSignal,
): Promise<Answered<{ provider_id: string | null }>> {
  return callBatch(sdk, signal, NO_BATCHES, async () => {
    const recent = createdSince<Batch>(
      mark.recorded_at,
      (one) => one.created_at * 1000,
      (after) => client.batches.list({ limit: 100, ...(after !== undefined && { after }) }, { signal }).asResponse(),
    )
    for await (const batch of recent)
      if (batch.metadata?.[OUR_ID] === mark.id) return { provider_id: idOf(batch, sdk.secret) }
    return { provider_id: null }
  })
}

/** A word that this version does not know is no end: the batch is asked again. */
const stateWord = (status: Batch['status']): BatchState['state'] =>
  Object.hasOwn(STATES, stateWordOf(status)) ? STATES[status] : 'in_progress'

function stateOf(batch: Batch, secret: string): BatchState {
  const errors = (batch.errors?.data ?? []).slice(0, 5).map(({ code, message, line }) => {
    const place = typeof line === 'number' ? `line ${line}: ` : ''
    return `${place}${code ?? ''} ${message ?? ''}`.trim()
  })
  const counts = batch.request_counts
  return {
    state: stateWord(batch.status),
    detail: detailOf([batch.status, ...errors].join('; '), secret),
    completed: countOf(counts?.completed) + countOf(counts?.failed),
    total: countOf(counts?.total),
  }
}

/** What ran is in the output file, what did not in the error file; either may be missing. */
async function* readFiles(calls: OpenAI, downloads: OpenAI, id: string, signal: AbortSignal) {
  const { status, output_file_id, error_file_id } = await calls.batches.retrieve(id, { signal })
  const state = stateWord(status)
  if (state === 'in_progress') throw new NotEnded()
  if (state === 'failed') return
  for (const file of [output_file_id, error_file_id])
    if (file) yield* readLines(bytesOf(await downloads.files.content(file, { signal, timeout: LONGEST_CALL_MS })))
}
