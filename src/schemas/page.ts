import { Nullable, Str, Type } from './type.ts'

/** Query parameters of every list. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Str('`next_cursor` of the page before.', { maxLength: 300 })),
}

export const NextCursorSchema = Nullable(Type.String(), '`cursor` of the next page; null on the last one.')
