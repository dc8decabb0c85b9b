import { Agent, fetch as undiciFetch } from 'undici'

type Fetch = typeof globalThis.fetch

const MOST_RESPONSE_BYTES = 16 * 1024 * 1024

/**
 * The `fetch` that the SDKs are given: undici’s own with one connection pool per judge, a quarter larger than the calls that may run at once,
 * so that a finished one is never waited for. Responses above 16 MiB are refused. Correctness before speed: a leaner response object would save about a third of the SDK’s own time.
 */
export const makeFetch = (calls: number): Fetch =>
  fetchThrough(new Agent({ connections: Math.ceil(calls * 1.25), maxResponseSize: MOST_RESPONSE_BYTES }))

/** The same for batches: few connections, and the minutes that a large upload takes count as waiting for its answer. */
export const makeBatchFetch = (): Fetch =>
  fetchThrough(new Agent({ connections: 4, headersTimeout: 30 * 60_000, maxResponseSize: MOST_RESPONSE_BYTES }))

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
