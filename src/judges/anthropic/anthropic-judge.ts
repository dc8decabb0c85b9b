import Anthropic from '@anthropic-ai/sdk'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { Judge } from '../../ports/ports.ts'
import { PROVIDERS } from '../../schemas/providers.ts'
import { askProvider, LONGEST_CALL_MS, type Sdk } from '../call.ts'
import { addressOf, describeJudge, placeOf } from '../describe.ts'
import { makeFetch } from '../transport.ts'
import { createAnthropicBatch } from './anthropic-batch.ts'
import { replyOfMessage } from './anthropic-reply.ts'
import { buildMessagesRequest } from './anthropic-request.ts'

/** A judge behind Anthropic’s Messages API. One call a question; retries are ours, so the SDK makes none. */
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

/** What a client of Anthropic’s SDK is asked by, wherever its models run. */
export interface MessagesClient {
  create(
    body: Anthropic.MessageCreateParamsNonStreaming,
    options?: Anthropic.RequestOptions,
  ): PromiseLike<Anthropic.Message & { readonly _request_id?: string | null }>
}

/** A judge that is asked through such a client. */
export const messagesJudge = (client: MessagesClient, sdk: Sdk, name: string, settings: JudgeSettings): Judge => ({
  info: describeJudge(name, settings),
  ask: (request, signal) =>
    askProvider(sdk, signal, async () => {
      const answer = await client.create(buildMessagesRequest(request, settings), { signal, timeout: LONGEST_CALL_MS })
      return replyOfMessage(answer, answer._request_id ?? null, settings)
    }),
})
