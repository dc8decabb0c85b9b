import type { FastifyReply } from 'fastify'
import { HttpProblem } from './problem.ts'

/** Sends a text that is JSON already. */
export const sendText = (reply: FastifyReply, text: string | Buffer, status = 200): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send(text)

export const encodeCursor = (value: string): string => Buffer.from(value).toString('base64url')

/** Decodes a cursor, which is opaque to callers. Throws for a cursor that this service did not make. */
export function decodeCursor(cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined
  const value = Buffer.from(cursor, 'base64url').toString('utf8')
  if (encodeCursor(value) !== cursor || !pattern.test(value))
    throw new HttpProblem(400, 'invalid_cursor', 'this cursor was not made by this service', {
      errors: [{ path: '/querystring/cursor', message: 'is not a cursor' }],
    })
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
