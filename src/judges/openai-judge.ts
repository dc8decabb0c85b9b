import OpenAI, { AzureOpenAI, toStreamingFile } from 'openai'
import type { JudgeSettings } from '../config/judges.ts'
import type { Picture } from '../domain/trajectory/trajectory.ts'
import type { Usage } from '../schemas/grade.ts'
import type { BatchEndpoint, LineReply } from './batch.ts'
import { classifyHttp, failure, faultWords, type Place, usageOfFault, wordOf, wordsOf } from './faults.ts'
import type { Answer, BatchState, Judge, JudgeRequest } from './judge.ts'
import * as common from './model-judge.ts'

/** Options of the clients of OpenAI's SDK, which would read an organization and a project from the environment. */
const openAiOptions = (settings: JudgeSettings) =>
  ({ ...common.clientOptions(settings), organization: null, project: null }) as const

/** Creates a judge behind OpenAI's API or any compatible server; without batches, a server answers their calls with an error, as for any unknown path. */
export const createOpenAiJudge = (name: string, settings: JudgeSettings, key: string): Judge =>
  judgeOf(new OpenAI({ ...openAiOptions(settings), apiKey: key }), name, settings)

/** The variable whose value is a token of Microsoft Entra instead of a key of the resource. */
const ENTRA_TOKEN = 'AZURE_OPENAI_AD_TOKEN'

/** Makes a judge of a resource of Azure, which names a model by its deployment. */
export function createAzureJudge(name: string, settings: JudgeSettings, key: string): Judge {
  // An empty key: the SDK would read the environment's key, and reject both.
  const credential =
    settings.key_env === ENTRA_TOKEN ? { apiKey: '', azureADTokenProvider: async () => key } : { apiKey: key }
  const client = new AzureOpenAI({
    ...openAiOptions(settings),
    ...credential,
    baseURL: `${common.addressOf(settings).replace(/(?:\/openai)?\/*$/, '')}/openai`,
    apiVersion: settings.api_version,
  })
  return judgeOf(client, name, settings)
}

function judgeOf(client: OpenAI, name: string, settings: JudgeSettings): Judge {
  const { path, buildBody, read } = settings.api === 'chat' ? CHAT : RESPONSES
  return common.modelJudge(
    name,
    settings,
    async (request, signal) =>
      read(await client.post(path.slice('/v1'.length), { body: buildBody(request, settings), signal }), settings),
    (place) => ({
      ...batchEndpoint(client, path),
      envelope: (request) => ({ method: 'POST', url: path, body: buildBody(request, settings) }),
      readLine: (line) => readLine(line, place, (body) => read(body, settings)),
    }),
  )
}

type Batch = OpenAI.Batches.Batch

/** The field of a batch's metadata that holds the submission's id. */
const OUR_ID = 'veridict'

/** Statuses of an ended batch. An unknown status is no end: the batch is polled again. */
const ENDED: readonly string[] = ['completed', 'expired', 'cancelled']

/** Makes OpenAI's batch endpoint: a file of requests is uploaded, a batch is made of it, and two files are downloaded. */
const batchEndpoint = (
  { batches, files }: OpenAI,
  endpoint: OpenAiApi['path'],
): Omit<BatchEndpoint<Batch>, 'envelope' | 'readLine'> => ({
  /** Uploads the lines and submits their file. A file without its batch costs nothing, so only the second call must be found again after a crash. */
  async submit({ id: ours, lines }, signal) {
    const file = toStreamingFile(bytesOfLines(lines), `${ours}.jsonl`, { type: 'application/jsonl' })
    const { id } = await files.create({ purpose: 'batch', file }, { signal })
    const ends = { endpoint, completion_window: '24h' } as const
    return await batches.create({ input_file_id: id, ...ends, metadata: { [OUR_ID]: ours } }, { signal })
  },
  poll: async (id, signal) => stateOf(await batches.retrieve(id, { signal })),
  cancel: (id, signal) => batches.cancel(id, { signal }),
  download: (file, signal) => files.content(file, { signal }),
  list: (after, signal) => batches.list({ limit: 100, ...(after !== undefined && { after }) }, { signal }).asResponse(),
  createdAt: ({ created_at }) => created_at * 1000,
  isOf: async ({ metadata }, { id }) => metadata?.[OUR_ID] === id,
})

async function* bytesOfLines(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`
}

/** Reads the state of a batch. The output file has the requests that ran, and the error file the others; either may be missing. */
function stateOf({ status, errors, output_file_id, error_file_id }: Batch): BatchState {
  if (typeof status !== 'string') throw new TypeError('the answer is no batch')
  const faults = (errors?.data ?? []).slice(0, 5).map(({ code, message, line }) => {
    const place = typeof line === 'number' ? `line ${line}: ` : ''
    return `${place}${code ?? ''} ${message ?? ''}`.trim()
  })
  const detail = [status, ...faults].join('; ')
  if (!ENDED.includes(status)) return { state: status === 'failed' ? 'failed' : 'in_progress', detail }
  return { state: 'ended', detail, files: [output_file_id, error_file_id].flatMap((file) => file || []) }
}

/** A line of an output file or an error file as documented; every member is unchecked. */
interface OutputLine {
  readonly response?: { readonly status_code?: unknown; readonly request_id?: unknown; readonly body?: unknown } | null
  readonly error?: { readonly code?: unknown } | null
}

/** Reads a line of an output or error file; null: the provider never ran the request. */
function readLine({ response, error }: OutputLine, place: Place, read: (body: unknown) => Answer): LineReply | null {
  if (error?.code === 'batch_expired' || error?.code === 'batch_cancelled') return null
  const { status_code: status, body } = response ?? {}
  const request_id = wordOf(response?.request_id)
  if (status === 200) return { ...read(body), request_id }
  const words = faultWords(body)
  const fault = { ...words, code: words.code ?? wordOf(error?.code), status: typeof status === 'number' ? status : 0 }
  const broken = `the provider did not run this request of the batch to its end${wordsOf(fault)}`
  return {
    ok: false,
    failure: fault.status >= 300 ? classifyHttp(fault, place) : failure('judge_unreachable', broken),
    usage: usageOfFault(fault),
    model_resolved: null,
    request_id,
  }
}

type ResponsesParams = OpenAI.Responses.ResponseCreateParamsNonStreaming
type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

const dataUrl = ({ media_type, data }: Picture): string => `data:${media_type};base64,${data}`
const schemaOf = ({ answer_schema }: JudgeRequest) =>
  ({ name: 'judge_answer', strict: true, schema: answer_schema as Record<string, unknown> }) as const

/** Builds the body of a Responses call. The trajectory comes first, the question behind it, repairs last: calls share their beginning. */
export function buildResponsesRequest(request: JudgeRequest, settings: JudgeSettings): ResponsesParams {
  const shared = common.sharedParts<OpenAI.Responses.ResponseInputContent>(
    request,
    (text) => ({ type: 'input_text', text }),
    (picture) => ({ type: 'input_image', image_url: dataUrl(picture), detail: 'auto' }),
  )
  return {
    model: settings.model,
    instructions: request.system,
    input: [
      { role: 'user', content: [...shared, { type: 'input_text', text: request.question }] },
      ...common.repairTurns(request),
    ],
    max_output_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    prompt_cache_key: request.cache_hint,
    store: false,
    ...(settings.effort !== null && { reasoning: { effort: settings.effort as OpenAI.ReasoningEffort } }),
    ...(settings.structured_output === 'json_schema' && {
      text: { format: { type: 'json_schema' as const, ...schemaOf(request) } },
    }),
  }
}

/** Builds the body of a Chat Completions call, which every compatible server understands. */
export function buildChatRequest(request: JudgeRequest, settings: JudgeSettings): ChatParams {
  const shared = common.sharedParts<OpenAI.Chat.Completions.ChatCompletionContentPart>(
    request,
    (text) => ({ type: 'text', text }),
    (picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } }),
  )
  return {
    model: settings.model,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: [...shared, { type: 'text', text: request.question }] },
      ...common.repairTurns(request),
    ],
    max_completion_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    ...(settings.effort !== null && { reasoning_effort: settings.effort as ChatParams['reasoning_effort'] & string }),
    // Gemini refuses the field with a 400; other servers may refuse it, too.
    ...(settings.provider === 'openai' && settings.base_url === null && { prompt_cache_key: request.cache_hint }),
    ...(settings.structured_output === 'json_schema' && {
      response_format: { type: 'json_schema' as const, json_schema: schemaOf(request) },
    }),
  }
}

/** Reads an answer of the Responses API, of a single call or of a batch. */
function readResponse(answer: OpenAI.Responses.Response): Answer {
  const { model, usage, service_tier } = answer
  const counts = usage && usageOf(usage.input_tokens, usage.output_tokens, usage.input_tokens_details, service_tier)
  const about = { usage: counts ?? null, model_resolved: wordOf(model) }
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  if (parts.some((part) => part.type === 'refusal')) return common.ended('refusal', about)
  if (answer.status === 'incomplete')
    return common.ended(answer.incomplete_details?.reason === 'content_filter' ? 'filter' : 'limit', about)
  // A compatible server may omit the status; any status except `completed` is a failure.
  if ((answer.status ?? 'completed') !== 'completed') return common.ended('broken', about)
  return common.answered(parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''), about)
}

/** Finish reasons of compatible servers (vLLM, OpenRouter, Gemini) for an answer that broke off. */
const BROKEN_OFF: readonly string[] = ['abort', 'error', 'malformed_response']

/** Matches the finish reasons of a content filter: OpenAI’s own, and those of Gemini (`content_filter: RECITATION`, `SAFETY`). */
const FILTERED = /^(?:content_filter|safety|recitation|blocklist|prohibited_content|spii)\b/

/** Reads an answer of the Chat Completions API. Gemini's words for an unfinished answer are not documented: for Gemini only `stop` is an answer. */
function readChat(answer: OpenAI.Chat.Completions.ChatCompletion, { provider }: JudgeSettings): Answer {
  const about = { usage: usageOfChat(answer), model_resolved: wordOf(answer.model) }
  const choice = answer.choices[0]
  if (choice === undefined) return common.ended('empty', about)
  const given: unknown = choice.finish_reason
  const reason = typeof given === 'string' ? given.slice(0, 100).toLowerCase() : ''
  if (FILTERED.test(reason)) return common.ended('filter', about)
  if (choice.message.refusal) return common.ended('refusal', about)
  if (reason === 'length' || reason === 'max_tokens') return common.ended('limit', about)
  if (BROKEN_OFF.includes(reason)) return common.ended('broken', about)
  if (provider === 'google' && reason !== 'stop') return common.ended('unknown', about)
  return common.answered(choice.message.content ?? '', about)
}

function usageOfChat({ usage, service_tier }: OpenAI.Chat.Completions.ChatCompletion): Usage | null {
  if (usage === null || usage === undefined) return null
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  // Gemini counts and bills its reasoning only in the total.
  const output = Number.isSafeInteger(completion_tokens)
    ? Math.max(completion_tokens, common.countOf(total_tokens) - prompt_tokens)
    : completion_tokens
  return usageOf(prompt_tokens, output, usage.prompt_tokens_details, service_tier)
}

/** Counts all input, with the tokens that the cache read or wrote. Compatible servers and older models omit the details. */
const usageOf = (
  input_tokens: number,
  output_tokens: number,
  details: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null | undefined,
  tier: string | null | undefined,
): Usage | null => {
  const cache = { cache_read_tokens: details?.cached_tokens ?? 0, cache_write_tokens: details?.cache_write_tokens ?? 0 }
  return common.usageFrom({ input_tokens, output_tokens, ...cache }, tier)
}

/** One of OpenAI's two APIs for a question, the same for single calls and for batches. */
interface OpenAiApi {
  readonly path: '/v1/responses' | '/v1/chat/completions'
  buildBody(request: JudgeRequest, settings: JudgeSettings): object
  /** Reads an answer. Throws a TypeError where the answer breaks the API's types. */
  read(answer: unknown, settings: JudgeSettings): Answer
}

const RESPONSES: OpenAiApi = { path: '/v1/responses', buildBody: buildResponsesRequest, read: readResponse }
const CHAT: OpenAiApi = { path: '/v1/chat/completions', buildBody: buildChatRequest, read: readChat }
