import type { JudgeSettings } from '../config/judges.ts'
import { defined } from '../domain/result.ts'
import { shownBaseUrl } from '../domain/words.ts'
import { providerRow, publicAddress } from '../schemas/providers.ts'
import { type BatchEndpoint, callsOf } from './batch.ts'
import { askProvider, LONGEST_CALL_MS, makeFetch } from './call.ts'
import type { Place } from './faults.ts'
import type { Judge, JudgeInfo, JudgeRequest } from './judge.ts'
import type { Answer } from './messages.ts'

/** Options common to the clients of all SDKs. Veridict retries by itself, so the SDK's retries are off. */
export const clientOptions = (settings: JudgeSettings) =>
  ({
    baseURL: addressOf(settings),
    maxRetries: 0,
    fetch: makeFetch(settings.concurrency.max),
    logLevel: 'off',
  }) as const

/** Makes one call of an SDK. */
export type AskModel = (
  request: JudgeRequest,
  options: { readonly signal: AbortSignal; readonly timeout: number },
) => Promise<Answer>

/** Makes a judge of one call of an SDK for each question, and of the batch endpoint where its provider has one. */
export function modelJudge<Batch extends { readonly id: string }>(
  name: string,
  settings: JudgeSettings,
  ask: AskModel,
  endpoint?: (place: Place) => BatchEndpoint<Batch>,
): Judge {
  const place = placeOf(name, settings)
  const { batches } = providerRow(settings.provider)
  return {
    info: describeJudge(name, settings),
    ask: (request, signal) => askProvider(place, signal, () => ask(request, { signal, timeout: LONGEST_CALL_MS })),
    ...(endpoint !== undefined && batches !== null && { batch: { ...batches, ...callsOf(place, endpoint(place)) } }),
  }
}

/** Finds the address that a judge asks. A base URL of Gemini without its OpenAI-compatible path gets that path. */
export function addressOf({ base_url, provider, region }: JudgeSettings): string {
  if (base_url === null) return publicAddress(provider, region) ?? ''
  const bare = base_url.replace(/\/$/, '')
  if (provider !== 'google' || bare.endsWith('/openai')) return base_url
  return bare.endsWith('/v1beta') ? `${bare}/openai` : `${bare}/v1beta/openai`
}

const placeOf = (judge: string, settings: JudgeSettings): Place => ({
  ...settings,
  judge,
  host: new URL(addressOf(settings)).host,
  is_public: settings.base_url === null,
})

/** Describes a model judge for `GET /v1/judges`, with the identity for the cache key. Never the key. The judge of an estimate may lack its address. */
export function describeJudge(name: string, settings: JudgeSettings): JudgeInfo {
  const { provider, base_url, model, api, effort, structured_output, price } = settings
  const { region, project, api_version, window_tokens, max_output_tokens, images, token_factor } = settings
  const limits = { window_tokens, max_output_tokens, images, token_factor }
  return {
    name,
    kind: 'model',
    description: `${model} through ${provider}’s ${api} API`,
    identity: {
      ...{ provider, base_url, model },
      parameters: { api, effort, structured_output, ...limits, ...defined({ region, project, api_version }) },
    },
    ...limits,
    structured_output: structured_output !== 'none',
    ...(base_url !== null &&
      structured_output !== 'none' && {
        form_remedy: `if the server ignores the schema, set another structured_output of the judge ${name} (it is ${structured_output}), or none`,
      }),
    price,
    base_url: URL.canParse(addressOf(settings)) ? shownBaseUrl(addressOf(settings)) : null,
  }
}
