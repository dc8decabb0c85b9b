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
  readonly addresses?: ReadonlyMap<string, string>
  readonly apis: readonly Api[]
  /** The batch endpoint; null: none, or unused. */
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
    readonly token_factor: number
  }
}
type Api = 'responses' | 'chat' | 'messages'

export const PROVIDER_PLACES = ['region', 'project', 'api_version'] as const
export type ProviderPlace = (typeof PROVIDER_PLACES)[number]

/** Half of every price. Far fewer bytes than providers take: a submission is held in memory, and a late one costs less. */
const BATCHES = { most_bytes: 64 * 1024 * 1024, price_factor: 0.5 } as const

/** The counter of the provider finds 15 to 30 % more tokens than OpenAI’s, and more on code: an inference, to be calibrated. */
const CLAUDE = { apis: ['messages'], cache_write: 1.25 } as const
const CLAUDE_DEFAULTS = { api: 'messages', window_tokens: 200_000, effort: 'high', token_factor: 1.6 } as const

const provider = (row: Omit<ProviderRow, 'needs' | 'batches' | 'cache_write'> & Partial<ProviderRow>): ProviderRow => ({
  needs: {},
  batches: null,
  cache_write: 1,
  ...row,
})

/** The providers of model judges, by published pages of November 2026; none was tried from here. No price is built in: prices change. */
export const PROVIDERS = {
  openai: provider({
    title: 'OpenAI',
    reserves_name: true,
    keys: ['OPENAI_API_KEY'],
    variables: { base_url: 'OPENAI_BASE_URL', model: 'VERIDICT_OPENAI_MODEL' },
    address: 'https://api.openai.com/v1',
    apis: ['responses', 'chat'],
    batches: { ...BATCHES, most_requests: 50_000 },
    defaults: { api: 'responses', model: 'gpt-5.6', window_tokens: 272_000, effort: 'high', token_factor: 1 },
  }),
  anthropic: provider({
    title: 'Anthropic',
    reserves_name: true,
    keys: ['ANTHROPIC_API_KEY'],
    variables: { base_url: 'ANTHROPIC_BASE_URL', model: 'VERIDICT_ANTHROPIC_MODEL' },
    address: 'https://api.anthropic.com',
    batches: { ...BATCHES, most_requests: 100_000 },
    ...CLAUDE,
    defaults: { ...CLAUDE_DEFAULTS, model: 'claude-opus-5-5' },
  }),
  google: provider({
    title: 'Google Gemini',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    variables: { base_url: 'GOOGLE_GEMINI_BASE_URL', model: 'VERIDICT_GOOGLE_MODEL' },
    address: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apis: ['chat'],
    defaults: { api: 'chat', model: 'gemini-3.6-flash', window_tokens: 1_000_000, effort: 'high', token_factor: 1.2 },
  }),
  azure: provider({
    title: 'Azure OpenAI',
    keys: ['AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_AD_TOKEN'],
    variables: { base_url: 'AZURE_OPENAI_ENDPOINT', model: 'VERIDICT_AZURE_DEPLOYMENT' },
    needs: { api_version: { variable: 'OPENAI_API_VERSION', default: '2024-10-21' } },
    address: null,
    apis: ['chat', 'responses'],
    defaults: { api: 'chat', model: null, window_tokens: 128_000, effort: null, token_factor: 1 },
  }),
  bedrock: provider({
    title: 'Amazon Bedrock',
    keys: [],
    credentials: 'AWS credentials (aws configure, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK)',
    variables: { base_url: 'ANTHROPIC_BEDROCK_BASE_URL', model: 'VERIDICT_BEDROCK_MODEL' },
    needs: { region: { variable: 'AWS_REGION', default: 'us-east-1' } },
    address: 'https://bedrock-runtime.{region}.amazonaws.com',
    ...CLAUDE,
    defaults: { ...CLAUDE_DEFAULTS, model: null },
  }),
  vertex: provider({
    title: 'Google Vertex AI',
    keys: [],
    credentials: 'Google credentials (gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS)',
    variables: { base_url: 'ANTHROPIC_VERTEX_BASE_URL', model: 'VERIDICT_VERTEX_MODEL' },
    needs: {
      region: { variable: 'CLOUD_ML_REGION', default: 'global' },
      project: { variable: 'ANTHROPIC_VERTEX_PROJECT_ID' },
    },
    address: 'https://{region}-aiplatform.googleapis.com/v1',
    addresses: new Map([
      ['global', 'https://aiplatform.googleapis.com/v1'],
      ['us', 'https://aiplatform.us.rep.googleapis.com/v1'],
      ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
    ]),
    ...CLAUDE,
    defaults: { ...CLAUDE_DEFAULTS, model: null },
  }),
}

export type Provider = keyof typeof PROVIDERS
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as Provider[]

export const providerRow = (name: Provider): ProviderRow => PROVIDERS[name]

/** The address of a provider without a configured base URL; null: the provider has no address of its own. */
export function publicAddress(name: Provider, region: string | undefined): string | null {
  const { address, addresses } = providerRow(name)
  return region === undefined ? address : (addresses?.get(region) ?? address?.replace('{region}', region) ?? null)
}
