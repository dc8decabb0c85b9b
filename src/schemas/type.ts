import { type TObject, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'

export { Type } from 'typebox'

/** Makes an object that may have no other members. */
export const Closed = <P extends TProperties>(properties: P, options?: TObjectOptions): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Nullable = <T extends TSchema>(schema: T, options?: { readonly description: string }) =>
  Type.Union([schema, Type.Null()], options)
