import type { Static } from 'typebox'
import { isBaseUrl, NO_BASE_URL, shownBaseUrl } from '../domain/base-url.ts'
import type { Price } from '../domain/money/price.ts'
import {
  PROVIDER_NAMES,
  PROVIDER_PLACES,
  type Provider,
  type ProviderPlace,
  providerRow,
} from '../schemas/providers.ts'
import { Choice, Closed, Type } from '../schemas/type.ts'
import type { Environment, ProviderEnvironment } from './environment.ts'
import { PriceSettings, resolvePrice } from './prices.ts'
import { CONCURRENCY, type Concurrency, nullable, resolveConcurrency } from './settings.ts'

/** `json_schema`: the server enforces the schema of an answer; `none`: the prompt holds the schema. */
const STRUCTURED_OUTPUTS = ['json_schema', 'none'] as const

const word = () => Type.Optional(Type.String({ minLength: 1 }))
/** Describes a label, which becomes part of an address. */
const label = () => Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.:_-]*$', maxLength: 100 }))

/** A model judge of the configuration file. Absent settings come from the environment, else from the provider’s row. */
export const JudgeFileSchema = Closed({
  provider: Type.Optional(Choice(PROVIDER_NAMES)),
  api: Type.Optional(Choice(['responses', 'chat', 'messages'])),
  model: word(),
  base_url: word(),
  region: label(),
  project: label(),
  api_version: label(),
  key_env: word(),
  window_tokens: Type.Optional(Type.Integer({ minimum: 4000 })),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 256 })),
  effort: Type.Optional(nullable(Type.String())),
  structured_output: Type.Optional(Choice(STRUCTURED_OUTPUTS)),
  images: Type.Optional(Type.Boolean()),
  token_factor: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10 })),
  concurrency: Type.Optional(CONCURRENCY.file),
  ...PriceSettings,
})
export type JudgeFile = Static<typeof JudgeFileSchema>

/** The settings of the file that every judge has in the end. */
type Settled = Required<Omit<JudgeFile, ProviderPlace | 'base_url' | 'key_env' | 'concurrency' | 'price'>>

/** The settings of a model judge. */
export interface JudgeSettings extends Readonly<Settled>, Readonly<Pick<JudgeFile, ProviderPlace>> {
  /** Null: the provider’s public address. */
  readonly base_url: string | null
  /** The variable that holds the key; null: the SDK finds credentials by itself. */
  readonly key_env: string | null
  readonly concurrency: Concurrency
  /** Null: unknown. */
  readonly price: Price | null
}

/** Gives the defaults of a provider’s judges. Model and address have no default where each account has its own. */
export function providerDefaults(provider: Provider): JudgeSettings {
  const { keys, defaults } = providerRow(provider)
  return {
    ...defaults,
    provider,
    model: defaults.model ?? '',
    base_url: null,
    key_env: keys[0] ?? null,
    max_output_tokens: 16_000,
    structured_output: 'json_schema',
    images: true,
    concurrency: CONCURRENCY.defaults,
    price: null,
  }
}

const OFFICIAL_HOSTS = PROVIDER_NAMES.flatMap((name) => {
  const { address } = providerRow(name)
  return address === null || address.includes('{') ? [] : [new URL(address).hostname]
})

/** Tells whether a judge receives pictures by default: models at a provider’s own address see; another server may hold any model. */
const seesImages = (provider: Provider, base_url: string | null): boolean =>
  base_url === null || providerRow(provider).address === null || OFFICIAL_HOSTS.includes(new URL(base_url).hostname)

/** Resolves the judges of environment and file, field by field. Throws with the place of a setting that cannot be used. */
export function resolveJudges(
  environment: Environment,
  file: Readonly<Record<string, JudgeFile>> = {},
  concurrency: Concurrency,
): Record<string, JudgeSettings> {
  const ofKeys = PROVIDER_NAMES.filter((provider) => environment.providers[provider].is_whole)
  const judges: Record<string, JudgeFile> = { ...Object.fromEntries(ofKeys.map((name) => [name, {}])), ...file }
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
  const at = `/judges/${name}`
  const provider = providerOf(name, judge)
  const defaults = providerDefaults(provider)
  const given = environment.providers[provider]
  const base_url = settleBaseUrl(name, provider, judge, given.base_url)
  const { price: _price, region, project, api_version, ...settings } = judge
  const places = settlePlaces(name, provider, { region, project, api_version }, given)
  const api = oneOf(`${at}/api`, judge.api ?? defaults.api, providerRow(provider).apis)
  if (provider === 'google' && /^-?\d+$/.test(judge.effort ?? ''))
    throw fault(`${at}/effort: a number of tokens was removed: write low, medium or high, or null for the model’s own`)
  return {
    ...defaults,
    ...settings,
    ...places,
    provider,
    api,
    key_env: judge.key_env ?? given.key_env ?? defaults.key_env,
    base_url,
    model: settleModel(name, provider, judge, given.model),
    images: judge.images ?? seesImages(provider, base_url),
    concurrency: resolveConcurrency(judge.concurrency, concurrency, `${at}/concurrency`),
    price: resolvePrice(judge, provider, at),
  }
}

/** Resolves the provider of a judge: a judge with a provider’s name needs no `provider` in the file. */
function providerOf(name: string, { provider }: JudgeFile): Provider {
  if (name === 'lexical') throw fault('/judges/lexical is built in and cannot be replaced')
  const named = PROVIDER_NAMES.find((provider) => provider === name)
  if (named !== undefined && provider !== undefined && provider !== named && providerRow(named).reserves_name)
    throw fault(`/judges/${name}/provider is ${provider}: give the judge another name, ${name} is that of ${named}`)
  const settled = provider ?? named
  if (settled === undefined)
    throw fault(`/judges/${name}/provider is missing: write provider: ${PROVIDER_NAMES.join(', or provider: ')}`)
  return settled
}

function oneOf<T extends string>(place: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value
  throw fault(
    choices.length === 0
      ? `${place} is not a setting of this provider: leave it out`
      : `${place} must be one of ${choices.join(', ')}`,
  )
}

/**
 * Settles the base URL of a judge; null: the provider’s own. Where the environment names a base URL, no call goes elsewhere with the
 * provider’s key or under its name: a file that contradicts the environment is refused.
 */
function settleBaseUrl(
  name: string,
  provider: Provider,
  judge: JudgeFile,
  ofEnvironment: string | undefined,
): string | null {
  const { base_url: ofFile, key_env } = judge
  const place = `/judges/${name}/base_url`
  if (ofFile !== undefined && !isBaseUrl(ofFile)) throw fault(`${place} ${NO_BASE_URL}`)
  const { variables, keys, address } = providerRow(provider)
  const hasOwnKey = name !== provider && key_env !== undefined && !keys.includes(key_env)
  if (ofFile === undefined && ofEnvironment === undefined && address === null)
    throw fault(`${place} is missing: write it, or set ${variables.base_url}`)
  if (ofEnvironment === undefined || (ofFile !== undefined && hasOwnKey)) return ofFile ?? null
  if (!isBaseUrl(ofEnvironment)) throw new Error(`${variables.base_url} ${NO_BASE_URL}`)
  if (ofFile !== undefined && shownBaseUrl(ofFile) !== shownBaseUrl(ofEnvironment))
    throw new Error(
      `${variables.base_url} is ${shownBaseUrl(ofEnvironment)}, but ${place} of VERIDICT_CONFIG is ${shownBaseUrl(ofFile)}: ` +
        `remove one of them, or give the judge there a name other than ${provider} and a key_env other than ${keys.join(' or ')}`,
    )
  return ofEnvironment
}

/** Settles the model of a judge. The variable of the environment counts for the judge with the provider’s name alone. */
function settleModel(
  name: string,
  provider: Provider,
  { model }: JudgeFile,
  ofEnvironment: string | undefined,
): string {
  const { variables, defaults } = providerRow(provider)
  if (name === provider && ofEnvironment !== undefined) return ofEnvironment
  if (model !== undefined) return model
  if (defaults.model !== null) return defaults.model
  const variable = name === provider ? `, or set ${variables.model}` : ''
  throw fault(`/judges/${name}/model is missing: write what your account calls it${variable}`)
}

type PlaceValues = { readonly [place in ProviderPlace]?: string | undefined }

/** Settles region, project and version of the API, for the providers that need them. */
function settlePlaces(name: string, provider: Provider, ofFile: PlaceValues, { places }: ProviderEnvironment) {
  const { needs } = providerRow(provider)
  const values: Partial<Record<ProviderPlace, string>> = {}
  for (const place of PROVIDER_PLACES) {
    const need = needs[place]
    const at = `/judges/${name}/${place}`
    if (need === undefined) {
      if (ofFile[place] !== undefined) throw fault(`${at} is not a setting of this provider: leave it out`)
      continue
    }
    const value = ofFile[place] ?? places[place] ?? need.default
    if (value === undefined) throw fault(`${at} is missing: write it, or set ${need.variable}`)
    if (!PLACE.test(value)) throw new Error(`${need.variable} is no ${place.replace('_', ' ')}`)
    values[place] = value
  }
  return values
}

/** Matches a place, which becomes part of an address. */
const PLACE = /^[A-Za-z0-9][A-Za-z0-9.:_-]{0,99}$/

const fault = (message: string) => new Error(`VERIDICT_CONFIG: ${message}`)
