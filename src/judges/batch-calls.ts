import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Answered } from '../ports/batch-api.ts'
import { callProvider, type Sdk } from './call.ts'
import { failure } from './failures.ts'
import { redact } from './reply.ts'

/** A batch is a tier of its own. */
export const withoutTier = ({ service_tier: _tier, ...settings }: JudgeSettings): JudgeSettings => settings

/** What a provider’s clock may be behind ours. */
const CLOCK_SLACK_MS = 10 * 60_000
const MOST_PAGES = 1000
const MOST_DETAIL_CHARS = 1000
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/
const NO_ENDPOINT = [404, 405, 501]

/** Anthropic’s rule; OpenAI publishes none. Throws a RangeError: the ids are ours. */
export function checkCustomId(id: string): string {
  if (!CUSTOM_ID.test(id)) throw new RangeError('a custom id is 1 to 64 letters, digits, underscores and hyphens')
  return id
}

/** Makes one call of a batch endpoint. `missing` is what it means where the server does not know the path. */
export async function callBatch<T extends object>(
  sdk: Sdk,
  signal: AbortSignal,
  missing: string,
  call: () => Promise<T>,
): Promise<Answered<T>> {
  const called = await callProvider(sdk, signal, call)
  if (called.ok) return { ok: true, ...called.value }
  const { failure: fault, status } = called.fault
  if (status === null || !NO_ENDPOINT.includes(status)) return { ok: false, failure: fault }
  return { ok: false, failure: failure('internal', `${missing} (HTTP ${status})`) }
}

export const NO_BATCHES = 'this server has no batch endpoint'
export const NO_SUCH_BATCH = 'this server does not know the batch, or has no batch endpoint'

/** Throws a TypeError where the answer holds no id that could be one. */
export function idOf(created: { readonly id: unknown } | null, secret: string): string {
  const id = created?.id
  if (typeof id !== 'string' || id === '' || id.length > 200) throw new TypeError('the answer has no id')
  return redact(id, secret)
}

/** Throws a TypeError where a batch has no state that is a word: then it is none. */
export function stateWordOf<T extends string>(status: T): T {
  if (typeof status !== 'string') throw new TypeError('the answer is no batch')
  return status
}

/** A provider’s word of what is going on, fit to be shown. */
export const detailOf = (text: unknown, secret: string): string =>
  redact(String(text), secret).slice(0, MOST_DETAIL_CHARS)

/**
 * What was created since then, from pages that are newest first. Reads on until a whole page is older, so that neither a tie nor a small
 * disorder hides anything. Throws where an answer is no list (a proxy’s own page, say) or the list does not end: not to have found is a
 * statement that money depends on, and must not be a guess. `readPage` takes the id behind which the page begins.
 */
export async function* createdSince<T extends { readonly id: string }>(
  since: Date,
  createdAt: (item: T) => number,
  readPage: (after: string | undefined) => Promise<Response>,
): AsyncGenerator<T> {
  const oldest = since.getTime() - CLOCK_SLACK_MS
  let after: string | undefined
  for (let read = 0; read < MOST_PAGES; read++) {
    const page = (await (await readPage(after)).json()) as { data?: T[]; has_more?: boolean } | null
    if (!Array.isArray(page?.data)) throw new TypeError('the answer is no list')
    const recent = page.data.filter((item) => !(createdAt(item) < oldest))
    yield* recent
    if (recent.length === 0 || page.has_more !== true) return
    after = page.data.at(-1)?.id
  }
  throw new TypeError('the list of batches does not end')
}

/** The bytes of a file as they arrive. */
export function bytesOf(response: Response): AsyncIterable<Uint8Array> {
  if (response.body === null) throw new TypeError('the answer has no body')
  return response.body
}
