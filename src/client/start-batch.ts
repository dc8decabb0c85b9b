import type { Batch, BatchItem, Operations } from './contract.ts'
import { ServiceError, UnreachableError } from './errors.ts'
import { uploadOf } from './lines.ts'
import { type RetryPolicy, retrying } from './persist.ts'
import { sendForText, type Target } from './send.ts'

/** What can be read once, or what gives that anew each time. */
export type Items<T> = Iterable<T> | AsyncIterable<T> | (() => Iterable<T> | AsyncIterable<T>)

type Query = NonNullable<Operations['createBatch']['given']['query']>

interface StartDeps {
  readonly target: Target
  readonly policy: RetryPolicy
  /** The newest batch with this key that was not cancelled. */
  readonly find: (key: string) => Promise<Batch | null>
}

export async function startBatch(
  { target, policy, find }: StartDeps,
  items: Items<BatchItem>,
  query: Query,
  signal?: AbortSignal,
): Promise<Batch> {
  if (query.key !== undefined) {
    const known = await find(query.key)
    if (known !== null) return known
  }
  const key = query.key ?? makeKey()
  const sendOnce = async () => {
    try {
      return parseJson(target.base, await uploadItems(target, items, { ...query, key }, signal)) as Batch
    } catch (error) {
      // It may have been stored, and only its answer lost.
      const known = error instanceof UnreachableError ? await find(key).catch(() => null) : null
      if (known === null) throw error
      return known
    }
  }
  const canRepeat = Array.isArray(items) || typeof items === 'function'
  return canRepeat ? retrying(policy, { signal, canRepeat }, sendOnce) : sendOnce()
}

/** The answer to a batch that is sent while its items are read. What the items throw is thrown as it is. */
export async function uploadItems(
  target: Target,
  items: Items<unknown>,
  query: object,
  signal?: AbortSignal,
): Promise<string> {
  const upload = uploadOf(typeof items === 'function' ? items() : items)
  try {
    const body = SENDS_STREAMS ? upload.body : await new Response(upload.body).blob()
    const sent = { query, body, type: 'application/x-ndjson', signal }
    return await sendForText({ ...target, timeoutMs: undefined }, 'POST', '/v1/batches', sent)
  } catch (error) {
    throw upload.fault === null ? error : upload.fault.error
  } finally {
    upload.close()
  }
}

/** Browsers send streams over HTTP/2 alone, or not at all. */
const SENDS_STREAMS = 'process' in globalThis || 'Deno' in globalThis

/** One that no other client has. `randomUUID` would need a page that came by TLS. */
export const makeKey = (): string =>
  `client:${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

export function parseJson(base: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const detail = `${base} answered something that is not JSON: is this a Veridict service?`
    throw new ServiceError(200, { code: 'not_json', detail })
  }
}
