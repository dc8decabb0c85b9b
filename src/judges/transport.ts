import { Agent, fetch as undiciFetch } from 'undici'

/** Calls that may run at once for one judge; connections are a quarter more, so that a finished one is never waited for. */
const CONCURRENCY = 128

/** One connection pool per judge. Responses above 16 MiB are refused. */
const makeDispatcher = (): Agent =>
  new Agent({ connections: Math.ceil(CONCURRENCY * 1.25), maxResponseSize: 16 * 1024 * 1024 })

/**
 * The `fetch` that the SDKs are given: undici’s own with that pool, and redirects refused, so that a key never goes to another
 * origin. Correctness before speed: a leaner response object would save about a third of the SDK’s own time.
 */
export function makeFetch(): typeof globalThis.fetch {
  const dispatcher = makeDispatcher()
  return ((input: string, init: object) =>
    undiciFetch(input, { ...init, dispatcher, redirect: 'error' } as Parameters<
      typeof undiciFetch
    >[1])) as unknown as typeof globalThis.fetch
}
