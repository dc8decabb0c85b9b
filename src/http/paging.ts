import { HttpProblem } from './problem.ts'

export const encodeCursor = (value: string): string => Buffer.from(value).toString('base64url')

/** A cursor is opaque to callers; one that we did not make is refused. */
export function decodeCursor(cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined
  const value = Buffer.from(cursor, 'base64url').toString('utf8')
  if (encodeCursor(value) !== cursor || !pattern.test(value))
    throw new HttpProblem(400, 'invalid_cursor', 'this cursor was not made by this service', {
      errors: [{ path: '/querystring/cursor', message: 'is not a cursor' }],
    })
  return value
}
