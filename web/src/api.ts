import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Answer, createCalls, type Given, type Query } from '../../src/client/calls.ts'
import { ServiceError, UnreachableError } from '../../src/client/errors.ts'
import { hrefOf } from './location.ts'
import { leaveForSignIn } from './session/sign-in-place.ts'
import { confirmAct } from './ui/notice.tsx'

export type { Answer, Given, Query }
/** The `operationId` of a call. */
export type Name = Parameters<typeof calls.call>[0]

/** A refusal of the service, or a missing answer. The service wrote the message for people: pages show it as text. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The wrong places of the request. */
  readonly places: ServiceError['errors']

  constructor(message: string, places: ServiceError['errors'] = []) {
    super(message)
    this.places = places
  }
}

type QueryValue = string | number | boolean | null | undefined

/** Makes the address `/v1/grades?label=aligned` of `/v1/grades` and `{ label: 'aligned', task: '' }`, without empty values. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const entries = Object.entries(withoutEmpty(query))
  return hrefOf(path, new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)])))
}

const withoutEmpty = (query: Readonly<Record<string, QueryValue>>) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''))

/** Makes the query of a call from values of the page’s address, without empty ones; the service checks them. */
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
  const refusal = new ApiError([error.message, ...places].join('; '), error.errors)
  if (error.status === 401) leaveForSignIn(refusal.message)
  throw refusal
}

/** A value on its way from the service. The value of an earlier reading stays until the next one. */
export type Load<T> =
  | { readonly state: 'loading'; readonly value: T | null }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly value: T | null; readonly error: ApiError }

const LOADING = { state: 'loading', value: null } as const

/** Loads the answer of a call; null asks for nothing. */
export function useLoad<N extends Name>(name: N, given: Given<N> | null) {
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const key = given === null ? null : JSON.stringify([name, given])
  return { ...useRead(key, (signal) => ask(name, given as Given<N>, signal), [turn]), reload }
}

/** Reads a value by its key, and anew when a value of `again` changes; null reads nothing. `show` shows a part of the value before its end. */
export function useRead<T>(
  key: string | null,
  read: (signal: AbortSignal, show: (part: T) => void) => Promise<T>,
  again: readonly unknown[] = [],
): Load<T> {
  const [loaded, setLoaded] = useState<{ key: string | null; load: Load<T> }>({ key: null, load: LOADING })
  useEffect(() => {
    if (key === null) return
    const stop = new AbortController()
    read(stop.signal, (value) => setLoaded({ key, load: { state: 'loading', value } })).then(
      (value) => setLoaded({ key, load: { state: 'ready', value } }),
      (error: unknown) => {
        if (stop.signal.aborted) return
        const failed = { state: 'failed', error: toApiError(error) } as const
        setLoaded((before) => ({ key, load: { ...failed, value: before.key === key ? before.load.value : null } }))
      },
    )
    return () => stop.abort()
  }, [key, ...again])
  return loaded.key === key ? loaded.load : LOADING
}

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('the answer of the service cannot be read')

/** Runs an action of a button and confirms its success; tells whether it runs, and the message of its refusal. */
export function useAction<A extends readonly unknown[] = []>(run: (...given: A) => Promise<unknown>, done?: string) {
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const start = async (...given: A) => {
    setBusy(true)
    setTrouble(null)
    await run(...given).then(
      () => done !== undefined && confirmAct(done),
      (error: unknown) => setTrouble(toApiError(error).message),
    )
    setBusy(false)
  }
  return { busy, trouble, start: (...given: A) => void start(...given) }
}

type ListName = 'listGrades' | 'listReviews' | 'listDisagreements' | 'compareBatches'
type Entry<Page> = Page extends { flips: (infer T)[] } ? T : Page extends { items: (infer T)[] } ? T : never

/** A list with all its pages, up to a limit. */
export interface All<T> {
  readonly items: readonly T[]
  /** Whether the list is longer than the limit. */
  readonly cut: boolean
}

/** Follows `next_cursor` until the list ends or `most` items are read. */
export async function readAll<N extends ListName>(
  name: N,
  query: Query<N>,
  most: number,
  signal?: AbortSignal,
): Promise<All<Entry<Answer<N>>>> {
  const items: Entry<Answer<N>>[] = []
  let cursor: string | null = null
  do {
    const given = { query: { ...query, limit: 200, ...(cursor !== null && { cursor }) } } as Given<ListName>
    const page: Answer<ListName> = await ask<ListName>(name, given, signal)
    items.push(...(('flips' in page ? page.flips : page.items) as Entry<Answer<N>>[]))
    cursor = page.next_cursor
  } while (cursor !== null && items.length < most)
  return { items, cut: cursor !== null }
}

/** Loads all of a list; null asks for nothing. Each query is read once: reviewed items must not move under their reader. */
export const useAll = <N extends ListName>(name: N, query: Query<N> | null, most: number) =>
  useRead(query === null ? null : JSON.stringify([name, query, most]), (signal) =>
    readAll(name, query as Query<N>, most, signal),
  )
