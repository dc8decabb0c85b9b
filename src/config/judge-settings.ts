import type { Static } from 'typebox'
import type { Price } from '../domain/money/price.ts'
import { PROVIDER_NAMES, type Provider } from '../schemas/providers.ts'
import { Closed, Type } from '../schemas/type.ts'
import { CONCURRENCY, type Concurrency } from './concurrency.ts'
import { PriceSettings } from './prices.ts'
import { nullable } from './settings.ts'

/** How a server is made to keep to the answer’s schema, by the field that it documents; `none`: the prompt tells it. */
const STRUCTURED_OUTPUTS = ['json_schema', 'json_object', 'structured_outputs', 'guided_json', 'none'] as const

const word = () => Type.Optional(Type.String({ minLength: 1 }))
/** It becomes part of an address. */
const label = () => Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.:_-]*$', maxLength: 100 }))

/** One model judge of the configuration file. What is absent comes from the environment, else from the row of its provider. */
export const JudgeFileSchema = Closed({
  provider: Type.Optional(Type.Enum(PROVIDER_NAMES, { type: 'string' })),
  api: Type.Optional(Type.Enum(['responses', 'chat', 'messages'] as const, { type: 'string' })),
  model: word(),
  base_url: word(),
  region: label(),
  project: label(),
  api_version: label(),
  key_env: word(),
  window_tokens: Type.Optional(Type.Integer({ minimum: 4000 })),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 256 })),
  effort: Type.Optional(nullable(Type.String())),
  structured_output: Type.Optional(Type.Enum(STRUCTURED_OUTPUTS, { type: 'string' })),
  cache_ttl: word(),
  service_tier: word(),
  images: Type.Optional(Type.Boolean()),
  token_factor: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10 })),
  concurrency: Type.Optional(CONCURRENCY.file),
  ...PriceSettings,
})
export type JudgeFile = Static<typeof JudgeFileSchema>

/** A model judge with everything decided. */
export interface JudgeSettings {
  readonly provider: Provider
  readonly api: 'responses' | 'chat' | 'messages'
  readonly model: string
  /** Null: the provider’s public address. */
  readonly base_url: string | null
  /** Where in the provider’s cloud, for those that want to be told. */
  readonly region?: string
  readonly project?: string
  readonly api_version?: string
  /** The variable that holds the key; null: the SDK finds credentials by itself. */
  readonly key_env: string | null
  readonly window_tokens: number
  readonly max_output_tokens: number
  readonly effort: string | null
  readonly structured_output: (typeof STRUCTURED_OUTPUTS)[number]
  /** How long the provider is to keep what it caches; absent: as long as it does by itself. */
  readonly cache_ttl?: string
  /** Absent: the one that the provider takes by itself. */
  readonly service_tier?: string
  /** Whether the judge is sent the pictures of a trajectory. */
  readonly images: boolean
  readonly token_factor: number
  readonly concurrency: Concurrency
  /** In any order, no two from the same day on; empty: unknown. */
  readonly prices: readonly Price[]
}
