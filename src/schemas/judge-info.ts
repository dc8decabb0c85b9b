import { Type } from 'typebox'

const NullableInteger = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })
const NullableString = Type.Union([Type.String(), Type.Null()])
const closed = { additionalProperties: false } as const

/** A configured judge as callers may see it: never a key, and no base URL, which can hold credentials. */
export const JudgeInfoSchema = Type.Object(
  {
    name: Type.String(),
    kind: Type.Enum(['lexical', 'model'] as const, { type: 'string', description: '`lexical` is no model.' }),
    description: Type.String(),
    default: Type.Boolean({ description: 'Asked where a request names no judge.' }),
    provider: NullableString,
    model: NullableString,
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'Part of the cache key.' }),
    window_tokens: NullableInteger('Input that the judge can take; null: no limit.'),
    max_output_tokens: NullableInteger('Null: no limit.'),
    price: Type.Union(
      [
        Type.Object(
          {
            input_per_mtok: Type.Number(),
            output_per_mtok: Type.Number(),
            cache_read_per_mtok: Type.Number(),
            cache_write_per_mtok: Type.Number(),
            as_of: Type.String({ description: 'The day on which the price was read.' }),
            valid_from: Type.Optional(Type.String({ description: 'The day from which it holds; absent: always.' })),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'Dollars per million tokens, as of today; null: unknown, and costs are null.' },
    ),
  },
  closed,
)
