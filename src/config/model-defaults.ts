import { CONCURRENCY } from './concurrency.ts'
import type { JudgeSettings } from './judge-settings.ts'

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
    key_env: 'OPENAI_API_KEY',
    window_tokens: 272_000,
    max_output_tokens: 16_000,
    effort: 'high',
    structured_output: 'json_schema',
    cache_control: false,
    token_factor: 1,
    concurrency: CONCURRENCY,
    prices: [],
  },
  anthropic: {
    provider: 'anthropic',
    api: 'messages',
    model: 'claude-opus-5-5',
    base_url: null,
    key_env: 'ANTHROPIC_API_KEY',
    window_tokens: 200_000,
    max_output_tokens: 16_000,
    effort: 'high',
    structured_output: 'json_schema',
    cache_control: true,
    // Their own counter finds 15 to 30 % more tokens than OpenAI’s, and more on code: an inference, to be calibrated.
    token_factor: 1.6,
    concurrency: CONCURRENCY,
    prices: [],
  },
}
