import type { TArrayOptions, TNumberOptions, TObjectOptions, TProperties, TSchema, TStringOptions } from 'typebox'
import { Type } from 'typebox'

export { Type } from 'typebox'

export const Text = Type.String()

export const Closed = <P extends TProperties>(properties: P, options?: TObjectOptions) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Documented = <P extends TProperties>(description: string, properties: P) =>
  Closed(properties, { description })

/** Makes a described text, whole number, number or truth value; the description is a part of OpenAPI and of messages. */
export const Str = (description: string, options?: TStringOptions) => Type.String({ ...options, description })
export const Int = (description: string, options?: TNumberOptions) => Type.Integer({ ...options, description })
export const Num = (description: string, options?: TNumberOptions) => Type.Number({ ...options, description })
export const Bool = (description: string, options?: { readonly default: boolean }) =>
  Type.Boolean({ ...options, description })

export const Name = (description: string, maxLength: number) => Str(description, { minLength: 1, maxLength })

const describedBy = (description: string | undefined) => (description === undefined ? {} : { description })

export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], describedBy(description))
export const NullableText = Nullable(Text)

export const List = <T extends TSchema>(schema: T, description?: string, options: TArrayOptions = {}) =>
  Type.Array(schema, { ...options, ...describedBy(description) })
export const Dict = <T extends TSchema>(schema: T, description?: string) =>
  Type.Record(Type.String(), schema, describedBy(description))

export const Choice = <const Values extends string[]>(
  values: readonly [...Values],
  description?: string,
  options: { readonly default?: Values[number] } = {},
) => Type.Enum(values as readonly [...Values], { type: 'string', ...options, ...describedBy(description) })

export const Free = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', description })

function optional<Args extends readonly unknown[], S extends TSchema>(make: (...args: Args) => S) {
  return (...args: Args) => Type.Optional(make(...args))
}

/** Makes a member that may be absent: of a schema, or, as `Opt.Str`, by a function above. */
export const Opt = Object.assign(<S extends TSchema>(schema: S) => Type.Optional(schema), {
  Str: optional(Str),
  Int: optional(Int),
  Num: optional(Num),
  Bool: optional(Bool),
  Nullable: optional(Nullable),
  List: optional(List),
  Dict: optional(Dict),
  Choice: optional(Choice),
  Documented: optional(Documented),
  Array: optional(Type.Array),
  String: optional(Type.String),
  Union: optional(Type.Union),
})

const SHA256 = { pattern: '^sha256:[0-9a-f]{64}$' }
export const DigestOf = (description: string) => Str(description, SHA256)
export const Digest = Type.String(SHA256)
export const Timestamp = Type.String({ format: 'date-time' })

export const Count = (description?: string) => Type.Integer({ minimum: 0, ...describedBy(description) })

export const Each = <const Name extends string, S extends TSchema>(names: readonly Name[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, S>

export const Counts = <const Name extends string>(names: readonly Name[], description?: string) =>
  Closed(Each(names, Count(description)))
