import Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../config/judges.ts'
import type {
  Answered,
  BatchCalls,
  BatchResult,
  BatchState,
  Judge,
  Submission,
  SubmissionMark,
} from '../ports/judge.ts'
import { PROVIDERS } from '../schemas/providers.ts'
import { buildMessagesRequest, replyOfMessage } from './anthropic-api.ts'
import { callBatch, callsOf, idOf, MOST_DETAIL_CHARS, type ResultLine, replyOrFailure } from './batch.ts'
import { askProvider, countOf, LONGEST_CALL_MS, refusedReply, type Sdk } from './call.ts'
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

/**
 * Makes the calls of Anthropic's Message Batches. Results are downloaded by a client of their own, because they may be of any size, and by their
 * own path, because `results_url` could lead the key to another server.
 */
function createAnthropicBatch(client: Anthropic, sdk: Sdk, settings: JudgeSettings): BatchCalls {
  const calls = client.withOptions({ fetch: makeBatchFetch() })
  const downloads = client.withOptions({ fetch: makeDownloadFetch() })
  const { batches } = calls.messages
  const { recent, ...api } = callsOf<MessageBatch>(sdk, {
    envelope: (request) => ({ params: buildMessagesRequest(request, settings) }),
    submit: (submission, signal) => submit(calls, submission, signal),
    retrieve: (id, signal) => batches.retrieve(id, {}, { signal }),
    cancel: (id, signal) => batches.cancel(id, {}, { signal }),
    stateOf,
    async *open({ id }, signal) {
      const path = `/v1/messages/batches/${encodeURIComponent(id)}/results`
      yield await downloads.get(path, { signal, timeout: LONGEST_CALL_MS }).asResponse()
    },
    resultOf: (line) => resultOfMessageLine(line, sdk.place),
    list: (after_id, signal) =>
      batches.list({ limit: 100, ...(after_id !== undefined && { after_id }) }, { signal }).asResponse(),
    createdAt: ({ created_at }) => Date.parse(created_at),
  })
  return {
    ...api,
    async find(mark, signal) {
      const listed = await callBatch(sdk, signal, async () => {
        const candidates: Candidate[] = []
        for await (const batch of recent(mark, signal)) {
          const { state, total } = stateOf(batch)
          if (total === mark.custom_ids.length) candidates.push({ id: idOf(batch), ended: state === 'ended' })
        }
        return { candidates }
      })
      return listed.ok ? findAmong(listed.candidates, mark, (id) => api.results(id, signal)) : listed
    },
  }
}

/** Submits the lines unchanged: `batches.create` would need them parsed, only to write the same bytes again. */
const submit = (client: Anthropic, { lines }: Submission, signal: AbortSignal): Promise<MessageBatch> =>
  client.post<MessageBatch>('/v1/messages/batches', {
    body: new Blob(['{"requests":[', ...lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}']),
    headers: { 'content-type': 'application/json' },
    signal,
    timeout: LONGEST_CALL_MS,
  })

/** Reads the state of a batch. An unknown state is no end: the batch is polled again. */
function stateOf({ processing_status, request_counts }: MessageBatch): BatchState {
  if (typeof processing_status !== 'string') throw new TypeError('the answer is no batch')
  const { processing, succeeded, errored, canceled, expired } = request_counts
  const completed = [succeeded, errored, canceled, expired].reduce((sum, count) => sum + countOf(count), 0)
  return {
    state: processing_status === 'ended' ? 'ended' : 'in_progress',
    detail: processing_status.slice(0, MOST_DETAIL_CHARS),
    completed,
    total: completed + countOf(processing),
  }
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
async function findAmong(
  candidates: readonly Candidate[],
  { custom_ids }: SubmissionMark,
  resultsOf: (id: string) => ReturnType<BatchCalls['results']>,
): Promise<Answered<{ provider_id: string | null }>> {
  const ours = new Set(custom_ids)
  let unknown: Extract<Answered<object>, { ok: false }> | null = null
  for (const { id, ended } of candidates) {
    const match = ended ? await holds(resultsOf(id), ours) : NOT_YET_KNOWN
    if (!match.ok) unknown ??= match
    else if (match.holds) return { ok: true, provider_id: id }
  }
  return unknown ?? { ok: true, provider_id: null }
}

/** Tells whether the results are of this submission. The first readable result decides: all ids of a batch are ours, or none is. */
async function holds(
  results: ReturnType<BatchCalls['results']>,
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
  if (result?.type === 'expired') return { custom_id, end: 'expired', reply: null }
  if (result?.type === 'canceled') return { custom_id, end: 'cancelled', reply: null }
  if (result?.type === 'errored') return errored(custom_id, result, place)
  const reply = replyOrFailure(result?.message ?? line, null, () => {
    if (result?.type !== 'succeeded') throw new TypeError('the line has no result')
    return replyOfMessage(result.message as Anthropic.Message, null)
  })
  return { custom_id, end: 'answered', reply }
}

/** Reads an errored request, which is not billed, whatever its error. */
function errored(custom_id: string, { error }: NonNullable<MessageLine['result']>, place: Place): BatchResult {
  const words = faultWords({ body: error, headers: undefined })
  const fault = { status: STATUS.get(words.type) ?? 500, headers: undefined, ...words }
  const about = { usage: { ...NOTHING_USED }, model_resolved: null, request_id: wordOf(error?.request_id) }
  return { custom_id, end: 'answered', reply: refusedReply(fault, place, error, about) }
}
