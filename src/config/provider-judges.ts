import { PROVIDER_NAMES, type Provider, providerRow } from '../schemas/providers.ts'
import { CONCURRENCY } from './concurrency.ts'
import type { JudgeSettings } from './judge-settings.ts'

/**
 * The defaults of a provider’s judges. A provider that names models, or addresses, in each account’s own way has none
 * here: `resolveJudges` refuses a judge that does not say them.
 */
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
    prices: [],
  }
}

/**
 * The variables that are still to be set for the judge that has the provider’s name, where the file says nothing of it; empty: it is
 * there. A provider without a key has its judge where its model is named.
 */
export function missingVariables(provider: Provider, isSet: (variable: string) => boolean): string[] {
  const { keys, variables, needs, address, defaults } = providerRow(provider)
  const key = keys.length === 0 || keys.some(isSet) ? [] : [keys.join(' or ')]
  const places = Object.values(needs).flatMap((place) => (place.default === undefined ? [place.variable] : []))
  const others = [
    ...(address === null ? [variables.base_url] : []),
    ...places,
    ...(defaults.model === null ? [variables.model] : []),
  ]
  return [...key, ...others.filter((variable) => !isSet(variable))]
}

const OFFICIAL_HOSTS = PROVIDER_NAMES.flatMap((name) => {
  const { address } = providerRow(name)
  return address === null || address.includes('{') ? [] : [new URL(address).hostname]
})

/**
 * Whether a judge is sent pictures where its settings do not say: the providers’ own models see, another server may hold any model. Where
 * every account has an address of its own, that is the provider’s.
 */
export const seesImages = (provider: Provider, base_url: string | null): boolean =>
  base_url === null || providerRow(provider).address === null || OFFICIAL_HOSTS.includes(new URL(base_url).hostname)
