import { faultAt } from './problem.ts'
import { Choice, Nullable, Str, Type } from './type.ts'

/** Query parameters of every list. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Str('`next_cursor` of the page before.', { maxLength: 300 })),
}

export const NextCursorSchema = Nullable(Type.String(), '`cursor` of the next page; null on the last one.')

/** The query parameter of calls that can also answer a table. */
export const FormatQuery = {
  format: Type.Optional(Choice(['json', 'csv'], '`csv`: one row a record.', { default: 'json' })),
}

/** The query parameter of a name that selects grades. */
export const nameFilter = (description?: string) =>
  Type.Optional(Type.String({ maxLength: 300, ...(description !== undefined && { description }) }))

export const encodeCursor = (value: string): string => Buffer.from(value).toString('base64url')

/** Decodes a cursor, which is opaque to callers. Throws for a cursor that this service did not make. */
export function decodeCursor(cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined
  const value = Buffer.from(cursor, 'base64url').toString('utf8')
  if (encodeCursor(value) !== cursor || !pattern.test(value))
    throw faultAt('/cursor', 'is not a cursor', 'invalid_cursor', 'this cursor was not made by this service')
  return value
}

export const idOf = ({ id }: { readonly id: string }): string => id

/** Makes a page of `limit` records out of at most `limit + 1`; the next page begins behind `placeOf` the last. */
export function toPage<T>(records: readonly T[], limit: number, placeOf: (last: T) => string) {
  const items = records.slice(0, limit)
  const last = items.at(-1)
  return { items, next_cursor: records.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null }
}

/** Makes a page of the first records of an async list. */
export async function takePage<T>(records: AsyncIterable<T>, limit: number, placeOf: (last: T) => string) {
  const page: T[] = []
  for await (const record of takeAsync(records, limit + 1)) page.push(record)
  return toPage(page, limit, placeOf)
}

/** Yields the first `limit` records; absent: all. */
export async function* takeAsync<T>(records: AsyncIterable<T>, limit: number | undefined): AsyncGenerator<T> {
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const record of records) {
    yield record
    if (--left <= 0) return
  }
}

export async function* mapAsync<T, U>(records: AsyncIterable<T>, change: (record: T) => U): AsyncGenerator<U> {
  for await (const record of records) yield change(record)
}
