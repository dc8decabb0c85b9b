import type OpenAI from 'openai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Usage } from '../../schemas/grade.ts'
import { wordOf } from '../fault-words.ts'
import { answered, countOf, failed, servedTier, usageFrom } from '../reply.ts'

/** Reads an answer of the Responses API, of a single call or of a batch. */
export function replyOfResponses(
  answer: OpenAI.Responses.Response,
  requestId: string | null,
  { service_tier }: JudgeSettings,
): JudgeReply {
  const about = aboutOf(usageOfResponses(answer.usage), answer, requestId, service_tier)
  // The SDK adds `output_text` to the answer of a single call; what is kept is what the provider said.
  const body = { ...answer, output_text: undefined }
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  if (parts.some((part) => part.type === 'refusal'))
    return failed('refused', 'the model refused to answer', body, about)
  if (answer.status === 'incomplete') {
    return answer.incomplete_details?.reason === 'content_filter'
      ? failed('refused', 'the provider’s filter stopped the answer', body, about)
      : failed('truncated', 'the answer reached the output limit', body, about)
  }
  // A compatible server may leave the status out; none that it says is an answer but `completed`.
  if ((answer.status ?? 'completed') !== 'completed')
    return failed('judge_unreachable', 'the provider failed while it answered', body, about)
  return answered(parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''), body, about)
}

/** Finish reasons of compatible servers (vLLM, OpenRouter, Gemini) for an answer that broke off. */
const BROKEN_OFF: readonly string[] = ['abort', 'error', 'malformed_response']

/** Matches the finish reasons of a content filter: OpenAI’s own, and those of Gemini (`content_filter: RECITATION`, `SAFETY`). */
const FILTERED = /^(?:content_filter|safety|recitation|blocklist|prohibited_content|spii)\b/

/** Reads an answer of the Chat Completions API. Gemini’s words for an answer that stopped early are not documented, so that only `stop` is an answer of Gemini. */
export function replyOfChat(
  answer: OpenAI.Chat.Completions.ChatCompletion,
  requestId: string | null,
  { provider, service_tier }: JudgeSettings,
): JudgeReply {
  const about = aboutOf(usageOfChat(answer.usage), answer, requestId, service_tier)
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
  tier: string | undefined,
) => ({ usage: usage && { ...usage, ...servedTier(tier, service_tier) }, model_resolved: wordOf(model), request_id })

function usageOfResponses(usage: OpenAI.Responses.ResponseUsage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  return usageOf(usage.input_tokens, usage.output_tokens, usage.input_tokens_details)
}

function usageOfChat(usage: OpenAI.CompletionUsage | null | undefined): Usage | null {
  if (usage === null || usage === undefined) return null
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  // Gemini counts and bills its thoughts in the total alone.
  const output = Number.isSafeInteger(completion_tokens)
    ? Math.max(completion_tokens, countOf(total_tokens) - prompt_tokens)
    : completion_tokens
  return usageOf(prompt_tokens, output, usage.prompt_tokens_details)
}

/** Input counts all of it, what the cache read or wrote included. Compatible servers and older models leave the details out. */
const usageOf = (
  input: number,
  output: number,
  details: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null | undefined,
): Usage | null => usageFrom(input, output, details?.cached_tokens ?? 0, details?.cache_write_tokens ?? 0)
