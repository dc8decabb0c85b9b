import { ServiceError, serviceError, UnreachableError } from './errors.ts'

/** Where requests go, and the key that goes with them: there and nowhere else, so that redirects are refused. */
export interface Target {
  readonly base: string
  readonly key: string | undefined
  readonly fetcher: typeof fetch
  /** How long an answer may take that is no stream; undefined: as long as it takes. */
  readonly timeoutMs?: number | undefined
}

export interface Sent {
  /** What is undefined is left out. */
  readonly query?: object
  readonly body?: string | Blob | ReadableStream<Uint8Array>
  readonly type?: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Throws the signal’s reason, `ServiceError` where the service refuses, `UnreachableError` where it does not answer. */
export async function send(target: Target, method: string, path: string, sent: Sent): Promise<Response> {
  const { base, key, fetcher } = target
  const url = new URL(base.replace(/\/+$/, '') + path)
  for (const [name, value] of Object.entries(sent.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value))
  const headers: Record<string, string> = { accept: sent.accept ?? 'application/json', ...sent.headers }
  if (sent.type !== undefined) headers['content-type'] = sent.type
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`
  const init = {
    method,
    headers,
    redirect: 'error' as const,
    ...(sent.body !== undefined && { body: sent.body }),
    // Wanted for streams by every fetch that can send them.
    ...(sent.body instanceof ReadableStream && { duplex: 'half' as const }),
    ...(sent.signal !== undefined && { signal: sent.signal }),
  }
  let response: Response
  try {
    response = await fetcher(url, init)
  } catch (error) {
    throw brokenBy(error, base, sent.signal)
  }
  if (!response.ok) throw await serviceError(response)
  return response
}

/** What a call that broke is to throw. */
function brokenBy(error: unknown, base: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason
  return error instanceof ServiceError ? error : new UnreachableError(base, error)
}

/** The whole text of an answer, within the time of the target. Throws as `send` does. */
export async function sendForText(target: Target, method: string, path: string, sent: Sent): Promise<string> {
  const { base, timeoutMs } = target
  const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
  const signals = [...limit, ...(sent.signal === undefined ? [] : [sent.signal])]
  try {
    const response = await send(target, method, path, {
      ...sent,
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    })
    return await response.text().catch((error: unknown) => {
      throw brokenBy(error, base, sent.signal)
    })
  } catch (error) {
    if (sent.signal?.aborted) throw sent.signal.reason
    throw limit.some((one) => one.reason === error) ? new UnreachableError(base, error) : error
  }
}

/** What a stream gives; a connection that breaks meanwhile is an `UnreachableError`, as it is before the first byte. */
export async function* unbroken<T>(base: string, values: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  try {
    yield* values
  } catch (error) {
    throw brokenBy(error, base, signal)
  }
}
