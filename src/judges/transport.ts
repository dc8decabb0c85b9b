import { Agent, type Dispatcher, fetch as undiciFetch } from 'undici'
import { REDIRECTED } from './faults.ts'

export type Fetch = typeof globalThis.fetch

/** The longest reply to one call. Answers above a million characters are never read. */
const MOST_REPLY_BYTES = 4 * 1024 * 1024
const MOST_BATCH_BYTES = 16 * 1024 * 1024

/**
 * The `fetch` that the SDKs are given: undici’s own with one connection pool per judge, a quarter larger than the calls that may run at once,
 * so that a finished one is never waited for. Replies above 4 MiB are refused.
 */
export const makeFetch = (calls: number): Fetch =>
  marked(requestThrough(new Agent({ connections: Math.ceil(calls * 1.25), maxResponseSize: MOST_REPLY_BYTES })))

/** Errors of calls that were on their way, and not of what an SDK does before. */
const sent = new WeakSet<Error>()
export const wasSent = (error: Error): boolean => sent.has(error)

const marked =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (error instanceof Error) sent.add(error)
      throw error
    }
  }

/** The same for batches: few connections, and the minutes that a large upload takes count as waiting for its answer. */
export const makeBatchFetch = (): Fetch =>
  fetchThrough(new Agent({ connections: 4, headersTimeout: 30 * 60_000, maxResponseSize: MOST_BATCH_BYTES }))

/**
 * For results of batches, which may be of any size and are read line by line. What comes with an error is dropped unread, since the
 * SDKs would hold it whole.
 */
export function makeDownloadFetch(): Fetch {
  const fetch = fetchThrough(new Agent({ connections: 4 }))
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok) return response
    await response.body?.cancel()
    return new Response(null, { status: response.status, headers: response.headers })
  }
}

/** Redirects are refused, so that a key never goes to another origin. */
const fetchThrough = (dispatcher: Agent): Fetch =>
  ((input: string, init: object) =>
    undiciFetch(input, { ...init, dispatcher, redirect: 'error' } as Parameters<
      typeof undiciFetch
    >[1])) as unknown as Fetch

/** What came with an error, word for word: of it the SDKs hand on what they parsed, and some of that only, but the very headers. */
const refusals = new WeakMap<Headers, string>()

/** The body of an error by its headers; null where it was not read here. */
export const bodyOf = (headers: Headers | undefined): string | null =>
  headers === undefined ? null : (refusals.get(headers) ?? null)

/** Statuses whose answers have no body: a Response with one cannot be made. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * For calls whose question is a text and whose answer is small: the same as above without the streams of `fetch` on either side, which
 * cost more than the call itself. The answer is read whole before it is handed on, so that the signal holds until its last byte.
 */
const requestThrough =
  (dispatcher: Agent): Fetch =>
  async (input, init = {}) => {
    const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input)
    const { statusCode, headers, body } = await dispatcher.request({
      origin,
      path: pathname + search,
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: [...new Headers(init.headers), ['accept-encoding', 'identity']].flat(),
      body: (init.body ?? null) as string | null,
      signal: init.signal ?? null,
    })
    if (statusCode >= 300 && statusCode < 400 && headers['location'] !== undefined) {
      await body.dump()
      throw Object.assign(new Error('redirected'), { code: REDIRECTED })
    }
    const text = await body.text()
    const pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    const response = new Response(WITHOUT_BODY.has(statusCode) ? null : text, { status: statusCode, headers: pairs })
    if (statusCode >= 400) refusals.set(response.headers, text)
    return response
  }
