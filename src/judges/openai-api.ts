import type OpenAI from 'openai'
import type { JudgeSettings } from '../config/judges.ts'
import type { Picture } from '../domain/trajectory/picture.ts'
import type { JudgeReply, JudgeRequest } from '../ports/judge.ts'
import type { Usage } from '../schemas/grade.ts'
import { answered, countOf, failed, servedTier, usageFrom } from './call.ts'
import { pictureParts, repairTurns } from './describe.ts'
import { wordOf } from './faults.ts'

type ResponsesParams = OpenAI.Responses.ResponseCreateParamsNonStreaming
type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

const SCHEMA_NAME = 'judge_answer'

/** Builds the body of a Responses call. The trajectory comes first, the question behind it, repairs last: calls share their beginning. */
export function buildResponsesRequest(request: JudgeRequest, settings: JudgeSettings): ResponsesParams {
  return {
    model: settings.model,
    instructions: request.system,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: request.trajectory },
          ...responsesPictures(request),
          { type: 'input_text', text: request.question },
        ],
      },
      ...repairTurns(request),
    ],
    max_output_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    prompt_cache_key: request.cache_hint,
    store: false,
    ...(settings.effort !== null && {
      reasoning: { effort: settings.effort } as ResponsesParams['reasoning'] & object,
    }),
    ...(settings.structured_output === 'json_schema' && {
      text: {
        format: {
          type: 'json_schema' as const,
          name: SCHEMA_NAME,
          strict: true,
          schema: request.answer_schema as Record<string, unknown>,
        },
      },
    }),
  }
}

/** Builds the body of a Chat Completions call, which every compatible server understands. */
export function buildChatRequest(request: JudgeRequest, settings: JudgeSettings): ChatParams {
  return {
    model: settings.model,
    messages: [
      { role: 'system', content: request.system },
      {
        role: 'user',
        content: [
          { type: 'text', text: request.trajectory },
          ...chatPictures(request),
          { type: 'text', text: request.question },
        ],
      },
      ...repairTurns(request),
    ],
    max_completion_tokens: request.max_output_tokens ?? settings.max_output_tokens,
    ...(settings.effort !== null && { reasoning_effort: settings.effort as ChatParams['reasoning_effort'] & string }),
    // Gemini refuses the field with a 400; other servers may refuse it, too.
    ...(settings.provider === 'openai' && settings.base_url === null && { prompt_cache_key: request.cache_hint }),
    ...(settings.structured_output === 'json_schema' && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: SCHEMA_NAME, strict: true, schema: request.answer_schema as Record<string, unknown> },
      },
    }),
  }
}

const dataUrl = ({ media_type, data }: Picture): string => `data:${media_type};base64,${data}`

const responsesPictures = (request: JudgeRequest) =>
  pictureParts<OpenAI.Responses.ResponseInputContent>(
    request,
    (text) => ({ type: 'input_text', text }),
    (picture) => ({ type: 'input_image', image_url: dataUrl(picture), detail: 'auto' }),
  )

const chatPictures = (request: JudgeRequest) =>
  pictureParts<OpenAI.Chat.Completions.ChatCompletionContentPart>(
    request,
    (text) => ({ type: 'text', text }),
    (picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } }),
  )

/** Reads an answer of the Responses API, of a single call or of a batch. */
function replyOfResponses(answer: OpenAI.Responses.Response, requestId: string | null): JudgeReply {
  const about = aboutOf(usageOfResponses(answer.usage), answer, requestId)
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  if (parts.some((part) => part.type === 'refusal'))
    return failed('refused', 'the model refused to answer', answer, about)
  if (answer.status === 'incomplete') {
    return answer.incomplete_details?.reason === 'content_filter'
      ? failed('refused', 'the provider’s filter stopped the answer', answer, about)
      : failed('truncated', 'the answer reached the output limit', answer, about)
  }
  // A compatible server may omit the status; any status except `completed` is a failure.
  if ((answer.status ?? 'completed') !== 'completed')
    return failed('judge_unreachable', 'the provider failed while it answered', answer, about)
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
  if (choice === undefined) return failed('judge_unreachable', 'the provider answered without a choice', answer, about)
  const reason = String(choice.finish_reason).slice(0, 100).toLowerCase()
  if (FILTERED.test(reason)) return failed('refused', 'the provider’s filter stopped the answer', answer, about)
  if (choice.message.refusal) return failed('refused', 'the model refused to answer', answer, about)
  if (reason === 'length' || reason === 'max_tokens')
    return failed('truncated', 'the answer reached the output limit', answer, about)
  if (BROKEN_OFF.includes(reason))
    return failed('judge_unreachable', 'the provider failed while it answered', answer, about)
  if (provider === 'google' && reason !== 'stop')
    return failed('internal', 'the model stopped for a reason that this version does not know', answer, about)
  return answered(choice.message.content ?? '', answer, about)
}

const aboutOf = (
  usage: Usage | null,
  { model, service_tier }: { readonly model: string; readonly service_tier?: string | null },
  request_id: string | null,
) => ({ usage: usage && { ...usage, ...servedTier(service_tier) }, model_resolved: wordOf(model), request_id })

function usageOfResponses(usage: OpenAI.Responses.ResponseUsage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  return usageOf(usage.input_tokens, usage.output_tokens, usage.input_tokens_details)
}

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
