import type { JudgeSettings } from '../config/judges.ts'
import { defined } from '../domain/result.ts'
import { shownBaseUrl } from '../domain/words.ts'
import { publicAddress } from '../schemas/providers.ts'
import type { Place } from './faults.ts'
import type { JudgeInfo } from './judge.ts'

/** Finds the address that a judge asks. A base URL of Gemini without its OpenAI-compatible path gets that path. */
export function addressOf({ base_url, provider, region }: JudgeSettings): string {
  if (base_url === null) return publicAddress(provider, region) ?? ''
  const bare = base_url.replace(/\/$/, '')
  if (provider !== 'google' || bare.endsWith('/openai')) return base_url
  return bare.endsWith('/v1beta') ? `${bare}/openai` : `${bare}/v1beta/openai`
}

export const placeOf = (judge: string, settings: JudgeSettings): Place => ({
  ...settings,
  judge,
  host: new URL(addressOf(settings)).host,
  is_public: settings.base_url === null,
})

/** Describes a model judge for `GET /v1/judges`, with the identity for the cache key. Never the key. */
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
    base_url: shownBaseUrl(addressOf(settings)),
  }
}
