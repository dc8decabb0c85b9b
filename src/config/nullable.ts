import type { Static, TSchema, TUnsafe } from 'typebox'
import { Type } from '../schemas/type.ts'

/** Null or what the schema says, in one schema: a union’s error says of each of its members why it does not fit. */
export const nullable = <S extends TSchema & { readonly type: string }>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })
