import Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../config/judges.ts'
import { loadOptional } from '../config/optional-package.ts'
import type { Usage } from '../schemas/grade.ts'
import type { BatchEndpoint, LineReply } from './batch.ts'
import { AS_FILE } from './call.ts'
import { classifyHttp, faultWords, NOTHING_USED, type Place, wordOf } from './faults.ts'
import type { Answer, BatchState, Judge, JudgeRequest } from './judge.ts'
import * as common from './model-judge.ts'

/** Creates a judge behind Anthropic's Messages API: one call per question. */
export function createAnthropicJudge(name: string, settings: JudgeSettings, key: string): Judge {
  const client = new Anthropic({ ...common.clientOptions(settings), apiKey: key, authToken: null })
  const ask = askMessages(client.messages, settings)
  return common.modelJudge(name, settings, ask, (place) => batchEndpoint(client, place, settings))
}

/** Creates a judge of Anthropic's models at Amazon. Without a key (a Bedrock API key) the SDK searches AWS credentials like Amazon's own programs. */
export async function createBedrockJudge(name: string, settings: JudgeSettings, key: string): Promise<Judge> {
  const { AnthropicBedrock } = await loadOptional(
    '@anthropic-ai/bedrock-sdk',
    () => import('@anthropic-ai/bedrock-sdk'),
    `judge ${name}`,
  )
  const place = { awsRegion: settings.region, ...(key !== '' && { apiKey: key }) }
  const client = new AnthropicBedrock({ ...common.clientOptions(settings), ...place })
  return common.modelJudge(name, settings, askMessages(client.messages, settings))
}

/** Creates a judge of Anthropic's models at Google, with the Application Default Credentials. */
export async function createVertexJudge(name: string, settings: JudgeSettings): Promise<Judge> {
  const { AnthropicVertex } = await loadOptional(
    '@anthropic-ai/vertex-sdk',
    () => import('@anthropic-ai/vertex-sdk'),
    `judge ${name}`,
  )
  const place = { region: settings.region ?? null, projectId: settings.project ?? null }
  const options = { ...common.clientOptions(settings), ...place }
  // A client searches credentials as soon as it is made, even unused, and never again after a failure.
  let client: InstanceType<typeof AnthropicVertex> | null = null
  return common.modelJudge(name, settings, async (request, signal) => {
    signal.throwIfAborted()
    client ??= new AnthropicVertex(options)
    try {
      return await askMessages(client.messages, settings)(request, signal)
    } catch (error) {
      if (error instanceof AnthropicVertex.APIConnectionError) client = null
      throw error
    }
  })
}

/** Makes the call of a question by Anthropic's SDK, of Anthropic itself or of a cloud. */
const askMessages =
  (client: Pick<Anthropic['messages'], 'create'>, settings: JudgeSettings): common.AskModel =>
  async (request, signal) =>
    readMessage(await client.create(buildMessagesRequest(request, settings), { signal }))

type Params = Anthropic.MessageCreateParamsNonStreaming

/**
 * Builds the body of a Messages call. The raw `output_config.format` is used, because the SDK's own helper would move `enum` into the description. The cache
 * breakpoint is behind the trajectory and its pictures, so that another rubric, a sample or a repair reads them from the cache.
 */
export function buildMessagesRequest(request: JudgeRequest, settings: JudgeSettings): Params {
  const shared = common.sharedParts<Anthropic.TextBlockParam | Anthropic.ImageBlockParam>(
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
      ...common.repairTurns(request, '(no answer)'),
    ],
    ...(Object.keys(output).length > 0 && { output_config: output }),
  }
}

/** Reads an answer of the Messages API, of a single call or of a batch. Throws a TypeError for a body of another form. */
function readMessage(answer: Anthropic.Message): Answer {
  // A body that is no JSON, such as a proxy's page: the SDK returns it as a text.
  if (answer?.stop_reason === undefined) throw new TypeError('the answer is no message')
  const about = { usage: usageOf(answer.usage), model_resolved: wordOf(answer.model) }
  if (answer.stop_reason !== 'end_turn' && answer.stop_reason !== 'stop_sequence')
    return common.ended(ENDS.get(answer.stop_reason ?? '') ?? 'unknown', about)
  return common.answered(answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), about)
}

/** The stop reasons of a message without a whole answer. */
const ENDS = new Map<string, Parameters<typeof common.ended>[0]>([
  ['refusal', 'refusal'],
  ['max_tokens', 'limit'],
  ['model_context_window_exceeded', 'window'],
])

/** Converts Anthropic's usage, which counts uncached input apart; Veridict's input count includes all of it. */
function usageOf(usage: Anthropic.Usage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  const read = usage.cache_read_input_tokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  const long = common.countOf(usage.cache_creation?.ephemeral_1h_input_tokens)
  const counts = {
    input_tokens: usage.input_tokens + read + written,
    output_tokens: usage.output_tokens,
    cache_read_tokens: read,
    cache_write_tokens: written,
    ...(long > 0 && { cache_write_long_tokens: long }),
  }
  return common.usageFrom(counts, usage.service_tier)
}

type MessageBatch = Anthropic.Messages.MessageBatch

/** Makes the endpoint of Anthropic's Message Batches. Results are read by their own path, because `results_url` could lead the key to another server. */
function batchEndpoint(client: Anthropic, place: Place, settings: JudgeSettings): BatchEndpoint<MessageBatch> {
  const { batches } = client.messages
  return {
    envelope: (request) => ({ params: buildMessagesRequest(request, settings) }),
    /** Submits the lines unchanged: `batches.create` would need them parsed, only to write the same bytes again. */
    submit: ({ lines }, signal) =>
      client.post<MessageBatch>('/v1/messages/batches', {
        body: new Blob(['{"requests":[', ...lines.map((line, at) => (at === 0 ? line : `,${line}`)), ']}']),
        headers: { 'content-type': 'application/json' },
        signal,
      }),
    poll: async (id, signal) => stateOf(await batches.retrieve(id, {}, { signal })),
    cancel: (id, signal) => batches.cancel(id, {}, { signal }),
    download: (path, signal) => client.get(path, { headers: AS_FILE, signal }).asResponse(),
    readLine: (line) => readLine(line, place),
    list: (after_id, signal) =>
      batches.list({ limit: 100, ...(after_id !== undefined && { after_id }) }, { signal }).asResponse(),
    createdAt: ({ created_at }) => Date.parse(created_at),
    /**
     * Message Batches carry no id of the client. The results of a batch of matching age and size identify it, whose custom ids only this client makes: all
     * are of the submission, or none is. A running batch is no answer yet, even as the only candidate: another submission of the same size must not be
     * cancelled or awaited as this one.
     */
    async isOf(batch, { custom_ids }, results) {
      if (totalOf(batch) !== custom_ids.length) return false
      const state = stateOf(batch)
      if (state.state !== 'ended') return null
      for await (const { custom_id } of results(state.files)) return custom_ids.includes(custom_id)
      return null
    },
  }
}

/** Reads the state of a batch. An unknown state is no end: the batch is polled again. */
function stateOf({ id, processing_status: detail }: MessageBatch): BatchState {
  if (typeof detail !== 'string') throw new TypeError('the answer is no batch')
  if (detail !== 'ended') return { state: 'in_progress', detail }
  return { state: 'ended', detail, files: [`/v1/messages/batches/${encodeURIComponent(id)}/results`] }
}

/** Counts the requests of a batch. */
const totalOf = ({ request_counts }: MessageBatch): number =>
  Object.values(request_counts).reduce((sum, count) => sum + common.countOf(count), 0)

/** A line of the results as documented; every member is unchecked. */
interface MessageLine {
  readonly result?: {
    readonly type?: unknown
    readonly message?: Anthropic.Message
    readonly error?: { readonly error?: { readonly type?: unknown } | null; readonly request_id?: unknown } | null
  } | null
}

/** Reads a line of Message Batches; null: the request was never run. An errored request is not billed, whatever its error. */
function readLine({ result }: MessageLine, place: Place): LineReply | null {
  if (result?.type === 'expired' || result?.type === 'canceled') return null
  if (result?.type === 'succeeded') return { ...readMessage(result.message as Anthropic.Message), request_id: null }
  if (result?.type !== 'errored') throw new TypeError('the line has no result')
  const words = faultWords(result.error)
  const fault = { status: words.type === 'invalid_request_error' ? 400 : 500, ...words }
  const about = { usage: { ...NOTHING_USED }, model_resolved: null, request_id: wordOf(result.error?.request_id) }
  return { ok: false, failure: classifyHttp(fault, place), ...about }
}
