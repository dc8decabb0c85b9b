import { LineSplitter } from '../domain/text/line-splitter.ts'
import type {
  Answered,
  BatchCalls,
  BatchResult,
  BatchState,
  JudgeReply,
  JudgeRequest,
  ReplyDetails,
  Submission,
} from '../ports/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import { callProvider, describeError, failed, redact, redactReply, type Sdk } from './call.ts'
import { failure } from './faults.ts'

/** Tolerated lag of a provider’s clock. */
const CLOCK_SLACK_MS = 10 * 60_000
const MOST_PAGES = 1000
const MOST_DETAIL_CHARS = 1000
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/
const NO_ENDPOINT = [404, 405, 501]

/** Anthropic’s rule; OpenAI publishes none. Throws a RangeError: the ids are ours. */
function checkCustomId(id: string): string {
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
const NO_SUCH_BATCH = 'this server does not know the batch, or has no batch endpoint'

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

/** Makes a provider’s detail of a batch fit to be shown. */
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

/** Streams the bytes of a file. */
export function bytesOf(response: Response): AsyncIterable<Uint8Array> {
  if (response.body === null) throw new TypeError('the answer has no body')
  return response.body
}

/** A line of a results file. What else it holds is the provider’s own. */
export interface ResultLine {
  readonly custom_id: string
}

/** Details of a reply of unknown usage. */
export const UNKNOWN: ReplyDetails = { usage: null, model_resolved: null, request_id: null }

/** Thrown when results of a running batch are read. */
export class NotEnded extends Error {}

/** No server will ever answer otherwise: what it may have held is gone. */
const GONE = [404, 405, 410, 501]

/** A line that tells no request’s result. Not retryable: the file is as it is, and the request of that line stays without a result. */
const DAMAGED = {
  ok: false,
  failure: failure('internal', 'a line of the batch’s results could not be read'),
} as const satisfies Answered<BatchResult>

/**
 * Every line as a result. A damaged line is a failure in its place, and those after it are still read; where the reading itself breaks
 * off, the last thing is a failure that says so. That one is retryable whatever broke it off (a wrong key, say): the results are paid
 * for and still there. Only where the server does not have them (any more) it is not.
 */
async function* readResults(
  sdk: Sdk,
  signal: AbortSignal,
  lines: AsyncIterable<string | null>,
  resultOf: (line: ResultLine) => BatchResult,
): AsyncGenerator<Answered<BatchResult>> {
  try {
    for await (const text of lines) {
      if (text?.trim() === '') continue
      const line = text === null ? null : parseLine(text)
      if (line === null) {
        yield DAMAGED
        continue
      }
      const { custom_id, end, reply } = resultOf(line)
      yield {
        ok: true,
        custom_id: redact(custom_id, sdk.secret),
        end,
        reply: reply && redactReply(reply, sdk.secret),
      }
    }
  } catch (error) {
    yield { ok: false, failure: brokenOff(error, sdk, signal) }
  }
}

function brokenOff(error: unknown, sdk: Sdk, signal: AbortSignal): Failure {
  if (error instanceof NotEnded)
    return { ...failure('internal', 'the batch has not ended: it has no results yet'), retryable: true }
  const fault = describeError(error, sdk, signal)
  return fault.status !== null && GONE.includes(fault.status)
    ? failure('internal', `${NO_SUCH_BATCH} (HTTP ${fault.status})`)
    : { ...fault.failure, retryable: true }
}

/** No answer is longer: single calls refuse what is. */
const MOST_LINE_BYTES = 16 * 1024 * 1024

/** The lines of a results file as they arrive, null for one that is too long to be an answer. Never holds more than one line and one chunk. */
export async function* readLines(
  file: AsyncIterable<Uint8Array>,
  mostBytes = MOST_LINE_BYTES,
): AsyncGenerator<string | null> {
  const splitter = new LineSplitter(mostBytes)
  for await (const chunk of file) for (const line of splitter.feed(chunk)) yield line.bytes?.toString('utf8') ?? null
  for (const line of splitter.end()) yield line.bytes?.toString('utf8') ?? null
}

/** The reply in an answer that may be anything: one request’s odd answer is its own failure, not that of its batch. */
export function replyOrFailure(body: unknown, requestId: string | null, replyOf: () => JudgeReply): JudgeReply {
  try {
    return replyOf()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return failed('judge_unreachable', 'the provider’s answer is not what its API promises', body, {
      ...UNKNOWN,
      request_id: requestId,
    })
  }
}

/** No id of ours is longer than 64 characters. */
function parseLine(text: string): ResultLine | null {
  try {
    const line = JSON.parse(text) as ResultLine | null
    return typeof line?.custom_id === 'string' && line.custom_id.length <= 64 ? line : null
  } catch {
    return null
  }
}

/** What a provider’s batch endpoint is asked by its SDK, which throws what goes wrong. */
interface BatchEndpoint {
  /** What stands beside the custom id in a line. */
  envelope(request: JudgeRequest): object
  submit(submission: Submission, signal: AbortSignal): Promise<{ readonly id: unknown }>
  state(providerId: string, signal: AbortSignal): Promise<BatchState>
  cancel(providerId: string, signal: AbortSignal): Promise<{ readonly id: unknown }>
  lines(providerId: string, signal: AbortSignal): AsyncIterable<string | null>
  resultOf(line: ResultLine): BatchResult
}

/** The calls of such an endpoint, which never throw. How a submission is found again each provider has for itself. */
export function callsOf(sdk: Sdk, endpoint: BatchEndpoint): Omit<BatchCalls, 'find'> {
  const poll: BatchCalls['poll'] = (id, signal) =>
    callBatch(sdk, signal, NO_SUCH_BATCH, () => endpoint.state(id, signal))
  return {
    encode: (customId, request) =>
      JSON.stringify({ custom_id: checkCustomId(customId), ...endpoint.envelope(request) }),
    submit: (submission, signal) =>
      callBatch(sdk, signal, NO_BATCHES, async () => ({
        provider_id: idOf(await endpoint.submit(submission, signal), sdk.secret),
      })),
    poll,
    results: (id, signal) => readResults(sdk, signal, endpoint.lines(id, signal), endpoint.resultOf),
    async cancel(id, signal) {
      const cancelled = await callBatch(sdk, signal, NO_SUCH_BATCH, async () => ({
        id: idOf(await endpoint.cancel(id, signal), sdk.secret),
      }))
      if (cancelled.ok) return { ok: true }
      // One that has ended by itself meanwhile cannot be cancelled, and need not be.
      const now = await poll(id, signal)
      return now.ok && now.state !== 'in_progress' ? { ok: true } : cancelled
    },
  }
}
