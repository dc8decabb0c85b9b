import { Nullable, Type } from './type.ts'

/** Query parameters of every list. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 300, description: '`next_cursor` of the page before.' })),
}

export const NextCursorSchema = Nullable(Type.String(), {
  description: '`cursor` of the next page; null on the last one.',
})
