import { Agent, type Dispatcher, fetch as undiciFetch } from 'undici'
import { REDIRECTED } from './faults.ts'

export type Fetch = typeof globalThis.fetch

/** Bounds the reply to one call: answers above a million characters are never read. */
const MOST_REPLY_BYTES = 4 * 1024 * 1024

/**
 * Makes the `fetch` of the SDKs: undici's own with one connection pool per judge, a quarter larger than the concurrent calls, so that no
 * call waits for a closing connection. Replies above 4 MiB are refused.
 */
export function makeFetch(calls: number): Fetch {
  const agent = new Agent({ connections: Math.ceil(calls * 1.25), maxResponseSize: MOST_REPLY_BYTES })
  return (input, init) => requestThrough(agent, input instanceof Request ? input.url : input, init)
}

/** Makes the `fetch` for batches: few connections, and a long wait for the answer, which includes a large upload. */
export const makeBatchFetch = (): Fetch =>
  fetchThrough({ connections: 4, headersTimeout: 30 * 60_000, maxResponseSize: 4 * MOST_REPLY_BYTES })

/**
 * Makes the `fetch` for results of batches, which may be of any size and are read line by line. The body of an error is dropped unread,
 * because the SDKs would hold it whole.
 */
export function makeDownloadFetch(): Fetch {
  const fetch = fetchThrough({ connections: 4 })
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok) return response
    await response.body?.cancel()
    return new Response(null, { status: response.status, headers: response.headers })
  }
}

/** Refuses redirects, so that a key never goes to another origin. */
function fetchThrough(options: Agent.Options): Fetch {
  const common = { dispatcher: new Agent(options), redirect: 'error' } as const
  return ((input: string, init: object) => undiciFetch(input, { ...init, ...common })) as unknown as Fetch
}

/** Bodies of errors, verbatim, by their headers: SDKs return only a parsed part of the body, but the same headers object. */
const refusals = new WeakMap<Headers, string>()

/** Returns the body of an error by its headers; null where it was not read here. */
export const bodyOf = (headers: Headers | undefined): string | null =>
  headers === undefined ? null : (refusals.get(headers) ?? null)

/** Statuses whose responses have no body: a Response with one cannot be made. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Makes a call with a text question and a small answer, without the streams of `fetch`, which cost more than the call itself.
 * The answer is read whole before it is returned, so that the signal holds until its last byte.
 */
async function requestThrough(agent: Agent, url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { origin, pathname, search } = new URL(url)
  const { statusCode, headers, body } = await agent.request({
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
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  )
  const response = new Response(WITHOUT_BODY.has(statusCode) ? null : text, { status: statusCode, headers: pairs })
  if (statusCode >= 400) refusals.set(response.headers, text)
  return response
}
