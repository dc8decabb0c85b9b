import { type Answer, createCalls, type Given, type Query } from '../../src/client/calls.ts'
import { ServiceError, UnreachableError } from '../../src/client/errors.ts'
import { leaveForSignIn } from './session/sign-in-place.ts'

export type { Answer, Given, Query }
/** The `operationId` of a call. */
export type Name = Parameters<typeof calls.call>[0]

/** A refusal of the service, or the lack of an answer. `message` is for people; it is text of the service, shown as text. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
}

type QueryValue = string | number | boolean | null | undefined

/** Makes the address `/v1/grades?label=aligned` of `/v1/grades` and `{ label: 'aligned', task: '' }`: empty values are left out. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const params = new URLSearchParams(
    Object.entries(withoutEmpty(query)).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const text = params.toString()
  return text === '' ? path : `${path}?${text}`
}

const withoutEmpty = (query: Readonly<Record<string, QueryValue>>) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''))

/** Makes the query of a call from values of the page’s address, which the service checks; empty values are left out. */
export const queryOf = <N extends Name>(query: Readonly<Record<string, QueryValue>>): Query<N> =>
  withoutEmpty(query) as Query<N>

const calls = createCalls({
  baseUrl: '',
  retries: { tries: 1 },
  // No form, and no page of another origin, can send this header: with a session, changes need it.
  headers: { 'x-veridict-page': '1' },
})

/** Makes a call of the contract. Throws an `ApiError`, or the reason of the signal. */
export const ask = <N extends Name>(name: N, given: Given<N>, signal?: AbortSignal): Promise<Answer<N>> =>
  (calls.call as (name: N, given: Given<N>, options: object) => Promise<Answer<N>>)(name, given, { signal }).catch(fail)

/** Yields the results of a batch so far, line by line. Leaving the loop ends the request. */
export async function* readResults(id: string, signal: AbortSignal): AsyncGenerator<unknown> {
  try {
    yield* calls.lines('readResults', { path: { id } }, signal)
  } catch (error) {
    fail(error)
  }
}

/** Throws the error of a call in the words of the pages. A refused key leads to the sign-in. */
function fail(error: unknown): never {
  if (error instanceof UnreachableError) throw new ApiError('the service cannot be reached')
  if (!(error instanceof ServiceError)) throw error
  const places = error.errors.map(({ path, message }) => `${path} ${message}`)
  const told = new ApiError([error.message, ...places].join('; '))
  if (error.status === 401) leaveForSignIn(told.message)
  throw told
}
