import { isBaseUrl, NO_BASE_URL, shownBaseUrl } from '../domain/base-url.ts'
import type { SettingSource } from '../schemas/judge-info.ts'
import { type Concurrency, resolveConcurrency } from './concurrency.ts'
import { type Environment, PROVIDER_VARIABLES } from './environment.ts'
import type { JudgeFile, JudgeSettings } from './judge-settings.ts'
import { PROVIDER_DEFAULTS, seesImages } from './model-defaults.ts'
import { resolvePrices } from './prices.ts'

const PROVIDERS = ['openai', 'anthropic'] as const
type Provider = (typeof PROVIDERS)[number]

/**
 * The judges of environment and file, field by field: a key in the environment is enough to have the provider’s judge. Throws with the
 * place of what cannot be used.
 */
export function resolveJudges(
  environment: Environment,
  file: Readonly<Record<string, JudgeFile>> = {},
  concurrency: Concurrency,
): Record<string, JudgeSettings> {
  const ofKeys = PROVIDERS.filter((provider) => environment[provider].has_key).map((name) => [name, {}])
  const judges: Record<string, JudgeFile> = { ...Object.fromEntries(ofKeys), ...file }
  return Object.fromEntries(
    Object.entries(judges).map(([name, judge]) => [name, resolveJudge(name, judge, environment, concurrency)]),
  )
}

function resolveJudge(
  name: string,
  judge: JudgeFile,
  environment: Environment,
  concurrency: Concurrency,
): JudgeSettings {
  const place = `/judges/${name}`
  const provider = providerOf(name, judge)
  const defaults = PROVIDER_DEFAULTS[provider]
  const given = environment[provider]
  const base = settleBaseUrl(name, provider, judge, given.base_url)
  const model = settleModel(name, provider, judge, given.model)
  const { price, prices, ...settings } = judge
  return {
    ...defaults,
    ...settings,
    provider,
    base_url: base.value,
    model: model.value,
    images: judge.images ?? seesImages(base.value),
    concurrency: resolveConcurrency(judge.concurrency, concurrency, `${place}/concurrency`),
    prices: resolvePrices(judge, provider, place),
    sources: {
      base_url: base.source,
      model: model.source,
      price: price === undefined && prices === undefined ? defaults.sources.price : 'file',
      window_tokens: judge.window_tokens === undefined ? defaults.sources.window_tokens : 'file',
    },
  }
}

/** A judge with the name of a provider is that provider’s; of any other the file has to say it. */
function providerOf(name: string, { provider }: JudgeFile): Provider {
  if (name === 'lexical') throw fault('/judges/lexical is built in and cannot be replaced')
  const named = PROVIDERS.find((one) => one === name)
  if (named !== undefined && provider !== undefined && provider !== named)
    throw fault(`/judges/${name}/provider is ${provider}: give the judge another name, ${name} is that of ${named}`)
  const settled = named ?? provider
  if (settled === undefined)
    throw fault(`/judges/${name}/provider is missing: write provider: openai, or provider: anthropic`)
  return settled
}

interface Settled<T> {
  readonly value: T
  readonly source: SettingSource
}

/**
 * Where the environment names a base URL, nothing goes elsewhere with the provider’s key or under its name: what the file says against
 * it is refused, never preferred.
 */
function settleBaseUrl(
  name: string,
  provider: Provider,
  judge: JudgeFile,
  ofEnvironment: string | undefined,
): Settled<string | null> {
  const { base_url: ofFile, key_env } = judge
  const place = `/judges/${name}/base_url`
  if (ofFile !== undefined && !isBaseUrl(ofFile)) throw fault(`${place} ${NO_BASE_URL}`)
  const variables = PROVIDER_VARIABLES[provider]
  const hasOwnKey = name !== provider && key_env !== undefined && key_env !== variables.key
  if (ofEnvironment === undefined || (ofFile !== undefined && hasOwnKey))
    return ofFile === undefined ? { value: null, source: 'provider_table' } : { value: ofFile, source: 'file' }
  if (ofFile !== undefined && shownBaseUrl(ofFile) !== shownBaseUrl(ofEnvironment))
    throw new Error(
      `${variables.base_url} is ${shownBaseUrl(ofEnvironment)}, but ${place} of VERIDICT_CONFIG is ${shownBaseUrl(ofFile)}: ` +
        `remove one of them, or give the judge there a name other than ${provider} and a key_env other than ${variables.key}`,
    )
  return { value: ofEnvironment, source: variables.base_url }
}

/** The variable is of the judge that has the provider’s name: others are there to be other models. */
function settleModel(
  name: string,
  provider: Provider,
  { model }: JudgeFile,
  ofEnvironment: string | undefined,
): Settled<string> {
  if (name === provider && ofEnvironment !== undefined)
    return { value: ofEnvironment, source: PROVIDER_VARIABLES[provider].model }
  if (model !== undefined) return { value: model, source: 'file' }
  return { value: PROVIDER_DEFAULTS[provider].model, source: 'provider_table' }
}

const fault = (message: string) => new Error(`VERIDICT_CONFIG: ${message}`)
