import data from './providers.json' with { type: 'json' }

/** Limits of one submission to a batch endpoint, and the price of a token there as a share of that of a single call. */
export interface BatchLimits {
  readonly most_requests: number
  readonly most_bytes: number
  readonly price_factor: number
}

interface ProviderRow {
  readonly title: string
  /** Reserves the name: no judge of another provider may have it. Older configurations may use the names of later providers. */
  readonly reserves_name?: true
  /** Variables of the key, of which the first set one counts; none: the SDK finds credentials by itself. */
  readonly keys: readonly string[]
  /** Variables of the base URL, and of the model of the judge that bears the provider’s name. */
  readonly variables: { readonly base_url: string; readonly model: string }
  readonly needs: Readonly<Partial<Record<ProviderPlace, { readonly variable: string; readonly default?: string }>>>
  /** The public address, with `{region}` for the region; null: every account has an address of its own. */
  readonly address: string | null
  /** The addresses of `region` values that name no region. */
  readonly addresses?: Readonly<Record<string, string>>
  readonly apis: readonly Api[]
  /** The batch endpoint; null: none, or unused. Far fewer bytes than providers take: a submission is held in memory, and a late one costs less. */
  readonly batches: BatchLimits | null
  readonly credentials?: string
  /** The price of a token written to the cache, as a multiple of plain input. */
  readonly cache_write: number
  /** Defaults of a judge that the environment alone configures. */
  readonly defaults: {
    readonly api: Api
    /** Null: each account names its models, or deployments, and the judge must name the model. */
    readonly model: string | null
    readonly window_tokens: number
    readonly effort: string | null
    /** The tokens of the provider’s counter to one of ours. Anthropic’s finds 15 to 30 % more than OpenAI’s, and more on code: an inference, to be calibrated. */
    readonly token_factor: number
  }
}
type Api = 'responses' | 'chat' | 'messages'

export const PROVIDER_PLACES = ['region', 'project', 'api_version'] as const
export type ProviderPlace = (typeof PROVIDER_PLACES)[number]

/** The providers of model judges, by published pages of November 2026; none was tried from here. No price is built in: prices change. */
const ROWS = data as unknown as Readonly<Record<Provider, ProviderRow>>

export type Provider = keyof typeof data
export const PROVIDER_NAMES = Object.keys(data) as Provider[]

export const providerRow = (name: Provider): ProviderRow => ROWS[name]

/** The address of a provider without a configured base URL; null: the provider has no address of its own. */
export function publicAddress(name: Provider, region: string | undefined): string | null {
  const { address, addresses = {} } = providerRow(name)
  if (region === undefined) return address
  return new Map(Object.entries(addresses)).get(region) ?? address?.replace('{region}', region) ?? null
}
