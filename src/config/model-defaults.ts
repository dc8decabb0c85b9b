import { PUBLIC_BASE_URL } from '../domain/base-url.ts'
import { BY_DEFAULT } from '../schemas/judge-info.ts'
import { CONCURRENCY } from './concurrency.ts'
import { PROVIDER_VARIABLES } from './environment.ts'
import type { JudgeSettings } from './judge-settings.ts'

const OF_TABLE = {
  ...BY_DEFAULT,
  base_url: 'provider_table',
  model: 'provider_table',
  window_tokens: 'provider_table',
} as const

/**
 * What a judge of each provider is when the environment only holds a key. Model names, windows and limits are those that were current in
 * November 2026 by published pages; none was tried from here. No price is built in: prices change monthly, and an unknown price
 * is reported as null, not as nothing. Put yours into the configuration file.
 */
export const PROVIDER_DEFAULTS: Readonly<Record<JudgeSettings['provider'], JudgeSettings>> = {
  openai: {
    provider: 'openai',
    api: 'responses',
    model: 'gpt-5.6',
    base_url: null,
    key_env: PROVIDER_VARIABLES.openai.key,
    window_tokens: 272_000,
    max_output_tokens: 16_000,
    effort: 'high',
    structured_output: 'json_schema',
    cache_control: false,
    images: true,
    token_factor: 1,
    concurrency: CONCURRENCY.defaults,
    prices: [],
    sources: OF_TABLE,
  },
  anthropic: {
    provider: 'anthropic',
    api: 'messages',
    model: 'claude-opus-5-5',
    base_url: null,
    key_env: PROVIDER_VARIABLES.anthropic.key,
    window_tokens: 200_000,
    max_output_tokens: 16_000,
    effort: 'high',
    structured_output: 'json_schema',
    cache_control: true,
    images: true,
    // Their own counter finds 15 to 30 % more tokens than OpenAI’s, and more on code: an inference, to be calibrated.
    token_factor: 1.6,
    concurrency: CONCURRENCY.defaults,
    prices: [],
    sources: OF_TABLE,
  },
}

const OFFICIAL_HOSTS = Object.values(PUBLIC_BASE_URL).map((url) => new URL(url).hostname)

/** Whether a judge is sent pictures where its settings do not say: the providers’ own models see, another server may hold any model. */
export const seesImages = (base_url: string | null): boolean =>
  base_url === null || OFFICIAL_HOSTS.includes(new URL(base_url).hostname)
