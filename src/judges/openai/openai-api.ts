import type OpenAI from 'openai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { JudgeReply, JudgeRequest } from '../../ports/judge-ports.ts'
import { replyOfChat, replyOfResponses } from './openai-reply.ts'
import { buildChatRequest, buildResponsesRequest } from './openai-request.ts'

/** One of OpenAI’s two APIs for a question, the same for single calls and for batches. */
export interface OpenAiApi {
  readonly path: '/v1/responses' | '/v1/chat/completions'
  buildBody(request: JudgeRequest, settings: JudgeSettings): object
  ask(client: OpenAI, request: JudgeRequest, settings: JudgeSettings, signal: AbortSignal): Promise<JudgeReply>
  /** Throws a TypeError where the answer is not what the API promises. */
  replyOf(answer: unknown, requestId: string | null, settings: JudgeSettings): JudgeReply
}

const RESPONSES: OpenAiApi = {
  path: '/v1/responses',
  buildBody: buildResponsesRequest,
  async ask(client, request, settings, signal) {
    const answer = await client.responses.create(buildResponsesRequest(request, settings), { signal })
    return replyOfResponses(answer, answer._request_id ?? null, settings)
  },
  replyOf: (answer, requestId, settings) => replyOfResponses(answer as OpenAI.Responses.Response, requestId, settings),
}

const CHAT: OpenAiApi = {
  path: '/v1/chat/completions',
  buildBody: buildChatRequest,
  async ask(client, request, settings, signal) {
    const answer = await client.chat.completions.create(buildChatRequest(request, settings), { signal })
    return replyOfChat(answer, answer._request_id ?? null, settings)
  },
  replyOf: (answer, requestId, settings) =>
    replyOfChat(answer as OpenAI.Chat.Completions.ChatCompletion, requestId, settings),
}

export const openAiApi = (settings: JudgeSettings): OpenAiApi => (settings.api === 'chat' ? CHAT : RESPONSES)
