import Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../config/judges.ts'
import type {
  Answered,
  BatchApi,
  BatchCalls,
  BatchResult,
  BatchState,
  Judge,
  Submission,
  SubmissionMark,
} from '../ports/judge.ts'
import { PROVIDERS } from '../schemas/providers.ts'
import { buildMessagesRequest, replyOfMessage } from './anthropic-api.ts'
import {
  bytesOf,
  callBatch,
  callsOf,
  createdSince,
  detailOf,
  idOf,
  NO_BATCHES,
  NotEnded,
  type ResultLine,
  readLines,
  replyOrFailure,
  stateWordOf,
  UNKNOWN,
} from './batch.ts'
import { askProvider, countOf, failed, LONGEST_CALL_MS, refusedReply, type Sdk } from './call.ts'
import { addressOf, describeJudge, placeOf } from './describe.ts'
import { failure, faultWords, NOTHING_USED, type Place, wordOf } from './faults.ts'
import { makeBatchFetch, makeDownloadFetch, makeFetch } from './transport.ts'

/** Creates a judge behind Anthropic's Messages API: one call per question. Veridict retries by itself, so the SDK's retries are off. */
export function createAnthropicJudge(name: string, settings: JudgeSettings, key: string): Judge {
  const client = new Anthropic({
    apiKey: key,
    authToken: null,
    baseURL: addressOf(settings),
    maxRetries: 0,
    fetch: makeFetch(settings.concurrency.max),
    logLevel: 'off',
  })
  const sdk: Sdk = { errors: Anthropic, secret: key, place: placeOf(name, settings) }
  return {
    ...messagesJudge(client.messages, sdk, name, settings),
    batch: { ...PROVIDERS.anthropic.batches, ...createAnthropicBatch(client, sdk, settings) },
  }
}

/** The client of Anthropic's SDK, for Anthropic itself or a cloud. */
export interface MessagesClient {
  create(
    body: Anthropic.MessageCreateParamsNonStreaming,
    options?: Anthropic.RequestOptions,
  ): PromiseLike<Anthropic.Message & { readonly _request_id?: string | null }>
}

/** Makes a judge of such a client. */
export const messagesJudge = (client: MessagesClient, sdk: Sdk, name: string, settings: JudgeSettings): Judge => ({
  info: describeJudge(name, settings),
  ask: (request, signal) =>
    askProvider(sdk, signal, async () => {
      const answer = await client.create(buildMessagesRequest(request, settings), { signal, timeout: LONGEST_CALL_MS })
      return replyOfMessage(answer, answer._request_id ?? null)
    }),
})

type MessageBatch = Anthropic.Messages.MessageBatch

/** Makes the calls of Anthropic's Message Batches. Results are downloaded by a client of their own, because they may be of any size. */
function createAnthropicBatch(client: Anthropic, sdk: Sdk, settings: JudgeSettings): BatchCalls {
  const calls = client.withOptions({ fetch: makeBatchFetch() })
  const downloads = client.withOptions({ fetch: makeDownloadFetch() })
  const { batches } = calls.messages
  const api = callsOf(sdk, {
    envelope: (request) => ({ params: buildMessagesRequest(request, settings) }),
    submit: (submission, signal) => submit(calls, submission, signal),
    state: async (id, signal) => stateOf(await batches.retrieve(id, {}, { signal }), sdk.secret),
    cancel: (id, signal) => batches.cancel(id, {}, { signal }),
    lines: (id, signal) => readFile(calls, downloads, id, signal),
    resultOf: (line) => resultOfMessageLine(line, sdk.place),
  })
  return { ...api, find: (mark, signal) => findMessageBatch(calls, sdk, mark, signal, api.results) }
}

/** Submits the lines unchanged: `batches.create` would need them parsed, only to write the same bytes again. */
const submit = (client: Anthropic, { lines }: Submission, signal: AbortSignal) =>
  client.post<MessageBatch>('/v1/messages/batches', {
    body: new Blob(['{"requests":[', ...lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}']),
    headers: { 'content-type': 'application/json' },
    signal,
    timeout: LONGEST_CALL_MS,
  })

/** Tells whether a batch has ended. An unknown state is no end: the batch is polled again. */
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

/** Reads the results by their own path, because `results_url` could lead the key to another server. */
async function* readFile(calls: Anthropic, downloads: Anthropic, id: string, signal: AbortSignal) {
  if (!hasEnded(await calls.messages.batches.retrieve(id, {}, { signal }))) throw new NotEnded()
  const path = `/v1/messages/batches/${encodeURIComponent(id)}/results`
  yield* readLines(bytesOf(await downloads.get(path, { signal, timeout: LONGEST_CALL_MS }).asResponse()))
}

/** A batch of matching age and size. */
interface Candidate {
  readonly id: string
  readonly ended: boolean
}

/** The failure while a batch of matching age and size still runs: its results, which identify it, exist only at its end. */
const NOT_YET_KNOWN = {
  ok: false,
  failure: failure('judge_unreachable', 'a batch that may be this one has not ended: only its results tell'),
} as const

/**
 * Finds a submission among Message Batches, which carry no id of the client. Batches of matching age and size are identified by their
 * results, whose custom ids only this client makes. A running batch is no answer yet, even as the only candidate: it may be another
 * submission of the same size, and must not be cancelled or awaited as this one.
 */
async function findMessageBatch(
  client: Anthropic,
  sdk: Sdk,
  mark: SubmissionMark,
  signal: AbortSignal,
  results: BatchApi['results'],
): Promise<Answered<{ provider_id: string | null }>> {
  const listed = await callBatch(sdk, signal, NO_BATCHES, async () => ({
    candidates: await listCandidates(client, sdk, mark, signal),
  }))
  if (!listed.ok) return listed
  const ours = new Set(mark.custom_ids)
  let unknown: Extract<Answered<object>, { ok: false }> | null = null
  for (const batch of listed.candidates) {
    const match = batch.ended ? await holds(results(batch.id, signal), ours) : NOT_YET_KNOWN
    if (!match.ok) unknown ??= match
    else if (match.holds) return { ok: true, provider_id: batch.id }
  }
  return unknown ?? { ok: true, provider_id: null }
}

async function listCandidates(
  client: Anthropic,
  sdk: Sdk,
  mark: SubmissionMark,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  const recent = createdSince<Anthropic.Messages.MessageBatch>(
    mark.recorded_at,
    (batch) => Date.parse(batch.created_at),
    (after_id) =>
      client.messages.batches
        .list({ limit: 100, ...(after_id !== undefined && { after_id }) }, { signal })
        .asResponse(),
  )
  for await (const batch of recent) {
    const { processing, succeeded, errored, canceled, expired } = batch.request_counts
    if (processing + succeeded + errored + canceled + expired === mark.custom_ids.length)
      candidates.push({ id: idOf(batch, sdk.secret), ended: batch.processing_status === 'ended' })
  }
  return candidates
}

/** Tells whether the results are of this submission. The first readable result decides: all ids of a batch are ours, or none is. */
async function holds(
  results: ReturnType<BatchApi['results']>,
  ours: ReadonlySet<string>,
): Promise<Answered<{ holds: boolean }>> {
  let last: Answered<{ holds: boolean }> = { ok: true, holds: false }
  for await (const result of results) {
    if (result.ok) return { ok: true, holds: ours.has(result.custom_id) }
    last = result
  }
  return last
}

/** A line of the results as documented; every member is unchecked. */
interface MessageLine extends ResultLine {
  readonly result?: {
    readonly type?: unknown
    readonly message?: Anthropic.Message
    readonly error?: { readonly error?: { readonly type?: unknown } | null; readonly request_id?: unknown } | null
  } | null
}

/** The HTTP statuses of single calls by error type, which classify the failure. */
const STATUS: ReadonlyMap<string | null, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
])

/** Reads the result in a line of Message Batches. */
function resultOfMessageLine(line: ResultLine, place: Place): BatchResult {
  const { custom_id, result } = line as MessageLine
  switch (result?.type) {
    case 'expired':
      return { custom_id, end: 'expired', reply: null }
    case 'canceled':
      return { custom_id, end: 'cancelled', reply: null }
    case 'succeeded': {
      const message = result.message as Anthropic.Message
      const reply = replyOrFailure(message, null, () => replyOfMessage(message, null))
      return { custom_id, end: 'answered', reply }
    }
    case 'errored':
      return errored(custom_id, result, place)
    default: {
      const reply = failed('judge_unreachable', 'the provider’s answer is not what its API promises', line, UNKNOWN)
      return { custom_id, end: 'answered', reply }
    }
  }
}

/** Reads an errored request, which is not billed, whatever its error. */
function errored(custom_id: string, { error }: NonNullable<MessageLine['result']>, place: Place): BatchResult {
  const words = faultWords({ body: error, headers: undefined })
  const fault = { status: STATUS.get(words.type) ?? 500, headers: undefined, ...words }
  const about = { usage: { ...NOTHING_USED }, model_resolved: null, request_id: wordOf(error?.request_id) }
  return { custom_id, end: 'answered', reply: refusedReply(fault, place, error, about) }
}
