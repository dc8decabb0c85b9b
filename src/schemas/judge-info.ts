import type { Static } from 'typebox'
import { PROVIDER_NAMES, PROVIDERS, providerRow } from './providers.ts'
import { Closed, Nullable, Type } from './type.ts'

const NullableInteger = (description: string) => Nullable(Type.Integer(), { description })
const NullableString = Nullable(Type.String())

/** Who can decide a setting of a judge. */
const SETTING_SOURCES = [
  ...PROVIDER_NAMES.flatMap((name) => Object.values(PROVIDERS[name].variables)),
  ...PROVIDER_NAMES.flatMap((name) => Object.values(providerRow(name).needs).map(({ variable }) => variable)),
  'file',
  'provider_table',
  'default',
]
export type SettingSource = string
const Source = () => Type.Enum(SETTING_SOURCES, { type: 'string' })

const SettingSourcesSchema = Closed(
  { base_url: Source(), model: Source(), price: Source(), window_tokens: Source() },
  {
    description:
      'Who decided each: a variable of the environment, the configuration `file`, what is known of the provider (`provider_table`), or none of them (`default`).',
  },
)
export type SettingSources = Static<typeof SettingSourcesSchema>

export const BY_DEFAULT: SettingSources = {
  base_url: 'default',
  model: 'default',
  price: 'default',
  window_tokens: 'default',
}

export const LIFECYCLE_STAGES = ['active', 'deprecated', 'retired'] as const

const LifecycleSchema = Closed(
  {
    stage: Nullable(Type.Enum(LIFECYCLE_STAGES, { type: 'string' })),
    retires_at: Nullable(Type.String({ format: 'date-time' }), {
      description: 'When the provider plans to retire the model; null: it says nothing.',
    }),
    reason: Nullable(Type.String(), {
      description: 'Why nothing is known; null: the provider answered.',
    }),
  },
  { description: 'What the provider says of the model. Only with `lifecycle=true`, and of model judges.' },
)
export type Lifecycle = Static<typeof LifecycleSchema>

/** A configured judge as callers may see it: never a key, and of its base URL nothing that can hold credentials. */
export const JudgeViewSchema = Closed({
  name: Type.String(),
  kind: Type.Enum(['lexical', 'model'] as const, { type: 'string', description: '`lexical` is no model.' }),
  description: Type.String(),
  default: Type.Boolean({ description: 'Asked where a request names no judge.' }),
  provider: NullableString,
  base_url: Nullable(Type.String(), {
    description: 'Host and path of what is asked; null: nothing leaves the process.',
  }),
  model: NullableString,
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'Part of the cache key.' }),
  window_tokens: NullableInteger('Input that the judge can take; null: no limit.'),
  max_output_tokens: NullableInteger('Null: no limit.'),
  images: Type.Boolean({ description: 'Whether it is sent the pictures of a trajectory.' }),
  price: Nullable(
    Closed({
      input_per_mtok: Type.Number(),
      output_per_mtok: Type.Number(),
      cache_read_per_mtok: Type.Number(),
      cache_write_per_mtok: Type.Number(),
      cache_write_long_per_mtok: Type.Optional(
        Type.Number({ description: 'Of what is written for the longer lifetime (`cache_ttl`).' }),
      ),
      tiers: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'The same by service tier; a tier that is not here is of unknown cost.',
        }),
      ),
      as_of: Nullable(Type.String(), {
        description: 'The day on which the price was read; null: not said.',
      }),
      valid_from: Type.Optional(Type.String({ description: 'The day from which it holds; absent: always.' })),
    }),
    { description: 'Dollars per million tokens, as of today; null: unknown, and costs are null.' },
  ),
  sources: SettingSourcesSchema,
  lifecycle: Type.Optional(LifecycleSchema),
})
export type JudgeView = Static<typeof JudgeViewSchema>

/** A judge that cannot be asked. */
export const UnconfiguredJudgeSchema = Closed({
  name: Type.String(),
  default: Type.Boolean({ description: 'Asked where a request names no judge, which is refused.' }),
  reason: Type.String({ description: 'What to do to have it.' }),
})
export type UnconfiguredJudge = Static<typeof UnconfiguredJudgeSchema>
