import type { Static } from 'typebox'
import type { Price } from '../domain/price.ts'
import type { SettingSources } from '../schemas/judge-info.ts'
import { Type } from '../schemas/type.ts'
import { CONCURRENCY, type Concurrency } from './concurrency.ts'
import { nullable } from './nullable.ts'
import { PriceSettings } from './prices.ts'

/** One model judge of the configuration file. What is absent comes from the environment, else from `model-defaults.ts`. */
export const JudgeFileSchema = Type.Object(
  {
    provider: Type.Optional(Type.Enum(['openai', 'anthropic'] as const, { type: 'string' })),
    api: Type.Optional(Type.Enum(['responses', 'chat', 'messages'] as const, { type: 'string' })),
    model: Type.Optional(Type.String({ minLength: 1 })),
    base_url: Type.Optional(Type.String({ minLength: 1 })),
    key_env: Type.Optional(Type.String({ minLength: 1 })),
    window_tokens: Type.Optional(Type.Integer({ minimum: 4000 })),
    max_output_tokens: Type.Optional(Type.Integer({ minimum: 256 })),
    effort: Type.Optional(nullable(Type.String())),
    structured_output: Type.Optional(Type.Enum(['json_schema', 'none'] as const, { type: 'string' })),
    cache_control: Type.Optional(Type.Boolean()),
    images: Type.Optional(Type.Boolean()),
    token_factor: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10 })),
    concurrency: Type.Optional(CONCURRENCY.file),
    ...PriceSettings,
  },
  { additionalProperties: false },
)
export type JudgeFile = Static<typeof JudgeFileSchema>

/** A model judge with everything decided. */
export interface JudgeSettings {
  readonly provider: 'openai' | 'anthropic'
  readonly api: 'responses' | 'chat' | 'messages'
  readonly model: string
  readonly base_url: string | null
  readonly key_env: string
  readonly window_tokens: number
  readonly max_output_tokens: number
  readonly effort: string | null
  readonly structured_output: 'json_schema' | 'none'
  readonly cache_control: boolean
  /** Whether the judge is sent the pictures of a trajectory. */
  readonly images: boolean
  readonly token_factor: number
  readonly concurrency: Concurrency
  /** In any order, no two from the same day on; empty: unknown. */
  readonly prices: readonly Price[]
  readonly sources: SettingSources
}
