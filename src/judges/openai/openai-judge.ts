import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import { PUBLIC_BASE_URL } from '../../domain/base-url.ts'
import type { Judge } from '../../ports/ports.ts'
import { askProvider, type Sdk } from '../call.ts'
import { dateOf, describeJudge } from '../describe.ts'
import { makeBatchFetch, makeDownloadFetch, makeFetch } from '../transport.ts'
import { openAiApi } from './openai-api.ts'
import { createOpenAiBatch } from './openai-batch.ts'

const ERRORS: Sdk['errors'] = {
  api: APIError,
  connection: APIConnectionError,
  timeout: APIConnectionTimeoutError,
  abort: APIUserAbortError,
}

/**
 * A judge behind OpenAI’s API or any server that speaks it. One call a question; retries are ours, so the SDK makes none. A compatible
 * server without batches answers their calls with an error, as it would any other path it does not know.
 */
export function createOpenAiJudge(name: string, settings: JudgeSettings, key: string): Judge {
  const client = new OpenAI({
    apiKey: key,
    baseURL: settings.base_url ?? PUBLIC_BASE_URL.openai,
    maxRetries: 0,
    fetch: makeFetch(settings.concurrency.max),
    organization: null,
    project: null,
    logLevel: 'off',
  })
  const sdk: Sdk = { errors: ERRORS, secret: key, host: new URL(client.baseURL).host, key_env: settings.key_env }
  const api = openAiApi(settings)
  return {
    info: describeJudge(name, settings),
    ask: (request, signal) => askProvider(sdk, signal, () => api.ask(client, request, settings, signal)),
    async lifecycle(signal) {
      const { shutdown_date } = await client.models.retrieve(settings.model, { signal })
      return { stage: null, retires_at: dateOf(shutdown_date) }
    },
    batch: createOpenAiBatch(
      {
        calls: client.withOptions({ fetch: makeBatchFetch() }),
        downloads: client.withOptions({ fetch: makeDownloadFetch() }),
      },
      sdk,
      settings,
    ),
  }
}
