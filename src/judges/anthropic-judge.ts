import Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../config/judges.ts'
import type { Usage } from '../schemas/grade.ts'
import { PROVIDERS } from '../schemas/providers.ts'
import { callBatch, callsOf, idOf, MOST_DETAIL_CHARS, type ResultLine } from './batch.ts'
import {
  answered,
  askProvider,
  countOf,
  ended,
  failed,
  LONGEST_CALL_MS,
  type Sdk,
  servedTier,
  usageFrom,
} from './call.ts'
import { addressOf, describeJudge, placeOf, repairTurns, sharedParts } from './describe.ts'
import { classifyHttp, failure, faultWords, NOTHING_USED, type Place, wordOf } from './faults.ts'
import {
  type BatchCalls,
  BatchFailure,
  type BatchState,
  type Judge,
  type JudgeReply,
  type JudgeRequest,
} from './judge.ts'
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

type Params = Anthropic.MessageCreateParamsNonStreaming

/**
 * Builds the body of a Messages call. The raw `output_config.format` is used, because the SDK's own helper would move `enum` into the
 * description. The cache breakpoint is behind the trajectory and its pictures, so that another rubric, a sample or a repair reads them from
 * the cache.
 */
export function buildMessagesRequest(request: JudgeRequest, settings: JudgeSettings): Params {
  const shared = sharedParts<Anthropic.TextBlockParam | Anthropic.ImageBlockParam>(
    request,
    (text) => ({ type: 'text', text }),
    ({ media_type, data }) => ({ type: 'image', source: { type: 'base64', media_type, data } }),
  )
  const output = {
    ...(settings.effort !== null && { effort: settings.effort }),
    ...(settings.structured_output === 'json_schema' && {
      format: { type: 'json_schema', schema: request.answer_schema },
    }),
  } as NonNullable<Params['output_config']>
  return {
    model: settings.model,
    max_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    system: request.system,
    messages: [
      {
        role: 'user',
        content: [
          ...shared.slice(0, -1),
          ...shared.slice(-1).map((last) => ({ ...last, cache_control: { type: 'ephemeral' as const } })),
          { type: 'text', text: request.question },
        ],
      },
      ...repairTurns(request, '(no answer)'),
    ],
    ...(Object.keys(output).length > 0 && { output_config: output }),
  }
}

/** Reads an answer of the Messages API, of a single call or of a batch. Throws a TypeError for a body of another form. */
function replyOfMessage(answer: Anthropic.Message, requestId: string | null): JudgeReply {
  // A body that is no JSON, such as a proxy's page: the SDK returns it as a text.
  if (answer?.stop_reason === undefined) throw new TypeError('the answer is no message')
  const about = { usage: usageOf(answer.usage), model_resolved: wordOf(answer.model), request_id: requestId }
  switch (answer.stop_reason as string | null) {
    case 'refusal':
      return ended('refusal', answer, about)
    case 'max_tokens':
      return ended('limit', answer, about)
    case 'model_context_window_exceeded':
      return ended('window', answer, about)
    case 'end_turn':
    case 'stop_sequence':
      return answered(answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), answer, about)
    default:
      return ended('unknown', answer, about)
  }
}

/** Converts Anthropic's usage, which counts uncached input apart; Veridict's input count includes all of it. */
function usageOf(usage: Anthropic.Usage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  const read = usage.cache_read_input_tokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  const counts = usageFrom(usage.input_tokens + read + written, usage.output_tokens, read, written)
  const long = countOf(usage.cache_creation?.ephemeral_1h_input_tokens)
  const more = { ...(long > 0 && { cache_write_long_tokens: long }), ...servedTier(usage.service_tier) }
  return counts && { ...counts, ...more }
}

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
    /** Submits the lines unchanged: `batches.create` would need them parsed, only to write the same bytes again. */
    submit: ({ lines }, signal) =>
      calls.post<MessageBatch>('/v1/messages/batches', {
        body: new Blob(['{"requests":[', ...lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}']),
        headers: { 'content-type': 'application/json' },
        ...{ signal, timeout: LONGEST_CALL_MS },
      }),
    retrieve: (id, signal) => batches.retrieve(id, {}, { signal }),
    cancel: (id, signal) => batches.cancel(id, {}, { signal }),
    stateOf,
    async *open({ id }, signal) {
      const path = `/v1/messages/batches/${encodeURIComponent(id)}/results`
      yield await downloads.get(path, { signal, timeout: LONGEST_CALL_MS }).asResponse()
    },
    replyOf: (line) => replyOfLine(line, sdk.place),
    list: (after_id, signal) =>
      batches.list({ limit: 100, ...(after_id !== undefined && { after_id }) }, { signal }).asResponse(),
    createdAt: ({ created_at }) => Date.parse(created_at),
  })
  return {
    ...api,
    /**
     * Finds a submission among Message Batches, which carry no id of the client. Batches of matching age and size are identified by their
     * results, whose custom ids only this client makes. A running batch is no answer yet, even as the only candidate: it may be another
     * submission of the same size, and must not be cancelled or awaited as this one.
     */
    async find(mark, signal) {
      const candidates = await callBatch(sdk, signal, async () => {
        const found: { readonly id: string; readonly isEnded: boolean }[] = []
        for await (const batch of recent(mark, signal))
          if (totalOf(batch) === mark.custom_ids.length)
            found.push({ id: idOf(batch), isEnded: stateOf(batch).state === 'ended' })
        return found
      })
      let isUnknown = false
      for (const { id, isEnded } of candidates) {
        const isOurs = isEnded ? await isOf(api.results(id, signal), mark.custom_ids) : null
        if (isOurs === true) return id
        isUnknown ||= isOurs === null
      }
      if (isUnknown) throw new BatchFailure(NOT_YET_KNOWN)
      return null
    },
  }
}

/** Reads the state of a batch. An unknown state is no end: the batch is polled again. */
function stateOf({ processing_status }: MessageBatch): BatchState {
  if (typeof processing_status !== 'string') throw new TypeError('the answer is no batch')
  const state = processing_status === 'ended' ? 'ended' : 'in_progress'
  return { state, detail: processing_status.slice(0, MOST_DETAIL_CHARS) }
}

/** Counts the requests of a batch. */
const totalOf = ({ request_counts }: MessageBatch): number =>
  Object.values(request_counts).reduce((sum, count) => sum + countOf(count), 0)

/** The failure while a batch of matching age and size still runs: its results, which identify it, exist only at its end. */
const NOT_YET_KNOWN = failure('judge_unreachable', 'a batch that may be this one has not ended: only its results tell')

/** Tells whether the results are of a submission; null without a result. The first decides: all ids of a batch are of the submission, or none is. */
async function isOf(results: ReturnType<BatchCalls['results']>, ours: readonly string[]): Promise<boolean | null> {
  for await (const { custom_id } of results) return ours.includes(custom_id)
  return null
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

/** Reads the reply in a line of Message Batches. An errored request is not billed, whatever its error. */
function replyOfLine({ result }: MessageLine, place: Place): JudgeReply | null {
  if (result?.type === 'expired' || result?.type === 'canceled') return null
  if (result?.type === 'succeeded') return replyOfMessage(result.message as Anthropic.Message, null)
  if (result?.type !== 'errored') throw new TypeError('the line has no result')
  const { error } = result
  const words = faultWords({ body: error, headers: undefined })
  const fault = { status: STATUS.get(words.type) ?? 500, headers: undefined, ...words }
  const about = { usage: { ...NOTHING_USED }, model_resolved: null, request_id: wordOf(error?.request_id) }
  return failed(classifyHttp(fault, place), error, about)
}
