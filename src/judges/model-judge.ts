import type { JudgeSettings } from '../config/judges.ts'
import { STANDARD_TIERS } from '../domain/money.ts'
import { defined } from '../domain/result.ts'
import { picturesNote } from '../domain/rubric/prompt.ts'
import type { Picture } from '../domain/trajectory/trajectory.ts'
import { shownBaseUrl } from '../domain/words.ts'
import type { Usage } from '../schemas/grade.ts'
import { providerRow, publicAddress } from '../schemas/providers.ts'
import { type BatchEndpoint, batchApi } from './batch.ts'
import { askProvider, LONGEST_CALL_MS, makeFetch } from './call.ts'
import { failure, type Place } from './faults.ts'
import type { Answer, Judge, JudgeInfo, JudgeRequest } from './judge.ts'

/** Options common to the clients of all SDKs. Veridict retries by itself, so the SDK's retries are off. */
export const clientOptions = (settings: JudgeSettings) =>
  ({
    baseURL: addressOf(settings),
    maxRetries: 0,
    fetch: makeFetch(settings.concurrency.max),
    logLevel: 'off',
    timeout: LONGEST_CALL_MS,
  }) as const

/** Makes one call of an SDK. */
export type AskModel = (request: JudgeRequest, signal: AbortSignal) => Promise<Answer>

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
    ask: (request, signal) => askProvider(place, signal, () => ask(request, signal)),
    ...(endpoint !== undefined && batches !== null && { batch: batchApi(batches, place, endpoint(place)) }),
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
  const form_remedy = `if the server ignores the schema, set another structured_output of the judge ${name} (it is ${structured_output}), or none`
  const limits = { window_tokens, max_output_tokens, images, token_factor }
  return {
    name,
    kind: 'model',
    description: `${model} through ${provider}’s ${api} API`,
    identity: {
      provider,
      base_url,
      model,
      parameters: { api, effort, structured_output, ...limits, ...defined({ region, project, api_version }) },
    },
    ...limits,
    structured_output: structured_output !== 'none',
    ...(base_url !== null && structured_output !== 'none' && { form_remedy }),
    price,
    base_url: URL.canParse(addressOf(settings)) ? shownBaseUrl(addressOf(settings)) : null,
  }
}

/** Lists the trajectory as parts of a provider's API: its text, and its pictures, each behind its label, and all behind the note that explains them. */
export const sharedParts = <Part>(
  { trajectory, images, evidence }: JudgeRequest,
  ofText: (text: string) => Part,
  ofPicture: (picture: Picture) => Part,
): Part[] => [
  ofText(trajectory),
  ...(images.length === 0 ? [] : [ofText(picturesNote(evidence.rubric))]),
  ...images.flatMap(({ label, picture }) => [ofText(label), ofPicture(picture)]),
]

/** Lists the rejected answers of a judge, each with its complaint, as turns of a conversation. `silence` stands for an empty answer. */
export const repairTurns = ({ repairs }: JudgeRequest, silence = '') =>
  repairs.flatMap(({ answer, complaint }) => [
    { role: 'assistant' as const, content: answer === '' ? silence : answer },
    { role: 'user' as const, content: complaint },
  ])

type About = Pick<Answer, 'usage' | 'model_resolved'>

/** Makes an answer. Throws a TypeError where the text is no text: a provider's types are not checked. */
export function answered(text: string, about: About): Answer {
  if (typeof text !== 'string') throw new TypeError('the text of the answer is not text')
  return { ok: true, text, ...about }
}

/** The ways in which a model ends without an answer. */
const ENDS = {
  refusal: failure('refused', 'the model refused to answer'),
  filter: failure('refused', 'the provider’s filter stopped the answer'),
  limit: failure('truncated', 'the answer reached the output limit'),
  window: failure('context_overflow', 'the request and its answer do not fit the model’s window'),
  broken: failure('judge_unreachable', 'the provider failed while it answered'),
  empty: failure('judge_unreachable', 'the provider answered without a choice'),
  unknown: failure('internal', 'the model stopped for a reason that this version does not know'),
} as const

export const ended = (end: keyof typeof ENDS, about: About): Answer => ({ ok: false, failure: ENDS[end], ...about })

type Counts = Readonly<Record<'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_write_tokens', unknown>>

/** Reads reported token counts, and the tier of the call unless it is the usual tier: another has an unknown cost. Null if a value is no count. */
export function usageFrom(counts: Counts, tier: unknown): Usage | null {
  if (!Object.values(counts).every(isCount)) return null
  const isOther = typeof tier === 'string' && /^[a-z_]{1,40}$/.test(tier) && !STANDARD_TIERS.includes(tier)
  return { ...(counts as Usage), ...(isOther && { service_tier: tier }) }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Reads a reported count; 0 for any other value. */
export const countOf = (value: unknown): number => (isCount(value) ? value : 0)
