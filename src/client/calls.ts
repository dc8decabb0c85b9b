import createFetchClient from 'openapi-fetch'
import { OPERATIONS, type operations, type paths } from './contract.ts'
import { refusalOf, strangeAnswer, UnreachableError, VeridictError } from './errors.ts'
import { type CallOptions, type RetryPolicy, retrying, unlessAborted } from './persist.ts'

export type Name = keyof typeof OPERATIONS
type Parameters<N extends Name> = operations[N]['parameters']
type JsonOf<Message> = Message extends { content: { 'application/json': infer Json } } ? Json : never

/** The input of an operation: `path`, `query`, `body`, `headers`. */
export type Given<N extends Name> = Pick<Parameters<N>, Extract<keyof Parameters<N>, 'path' | 'query'>> & {
  readonly headers?: NonNullable<Parameters<N>['header']>
} & (operations[N] extends { requestBody: infer Body } ? { readonly body: JsonOf<Body> } : unknown)

export type Query<N extends Name> = NonNullable<Parameters<N>['query']>

export type Answer<N extends Name> = JsonOf<operations[N]['responses'][keyof operations[N]['responses']]>

type CallArguments<N extends Name> =
  Record<never, never> extends Given<N>
    ? [given?: Given<N>, options?: CallOptions]
    : [given: Given<N>, options?: CallOptions]

interface Parts {
  readonly path?: object
  readonly query?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The items of a batch, or a function that gives them anew each time. */
export type Items<T> = Iterable<T> | AsyncIterable<T> | (() => Iterable<T> | AsyncIterable<T>)

export interface CallsOptions {
  /** Address of the service, like `http://127.0.0.1:8787`. */
  readonly baseUrl: string
  /** A key, `vk_…`. */
  readonly token?: string | undefined
  readonly fetch?: typeof fetch
  /** Longest time of one answer, streams apart; default: no limit. */
  readonly timeoutMs?: number
  /** Default: four tries, and no wait over a minute. */
  readonly retries?: Partial<RetryPolicy>
  /** Headers of each request, such as the mark of the pages. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Calls = ReturnType<typeof createCalls>

const RETRIES: RetryPolicy = { tries: 4, longestWaitMs: 60_000 }

/** Operations without an effect, and operations that the service recognises when they are repeated. */
const REPEATABLE: readonly Name[] = ['createGrade', 'uploadTrajectory', 'computeAgreement']

/** Makes the calls of the contract over openapi-fetch, with retries, idempotency keys and streams. */
export function createCalls({ baseUrl, token, fetch: fetcher = fetch, timeoutMs, retries, headers }: CallsOptions) {
  // The error of a header would show the token, and the error of fetch the password.
  if (token !== undefined && !/^[!-~]+$/.test(token))
    throw new TypeError('the token is not a key: a key looks like vk_…')
  const { username, password } = URL.parse(baseUrl) ?? { username: '', password: '' }
  if (username !== '' || password !== '')
    throw new TypeError('the address of the service holds a password: give the key as token')
  const policy = { ...RETRIES, ...retries }
  const api = createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: (request) => fetcher(request),
    // The key goes to this address and nowhere else.
    redirect: 'error',
    bodySerializer: (body: unknown) => body,
    headers: {
      accept: 'application/json',
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  })
  const request = api.request as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ error?: unknown; response: Response }>

  async function send(name: Name, { path, query, body, headers }: Parts, signals: (AbortSignal | undefined)[]) {
    const [method, template] = OPERATIONS[name]
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined))
    const init = { params: { path, query }, headers, body, signal, duplex: 'half', parseAs: 'stream' }
    const { error, response } = await request(method, template, init)
    if (!response.ok) throw refusalOf(response, error)
    return response
  }

  /** Makes the error of a call that broke: the signal’s reason, a `VeridictError`, else an `UnreachableError`. */
  const broken = (error: unknown, signal?: AbortSignal): unknown => {
    if (signal?.aborted) return signal.reason
    return error instanceof VeridictError ? error : new UnreachableError(baseUrl, error)
  }

  async function readText(name: Name, given: Parts, { signal }: CallOptions, limitMs?: number): Promise<string> {
    try {
      const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs)
      const response = await send(name, given, [limit, signal])
      return await response.text()
    } catch (error) {
      throw broken(error, signal)
    }
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw strangeAnswer('not_json', `${baseUrl} answered something that is not JSON`)
    }
  }

  return {
    policy,

    /** Makes any call of the contract that answers with JSON, by its `operationId`. */
    async call<N extends Name>(name: N, ...args: CallArguments<N>): Promise<Answer<N>> {
      const [given = {}, { signal } = {}] = args as [Parts?, CallOptions?]
      const isRefresh = name === 'createGrade' && (given.body as { cache?: string } | undefined)?.cache === 'refresh'
      // Without `refresh`, the cache and the request in flight do the work of the key.
      const headers = { ...(isRefresh && { 'idempotency-key': makeKey() }), ...given.headers }
      const body = given.body === undefined ? undefined : JSON.stringify(given.body)
      const canRepeat = OPERATIONS[name][0] === 'GET' || REPEATABLE.includes(name) || 'idempotency-key' in headers
      const text = await retrying(policy, { signal, canRepeat }, () =>
        readText(name, { ...given, headers, body }, { signal }, timeoutMs),
      )
      return parse(text) as Answer<N>
    },

    /** Sends the items of a batch while they are read. Throws an error of the items as it is. */
    async upload<T>(items: Items<unknown>, query: Given<'createBatch'>['query'], signal?: AbortSignal): Promise<T> {
      const faults: unknown[] = []
      const encoder = new TextEncoder()
      async function* encode(): AsyncGenerator<Uint8Array, void> {
        try {
          for await (const item of typeof items === 'function' ? items() : items)
            yield encoder.encode(`${JSON.stringify(item)}\n`)
        } catch (error) {
          // The fetch would hide the error of the items.
          throw faults[faults.push(error) - 1]
        }
      }
      const source = encode()
      try {
        const stream = new ReadableStream({
          async pull(controller) {
            const { done, value } = await source.next()
            if (done) controller.close()
            else controller.enqueue(value)
          },
        })
        const body = SENDS_STREAMS ? stream : await unlessAborted(new Response(stream).blob(), signal)
        const given = { ...(query && { query }), body, headers: { 'content-type': 'application/x-ndjson' } }
        return parse(await readText('createBatch', given, { signal })) as T
      } catch (error) {
        throw faults.length > 0 ? faults[0] : error
      } finally {
        source.return().catch(() => undefined)
      }
    },

    /** Streams the lines of an NDJSON answer. `answered` is called when the service answers. */
    async *lines<N extends 'readResults' | 'readBatchAttempts'>(
      name: N,
      given: Given<N>,
      signal?: AbortSignal,
      answered?: () => void,
    ): AsyncGenerator<unknown> {
      try {
        const { body } = await send(name, { ...given, headers: { accept: 'application/x-ndjson' } }, [signal])
        answered?.()
        for await (const text of readLines(body)) yield parse(text)
      } catch (error) {
        throw broken(error, signal)
      }
    },
  }
}

/** Browsers send streams over HTTP/2 alone, or not at all. */
const SENDS_STREAMS = 'process' in globalThis || 'Deno' in globalThis

/** Makes a key that no other client has. `randomUUID` would need a page that came by TLS. */
export const makeKey = (): string =>
  `client:${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

const MOST_LINE_CHARS = 64 * 1024 * 1024

/** Yields the lines of a stream in linear time. Throws at a stream that broke off within a line, and at a line too long for a result. */
async function* readLines(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (stream === null) return
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const [first = '', ...rest] = decoder.decode(next.value, { stream: true }).split('\n')
      pieces.push(first)
      length += first.length
      for (const piece of rest) {
        const line = pieces.join('')
        if (line.trim() !== '') yield line
        pieces = [piece]
        length = piece.length
      }
      if (length > MOST_LINE_CHARS)
        throw strangeAnswer('not_a_result', `a line of the results is longer than ${MOST_LINE_CHARS} characters`)
    }
  } finally {
    // Leaving the loop ends the request.
    await reader.cancel().catch(() => undefined)
  }
  if (pieces.some((piece) => piece.trim() !== '')) throw new Error('the stream broke off within a line')
}
