import { splitLines } from '../domain/text/line-splitter.ts'
import type { Failure } from '../schemas/grade.ts'
import { callProvider, describeError, redactAll, type Sdk } from './call.ts'
import { failure } from './faults.ts'
import type {
  Answered,
  BatchCalls,
  BatchResult,
  BatchState,
  JudgeRequest,
  Submission,
  SubmissionMark,
} from './judge.ts'

/** Tolerated lag of a provider’s clock. */
const CLOCK_SLACK_MS = 10 * 60_000
const MOST_PAGES = 1000
/** Bounds a provider's detail of a batch for display. */
export const MOST_DETAIL_CHARS = 1000
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/
/** Statuses of a server that does not know the path, and of results that no server will ever return again. */
const NO_ENDPOINT = [404, 405, 501]
const GONE = [...NO_ENDPOINT, 410]

const NO_BATCHES = 'this server has no batch endpoint'
const NO_SUCH_BATCH = 'this server does not know the batch, or has no batch endpoint'

/** Checks a custom id by Anthropic's rule; OpenAI publishes none. Throws a RangeError, because this client makes the ids. */
function checkCustomId(id: string): string {
  if (!CUSTOM_ID.test(id)) throw new RangeError('a custom id is 1 to 64 letters, digits, underscores and hyphens')
  return id
}

/** Makes one call of a batch endpoint. `missing`: the message for a server that does not know the path. */
export async function callBatch<T extends object>(
  sdk: Sdk,
  signal: AbortSignal,
  call: () => Promise<T>,
  missing = NO_BATCHES,
): Promise<Answered<T>> {
  const called = await callProvider(sdk, signal, call)
  if (called.ok) return { ok: true, ...called.value }
  const { failure: fault, status } = called.fault
  if (status === null || !NO_ENDPOINT.includes(status)) return { ok: false, failure: fault }
  return { ok: false, failure: failure('internal', `${missing} (HTTP ${status})`) }
}

/** Returns the id in an answer. Throws a TypeError for an answer without a usable id. */
export function idOf(created: { readonly id: unknown } | null): string {
  const id = created?.id
  if (typeof id !== 'string' || id === '' || id.length > 200) throw new TypeError('the answer has no id')
  return id
}

/** A line of a results file; the provider defines its other members, which are unchecked. */
export interface ResultLine {
  readonly custom_id: string
}

/** Thrown when results of a running batch are read. */
class NotEnded extends Error {}

/**
 * The failure of a line without a readable result. Not retryable: the file will not change, and the request of that line stays without a
 * result.
 */
const DAMAGED = {
  ok: false,
  failure: failure('internal', 'a line of the batch’s results could not be read'),
} as const satisfies Answered<BatchResult>

/**
 * Reads every line as a result. A damaged line is a failure in its place, and later lines are still read; where the reading itself breaks
 * off, the last item is a failure. That failure is retryable whatever its cause (a wrong key, say), because the results are paid for and
 * still stored; it is final only where the server does not have them.
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
      yield line === null ? DAMAGED : redactAll({ ok: true, ...resultOf(line) }, sdk.secret)
    }
  } catch (error) {
    yield redactAll({ ok: false, failure: brokenOff(error, sdk, signal) }, sdk.secret)
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

/** Bounds a line above every answer: single calls refuse a longer one. */
const MOST_LINE_BYTES = 16 * 1024 * 1024

/** Yields the lines of a results file as they arrive, null for a line too long for an answer. Memory holds at most one line and one chunk. */
export async function* readLines(
  file: AsyncIterable<Uint8Array> | null,
  mostBytes = MOST_LINE_BYTES,
): AsyncGenerator<string | null> {
  if (file === null) throw new TypeError('the answer has no body')
  for await (const { bytes } of splitLines(file, mostBytes)) yield bytes?.toString('utf8') ?? null
}

/** Parses a line; null without a custom id of at most 64 characters, the limit of this client's ids. */
function parseLine(text: string): ResultLine | null {
  try {
    const line = JSON.parse(text) as ResultLine | null
    return typeof line?.custom_id === 'string' && line.custom_id.length <= 64 ? line : null
  } catch {
    return null
  }
}

/** A provider's batch endpoint through its SDK, which throws errors. */
interface BatchEndpoint<Batch extends { readonly id: string }> {
  /** Returns the members of a line beside the custom id. */
  envelope(request: JudgeRequest): object
  submit(submission: Submission, signal: AbortSignal): Promise<Batch>
  retrieve(providerId: string, signal: AbortSignal): Promise<Batch>
  cancel(providerId: string, signal: AbortSignal): Promise<Batch>
  /** Throws a TypeError for an answer that is no batch. */
  stateOf(batch: Batch): BatchState
  /** Opens the files of an ended batch that hold its results. */
  open(batch: Batch, signal: AbortSignal): AsyncIterable<Response>
  resultOf(line: ResultLine): BatchResult
  /** Lists a page of batches, the newest first, behind an id. */
  list(after: string | undefined, signal: AbortSignal): Promise<Response>
  createdAt(batch: Batch): number
}

/** Makes the calls of such an endpoint, which never throw, but for `recent`. Each provider finds a submission again in a way of its own. */
export function callsOf<Batch extends { readonly id: string }>(sdk: Sdk, endpoint: BatchEndpoint<Batch>) {
  const poll: BatchCalls['poll'] = (id, signal) =>
    callBatch(sdk, signal, async () => endpoint.stateOf(await endpoint.retrieve(id, signal)), NO_SUCH_BATCH)
  async function* linesOf(id: string, signal: AbortSignal) {
    const batch = await endpoint.retrieve(id, signal)
    const { state } = endpoint.stateOf(batch)
    if (state === 'in_progress') throw new NotEnded()
    if (state === 'ended') for await (const file of endpoint.open(batch, signal)) yield* readLines(file.body)
  }
  const calls: Omit<BatchCalls, 'find'> = {
    encode: (customId, request) =>
      JSON.stringify({ custom_id: checkCustomId(customId), ...endpoint.envelope(request) }),
    submit: (submission, signal) =>
      callBatch(sdk, signal, async () => ({ provider_id: idOf(await endpoint.submit(submission, signal)) })),
    poll,
    results: (id, signal) => readResults(sdk, signal, linesOf(id, signal), endpoint.resultOf),
    async cancel(id, signal) {
      const cancel = async () => ({ id: idOf(await endpoint.cancel(id, signal)) })
      const cancelled = await callBatch(sdk, signal, cancel, NO_SUCH_BATCH)
      if (cancelled.ok) return { ok: true }
      // A batch that ended by itself meanwhile cannot be cancelled, and need not be.
      const now = await poll(id, signal)
      return now.ok && now.state !== 'in_progress' ? { ok: true } : cancelled
    },
  }
  return { ...calls, recent: (mark: SubmissionMark, signal: AbortSignal) => recentOf(endpoint, mark, signal) }
}

/**
 * Yields the batches created since a submission was recorded, from pages that are newest first. Reads on until a whole page is older, so that
 * neither a tie nor a small disorder hides a batch. Throws for an answer that is no list (a proxy's page, say) or an endless list: money
 * depends on the statement that a batch does not exist, so it must not be a guess.
 */
async function* recentOf<Batch extends { readonly id: string }>(
  { list, createdAt }: BatchEndpoint<Batch>,
  { recorded_at }: SubmissionMark,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const oldest = recorded_at.getTime() - CLOCK_SLACK_MS
  let after: string | undefined
  for (let read = 0; read < MOST_PAGES; read++) {
    const page = (await (await list(after, signal)).json()) as { data?: Batch[]; has_more?: boolean } | null
    if (!Array.isArray(page?.data)) throw new TypeError('the answer is no list')
    const recent = page.data.filter((batch) => !(createdAt(batch) < oldest))
    yield* recent
    if (recent.length === 0 || page.has_more !== true) return
    after = page.data.at(-1)?.id
  }
  throw new TypeError('the list of batches does not end')
}
