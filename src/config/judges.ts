import type { Static } from 'typebox'
import type { Price } from '../domain/money.ts'
import { isBaseUrl, NO_BASE_URL, shownBaseUrl } from '../domain/words.ts'
import type { Provider, ProviderPlace } from '../schemas/providers.ts'
import { PROVIDER_NAMES, PROVIDER_PLACES, providerRow } from '../schemas/providers.ts'
import { Choice, Closed, Num, Str, Type } from '../schemas/type.ts'
import { missingVariables, type Secrets } from './environment.ts'
import { CONCURRENCY, type Concurrency, nullable, resolveConcurrency, SettingError } from './settings.ts'

const PRICE_EXAMPLE = 'write { input: 2, output: 10 }, US dollars for a million tokens'
const dollars = () => Type.Optional(Num('US dollars for a million tokens, like 2.5', { minimum: 0 }))
const PriceSchema = Closed(
  {
    input: dollars(),
    output: dollars(),
    cache_read: dollars(),
    cache_write: dollars(),
    as_of: Type.Optional(Str('a day such as 2026-11-01')),
  },
  { description: PRICE_EXAMPLE },
)

const word = () => Type.String({ minLength: 1 })
/** Matches a region, project or version of an API, which becomes part of an address. */
const PLACE = '^[A-Za-z0-9][A-Za-z0-9.:_-]{0,99}$'
const label = () => Type.String({ pattern: PLACE })

/** A model judge of the configuration file. Absent settings come from the environment, else from the provider’s row. */
export const JudgeFileSchema = Type.Partial(
  Closed({
    provider: Choice(PROVIDER_NAMES),
    api: Choice(['responses', 'chat', 'messages']),
    model: word(),
    base_url: word(),
    region: label(),
    project: label(),
    api_version: label(),
    key_env: word(),
    window_tokens: Type.Integer({ minimum: 4000 }),
    max_output_tokens: Type.Integer({ minimum: 256 }),
    effort: nullable(Type.String()),
    /** `json_schema`: the server enforces the schema of an answer; `none`: the prompt holds the schema. */
    structured_output: Choice(['json_schema', 'none']),
    images: Type.Boolean(),
    token_factor: Type.Number({ minimum: 0.1, maximum: 10 }),
    concurrency: CONCURRENCY.file,
    price: nullable(PriceSchema),
  }),
  { additionalProperties: false },
)
export type JudgeFile = Static<typeof JudgeFileSchema>

/** Members of the file that need not be there, or are written otherwise, in the end. */
type Settled = ProviderPlace | 'base_url' | 'key_env' | 'concurrency' | 'price'

export interface JudgeSettings extends Readonly<Required<Omit<JudgeFile, Settled>> & Pick<JudgeFile, ProviderPlace>> {
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

/** Tells whether a judge receives pictures by default: models at a provider’s own address see; another server may hold any model. */
const seesImages = (provider: Provider, base_url: string | null): boolean =>
  base_url === null ||
  providerRow(provider).address === null ||
  PROVIDER_NAMES.some((name) => `${providerRow(name).address}/`.includes(`//${new URL(base_url).hostname}/`))

/** Resolves the judges of environment and file, field by field. Throws with the place of a setting that cannot be used. */
export function resolveJudges(
  text: Secrets['key'],
  file: Readonly<Record<string, JudgeFile>> = {},
  concurrency: Concurrency,
): Readonly<Record<string, JudgeSettings>> {
  const ofKeys = PROVIDER_NAMES.filter(
    (name) => missingVariables(name, (variable) => text(variable) !== undefined).length === 0,
  )
  const judges: Record<string, JudgeFile> = { ...Object.fromEntries(ofKeys.map((name) => [name, {}])), ...file }
  const settled = Object.entries(judges).map(([name, judge]) => {
    return [name, resolveJudge({ name, provider: providerOf(name, judge), judge, text }, concurrency)]
  })
  return Object.fromEntries(settled) as Readonly<Record<string, JudgeSettings>>
}

interface AskedJudge {
  readonly name: string
  readonly provider: Provider
  readonly judge: JudgeFile
  readonly text: Secrets['key']
}

const refusal = ({ name }: Pick<AskedJudge, 'name'>, setting: string, message: string) =>
  new SettingError(`/judges/${name}${setting && `/${setting}`}${message}`)

function resolveJudge(asked: AskedJudge, concurrency: Concurrency): JudgeSettings {
  const { name, provider, judge, text } = asked
  const defaults = providerDefaults(provider)
  const { apis, keys } = providerRow(provider)
  const { region: _region, project: _project, api_version: _version, ...settings } = judge
  const api = judge.api ?? defaults.api
  if (!apis.includes(api)) throw refusal(asked, 'api', ` must be one of ${apis.join(', ')}`)
  if (provider === 'google' && /^-?\d+$/.test(judge.effort ?? ''))
    throw refusal(asked, 'effort', ` is a number of tokens: write low, medium or high, or null for the model’s own`)
  const base_url = settleBaseUrl(asked)
  return {
    ...defaults,
    ...settings,
    ...settlePlaces(asked),
    provider,
    api,
    key_env: judge.key_env ?? keys.find((key) => text(key) !== undefined) ?? defaults.key_env,
    base_url,
    model: settleModel(asked),
    images: judge.images ?? seesImages(provider, base_url),
    concurrency: resolveConcurrency(judge.concurrency, concurrency, `/judges/${name}/concurrency`),
    price: settlePrice(asked),
  }
}

/** Resolves the provider of a judge: a judge with a provider’s name needs no `provider` in the file. */
function providerOf(name: string, { provider }: JudgeFile): Provider {
  if (name === 'lexical') throw refusal({ name }, '', ' is built in and cannot be replaced')
  const named = PROVIDER_NAMES.find((provider) => provider === name)
  if (named !== undefined && provider !== undefined && provider !== named && providerRow(named).reserves_name)
    throw refusal({ name }, 'provider', ` is ${provider}: give the judge another name, ${name} is that of ${named}`)
  const settled = provider ?? named
  if (settled !== undefined) return settled
  throw refusal({ name }, 'provider', ` is missing: write provider: ${PROVIDER_NAMES.join(', or provider: ')}`)
}

/**
 * Settles the base URL of a judge; null: the provider’s own. Where the environment names a base URL, no call goes elsewhere with the
 * provider’s key or under its name: a file that contradicts the environment is refused.
 */
function settleBaseUrl(asked: AskedJudge): string | null {
  const { name, provider, judge, text } = asked
  const { base_url: ofFile, key_env } = judge
  const { variables, keys, address } = providerRow(provider)
  const ofEnvironment = text(variables.base_url)
  if (ofFile !== undefined && !isBaseUrl(ofFile)) throw refusal(asked, 'base_url', ` ${NO_BASE_URL}`)
  const hasOwnKey = name !== provider && key_env !== undefined && !keys.includes(key_env)
  if (ofFile === undefined && ofEnvironment === undefined && address === null)
    throw refusal(asked, 'base_url', ` is missing: write it, or set ${variables.base_url}`)
  if (ofEnvironment === undefined || (ofFile !== undefined && hasOwnKey)) return ofFile ?? null
  if (!isBaseUrl(ofEnvironment)) throw new Error(`${variables.base_url} ${NO_BASE_URL}`)
  if (ofFile === undefined || shownBaseUrl(ofFile) === shownBaseUrl(ofEnvironment)) return ofEnvironment
  throw new Error(
    `${variables.base_url} is ${shownBaseUrl(ofEnvironment)}, but /judges/${name}/base_url of VERIDICT_CONFIG is ${shownBaseUrl(ofFile)}: ` +
      `remove one of them, or give the judge there a name other than ${provider} and a key_env other than ${keys.join(' or ')}`,
  )
}

/** Settles the model of a judge. The variable of the environment counts for the judge with the provider’s name alone. */
function settleModel(asked: AskedJudge): string {
  const { name, provider, judge, text } = asked
  const { variables, defaults } = providerRow(provider)
  const model = (name === provider ? text(variables.model) : undefined) ?? judge.model ?? defaults.model
  if (model !== null) return model
  const variable = name === provider ? `, or set ${variables.model}` : ''
  throw refusal(asked, 'model', ` is missing: write what your account calls it${variable}`)
}

/** Settles region, project and version of the API, for the providers that need them. */
function settlePlaces(asked: AskedJudge): Partial<Record<ProviderPlace, string>> {
  const { needs } = providerRow(asked.provider)
  const settled = PROVIDER_PLACES.flatMap((place) => {
    const need = needs[place]
    const ofFile = asked.judge[place]
    if (need === undefined && ofFile === undefined) return []
    if (need === undefined) throw refusal(asked, place, ' is not a setting of this provider: leave it out')
    const value = ofFile ?? asked.text(need.variable) ?? need.default
    if (value === undefined) throw refusal(asked, place, ` is missing: write it, or set ${need.variable}`)
    if (!new RegExp(PLACE).test(value)) throw new Error(`${need.variable} is no ${place.replace('_', ' ')}`)
    return [[place, value]]
  })
  return Object.fromEntries(settled) as Partial<Record<ProviderPlace, string>>
}

/** Settles the price of a judge; null: unknown. Cached tokens cost as much as input by default: no cost is reported too low. */
function settlePrice(asked: AskedJudge): Price | null {
  const { price } = asked.judge
  if (!price) return null
  const { input, output, cache_read, cache_write, as_of = null } = price
  if (as_of !== null && !isDay(as_of))
    throw refusal(asked, 'price/as_of', `: ${JSON.stringify(as_of)} is not a day such as 2026-11-01`)
  if (input === undefined || output === undefined)
    throw refusal(asked, `price/${input === undefined ? 'input' : 'output'}`, ` is missing: ${PRICE_EXAMPLE}`)
  return {
    input_per_mtok: input,
    output_per_mtok: output,
    cache_read_per_mtok: cache_read ?? input,
    cache_write_per_mtok: cache_write ?? input * providerRow(asked.provider).cache_write,
    as_of,
  }
}

/** Recognizes a day of the calendar; `Date` would make `2026-02-30` the second of March. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && JSON.stringify(new Date(text)).startsWith(`"${text}`)
