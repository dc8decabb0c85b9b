import OpenAI, { AzureOpenAI } from 'openai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { Judge } from '../../ports/ports.ts'
import { providerRow } from '../../schemas/providers.ts'
import { askProvider, type Sdk } from '../call.ts'
import { addressOf, describeJudge, placeOf } from '../describe.ts'
import { makeFetch } from '../transport.ts'
import { openAiApi } from './openai-api.ts'
import { createOpenAiBatch } from './openai-batch.ts'

/** Retries are ours, so the SDK makes none. */
const common = ({ concurrency }: JudgeSettings) =>
  ({
    maxRetries: 0,
    fetch: makeFetch(concurrency.max),
    organization: null,
    project: null,
    logLevel: 'off',
  }) as const

/**
 * A judge behind OpenAI’s API or any server that speaks it. A compatible server without batches answers their calls with an error, as it
 * would any other path it does not know.
 */
export const createOpenAiJudge = (name: string, settings: JudgeSettings, key: string): Judge =>
  judgeOf(new OpenAI({ ...common(settings), apiKey: key, baseURL: addressOf(settings) }), name, settings, key)

/** The variable whose value is a token of Microsoft Entra, and not a key of the resource. */
const ENTRA_TOKEN = 'AZURE_OPENAI_AD_TOKEN'

/** The same in a resource of Azure, where a model is called by the name of its deployment. */
export function createAzureJudge(name: string, settings: JudgeSettings, key: string): Judge {
  // An empty key: the SDK would take that of the environment, and refuse both.
  const credential =
    settings.key_env === ENTRA_TOKEN ? { apiKey: '', azureADTokenProvider: async () => key } : { apiKey: key }
  const client = new AzureOpenAI({
    ...common(settings),
    ...credential,
    baseURL: `${addressOf(settings)
      .replace(/\/+$/, '')
      .replace(/\/openai$/, '')}/openai`,
    apiVersion: settings.api_version,
  })
  return judgeOf(client, name, settings, key)
}

function judgeOf(client: OpenAI, name: string, settings: JudgeSettings, key: string): Judge {
  const sdk: Sdk = { errors: OpenAI, secret: key, place: placeOf(name, settings) }
  const api = openAiApi(settings)
  const judge: Judge = {
    info: describeJudge(name, settings),
    ask: (request, signal) => askProvider(sdk, signal, () => api.ask(client, request, settings, signal)),
  }
  const { batches } = providerRow(settings.provider)
  if (batches === null) return judge
  return {
    ...judge,
    batch: { ...batches, ...createOpenAiBatch(client, sdk, settings) },
  }
}
