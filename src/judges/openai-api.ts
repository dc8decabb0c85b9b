import type OpenAI from 'openai'
import type { JudgeSettings } from '../config/judges.ts'
import type { Picture } from '../domain/trajectory/trajectory.ts'
import type { Usage } from '../schemas/grade.ts'
import { answered, countOf, ended, servedTier, usageFrom } from './call.ts'
import { repairTurns, sharedParts } from './describe.ts'
import { wordOf } from './faults.ts'
import type { JudgeReply, JudgeRequest } from './judge.ts'

type ResponsesParams = OpenAI.Responses.ResponseCreateParamsNonStreaming
type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

const dataUrl = ({ media_type, data }: Picture): string => `data:${media_type};base64,${data}`
const schemaOf = ({ answer_schema }: JudgeRequest) =>
  ({ name: 'judge_answer', strict: true, schema: answer_schema as Record<string, unknown> }) as const

/** Builds the body of a Responses call. The trajectory comes first, the question behind it, repairs last: calls share their beginning. */
export function buildResponsesRequest(request: JudgeRequest, settings: JudgeSettings): ResponsesParams {
  const shared = sharedParts<OpenAI.Responses.ResponseInputContent>(
    request,
    (text) => ({ type: 'input_text', text }),
    (picture) => ({ type: 'input_image', image_url: dataUrl(picture), detail: 'auto' }),
  )
  return {
    model: settings.model,
    instructions: request.system,
    input: [
      { role: 'user', content: [...shared, { type: 'input_text', text: request.question }] },
      ...repairTurns(request),
    ],
    max_output_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    prompt_cache_key: request.cache_hint,
    store: false,
    ...(settings.effort !== null && {
      reasoning: { effort: settings.effort } as ResponsesParams['reasoning'] & object,
    }),
    ...(settings.structured_output === 'json_schema' && {
      text: { format: { type: 'json_schema' as const, ...schemaOf(request) } },
    }),
  }
}

/** Builds the body of a Chat Completions call, which every compatible server understands. */
export function buildChatRequest(request: JudgeRequest, settings: JudgeSettings): ChatParams {
  const shared = sharedParts<OpenAI.Chat.Completions.ChatCompletionContentPart>(
    request,
    (text) => ({ type: 'text', text }),
    (picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } }),
  )
  return {
    model: settings.model,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: [...shared, { type: 'text', text: request.question }] },
      ...repairTurns(request),
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
function replyOfResponses(answer: OpenAI.Responses.Response, requestId: string | null): JudgeReply {
  const { usage } = answer
  const counts = usage && usageOf(usage.input_tokens, usage.output_tokens, usage.input_tokens_details)
  const about = aboutOf(counts, answer, requestId)
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  if (parts.some((part) => part.type === 'refusal')) return ended('refusal', answer, about)
  if (answer.status === 'incomplete')
    return ended(answer.incomplete_details?.reason === 'content_filter' ? 'filter' : 'limit', answer, about)
  // A compatible server may omit the status; any status except `completed` is a failure.
  if ((answer.status ?? 'completed') !== 'completed') return ended('broken', answer, about)
  return answered(parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''), answer, about)
}

/** Finish reasons of compatible servers (vLLM, OpenRouter, Gemini) for an answer that broke off. */
const BROKEN_OFF: readonly string[] = ['abort', 'error', 'malformed_response']

/** Matches the finish reasons of a content filter: OpenAI’s own, and those of Gemini (`content_filter: RECITATION`, `SAFETY`). */
const FILTERED = /^(?:content_filter|safety|recitation|blocklist|prohibited_content|spii)\b/

/**
 * Reads an answer of the Chat Completions API. Gemini's words for an unfinished answer are not documented, so for Gemini only `stop` is an
 * answer.
 */
function replyOfChat(
  answer: OpenAI.Chat.Completions.ChatCompletion,
  requestId: string | null,
  { provider }: JudgeSettings,
): JudgeReply {
  const about = aboutOf(usageOfChat(answer.usage), answer, requestId)
  const choice = answer.choices[0]
  if (choice === undefined) return ended('empty', answer, about)
  const given: unknown = choice.finish_reason
  const reason = typeof given === 'string' ? given.slice(0, 100).toLowerCase() : ''
  if (FILTERED.test(reason)) return ended('filter', answer, about)
  if (choice.message.refusal) return ended('refusal', answer, about)
  if (reason === 'length' || reason === 'max_tokens') return ended('limit', answer, about)
  if (BROKEN_OFF.includes(reason)) return ended('broken', answer, about)
  if (provider === 'google' && reason !== 'stop') return ended('unknown', answer, about)
  return answered(choice.message.content ?? '', answer, about)
}

const aboutOf = (
  usage: Usage | null | undefined,
  { model, service_tier }: { readonly model: string; readonly service_tier?: string | null },
  request_id: string | null,
) => ({
  ...{ usage: usage ? { ...usage, ...servedTier(service_tier) } : null },
  ...{ model_resolved: wordOf(model), request_id },
})

function usageOfChat(usage: OpenAI.CompletionUsage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  // Gemini counts and bills its reasoning only in the total.
  const output = Number.isSafeInteger(completion_tokens)
    ? Math.max(completion_tokens, countOf(total_tokens) - prompt_tokens)
    : completion_tokens
  return usageOf(prompt_tokens, output, usage.prompt_tokens_details)
}

/** Counts all input, with the tokens that the cache read or wrote. Compatible servers and older models omit the details. */
const usageOf = (
  input: number,
  output: number,
  details: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null | undefined,
): Usage | null => usageFrom(input, output, details?.cached_tokens ?? 0, details?.cache_write_tokens ?? 0)

/** One of OpenAI's two APIs for a question, the same for single calls and for batches. */
export interface OpenAiApi {
  readonly path: '/v1/responses' | '/v1/chat/completions'
  buildBody(request: JudgeRequest, settings: JudgeSettings): object
  /** Reads an answer. Throws a TypeError where the answer breaks the API's types. */
  replyOf(answer: unknown, requestId: string | null, settings: JudgeSettings): JudgeReply
}

const RESPONSES: OpenAiApi = { path: '/v1/responses', buildBody: buildResponsesRequest, replyOf: replyOfResponses }
const CHAT: OpenAiApi = { path: '/v1/chat/completions', buildBody: buildChatRequest, replyOf: replyOfChat }

export const openAiApi = (settings: JudgeSettings): OpenAiApi => (settings.api === 'chat' ? CHAT : RESPONSES)
