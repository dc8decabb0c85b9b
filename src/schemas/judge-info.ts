import type { Static } from 'typebox'
import { Bool, Choice, Closed, Nullable, Str, Type } from './type.ts'

const NullableInteger = (description: string) => Nullable(Type.Integer(), description)
const NullableString = Nullable(Type.String())

/** Describes a configured judge to callers, without its key and without the credentials of its base URL. */
export const JudgeViewSchema = Closed({
  name: Type.String(),
  kind: Choice(['lexical', 'model'], '`lexical` is no model.'),
  description: Type.String(),
  default: Bool('Asked where a request names no judge.'),
  provider: NullableString,
  base_url: Nullable(Type.String(), 'Host and path of what is asked; null: nothing leaves the process.'),
  model: NullableString,
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'Part of the cache key.' }),
  window_tokens: NullableInteger('Input that the judge can take; null: no limit.'),
  max_output_tokens: NullableInteger('Null: no limit.'),
  images: Bool('Whether it is sent the pictures of a trajectory.'),
  price: Nullable(
    Closed({
      input_per_mtok: Type.Number(),
      output_per_mtok: Type.Number(),
      cache_read_per_mtok: Type.Number(),
      cache_write_per_mtok: Type.Number(),
      as_of: Nullable(Type.String(), 'The day on which the price was read; null: not said.'),
    }),
    'Dollars per million tokens; null: unknown, and costs are null.',
  ),
})
export type JudgeView = Static<typeof JudgeViewSchema>

/** Describes a judge that lacks its key, or another setting. */
export const UnconfiguredJudgeSchema = Closed({
  name: Type.String(),
  default: Bool('Asked where a request names no judge, which is refused.'),
  reason: Str('What to do to have it.'),
})
