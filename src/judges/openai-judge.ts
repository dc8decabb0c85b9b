import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Judge, JudgeReply, JudgeRequest } from '../grading/ports.ts'
import type { Usage } from '../schemas/grade.ts'
import { callProvider, failed, rawOf, type SdkErrors } from './call.ts'
import { describeJudge } from './describe.ts'
import { buildChatRequest, buildResponsesRequest } from './openai-request.ts'
import { makeFetch } from './transport.ts'

const ERRORS: SdkErrors = {
  api: APIError,
  connection: APIConnectionError,
  timeout: APIConnectionTimeoutError,
  abort: APIUserAbortError,
}

/** A judge behind OpenAI’s API or any server that speaks it. One call a question; retries are ours, so the SDK makes none. */
export function createOpenAiJudge(name: string, settings: JudgeSettings, key: string): Judge {
  const client = new OpenAI({
    apiKey: key,
    baseURL: settings.base_url ?? 'https://api.openai.com/v1',
    maxRetries: 0,
    fetch: makeFetch(),
    organization: null,
    project: null,
    logLevel: 'off',
  })
  const call = settings.api === 'chat' ? callChat : callResponses
  return {
    info: describeJudge(name, settings),
    ask: (request, signal) => callProvider(ERRORS, key, signal, () => call(client, settings, request, signal)),
  }
}

async function callResponses(
  client: OpenAI,
  settings: JudgeSettings,
  request: JudgeRequest,
  signal: AbortSignal,
): Promise<JudgeReply> {
  const answer = await client.responses.create(buildResponsesRequest(request, settings), { signal })
  const about = {
    usage: usageOfResponses(answer.usage),
    model: answer.model ?? null,
    request_id: answer._request_id ?? null,
  }
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  if (parts.some((part) => part.type === 'refusal'))
    return failed('refused', 'the model refused to answer', answer, about)
  if (answer.status === 'incomplete') {
    const reason = answer.incomplete_details?.reason
    return reason === 'content_filter'
      ? failed('refused', 'the provider’s filter stopped the answer', answer, about)
      : failed('truncated', 'the answer reached the output limit', answer, about)
  }
  if (answer.status === 'failed')
    return failed('judge_unreachable', 'the provider failed while it answered', answer, about)
  const text = parts.map((part) => (part.type === 'output_text' ? part.text : '')).join('')
  return {
    ok: true,
    text,
    raw: rawOf(answer),
    usage: about.usage,
    model_resolved: about.model,
    request_id: about.request_id,
  }
}

async function callChat(
  client: OpenAI,
  settings: JudgeSettings,
  request: JudgeRequest,
  signal: AbortSignal,
): Promise<JudgeReply> {
  const answer = await client.chat.completions.create(buildChatRequest(request, settings), { signal })
  const about = {
    usage: usageOfChat(answer.usage),
    model: answer.model ?? null,
    request_id: answer._request_id ?? null,
  }
  const choice = answer.choices[0]
  if (choice === undefined) return failed('judge_unreachable', 'the provider answered without a choice', answer, about)
  if (choice.message.refusal) return failed('refused', 'the model refused to answer', answer, about)
  if (choice.finish_reason === 'content_filter')
    return failed('refused', 'the provider’s filter stopped the answer', answer, about)
  if (choice.finish_reason === 'length')
    return failed('truncated', 'the answer reached the output limit', answer, about)
  const text = choice.message.content ?? ''
  return {
    ok: true,
    text,
    raw: rawOf(answer),
    usage: about.usage,
    model_resolved: about.model,
    request_id: about.request_id,
  }
}

const usageOfResponses = (usage: OpenAI.Responses.ResponseUsage | undefined): Usage | null =>
  usage === undefined
    ? null
    : {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.input_tokens_details?.cached_tokens ?? 0,
        cache_write_tokens: 0,
      }

const usageOfChat = (usage: OpenAI.CompletionUsage | undefined): Usage | null =>
  usage === undefined
    ? null
    : {
        input_tokens: usage.prompt_tokens,
        output_tokens: usage.completion_tokens,
        cache_read_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
        cache_write_tokens: 0,
      }
