import { type TEnum, type TObject, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'

export { Type } from 'typebox'

/** Makes an object that may have no other members. */
export const Closed = <P extends TProperties>(properties: P, options?: TObjectOptions): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Nullable = <T extends TSchema>(schema: T, options?: { readonly description: string }) =>
  Type.Union([schema, Type.Null()], options)

/** Makes a text that is one of the values. */
export const Choice = <const Values extends string[]>(
  values: readonly [...Values],
  description?: string,
  options: { readonly default?: Values[number] } = {},
): TEnum<Values> =>
  Type.Enum(values as readonly [...Values], {
    type: 'string',
    ...options,
    ...(description !== undefined && { description }),
  })

export const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })
export const Timestamp = Type.String({ format: 'date-time' })

/** Makes a whole number from 0. */
export const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })
