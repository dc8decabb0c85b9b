import { parseJson } from '../domain/text/json.ts'
import { splitLines } from '../domain/text/line-splitter.ts'
import type { BatchLimits } from '../schemas/providers.ts'
import { type Exchange, faultOf, openExchange, rawOf, within } from './call.ts'
import { failure, type Place } from './faults.ts'
import type { Answer, BatchApi, BatchResult, BatchState, JudgeRequest, Submission } from './judge.ts'
import { BatchFailure } from './judge.ts'

/** The reply in a line of a results file, without the line. */
export type LineReply = Answer & { readonly request_id: string | null }

/** A provider's batch endpoint through its SDK, which throws errors. An answer of another form is a TypeError. */
export interface BatchEndpoint<Batch> {
  /** Returns the members of a line beside the custom id. */
  envelope(request: JudgeRequest): object
  submit(submission: Submission, signal: AbortSignal): Promise<Batch>
  poll(providerId: string, signal: AbortSignal): Promise<BatchState>
  cancel(providerId: string, signal: AbortSignal): Promise<unknown>
  download(file: string, signal: AbortSignal): Promise<Response>
  /** Reads the reply in a line, whose members are unchecked; null: the request was never run. */
  readLine(line: object): LineReply | null
  /** Lists a page of batches, the newest first, behind an id. */
  list(after: string | undefined, signal: AbortSignal): Promise<Response>
  createdAt(batch: Batch): number
  /** Tells whether a batch is of a submission; null: only the results tell, which `results` reads, and there are none yet. */
  isOf(
    batch: Batch,
    submission: Submission,
    results: (files: readonly string[]) => AsyncIterable<BatchResult>,
  ): Promise<boolean | null>
}

/** Tolerated lag of a provider’s clock. */
const CLOCK_SLACK_MS = 10 * 60_000
const MOST_PAGES = 1000
/** Bounds a provider's detail of a batch for display. */
const MOST_DETAIL_CHARS = 1000
/** Bounds a line above every answer: single calls refuse a longer one. */
const MOST_LINE_BYTES = 16 * 1024 * 1024
/** Bounds a custom id: this client makes shorter ones. */
const MOST_ID_CHARS = 64

const MALFORMED = failure('judge_unreachable', 'the provider’s answer is not what its API promises')
/** The failure while a batch that may be the submission still runs. */
const NOT_YET_KNOWN = failure('judge_unreachable', 'a batch that may be this one has not ended: only its results tell')

/** Makes the calls of such an endpoint. */
export function batchApi<Batch extends { readonly id: string }>(
  limits: BatchLimits,
  place: Place,
  endpoint: BatchEndpoint<Batch>,
): BatchApi {
  async function* results(files: readonly string[], signal: AbortSignal): AsyncGenerator<BatchResult> {
    const exchange = openExchange()
    try {
      for (const name of files) {
        const file = await within(exchange, () => endpoint.download(name, signal))
        // A line too long for an answer is skipped. A TypeError where there is no body: null is no iterable.
        for await (const { bytes } of splitLines(file.body as AsyncIterable<Uint8Array>, MOST_LINE_BYTES)) {
          const result = resultIn(exchange.clean(bytes?.toString() ?? ''), endpoint)
          if (result !== null) yield result
        }
      }
    } catch (error) {
      // A reading can be repeated, whatever broke it off (a wrong key, say): the results are paid for and still stored.
      const { failure: fault } = faultOf(exchange, error, place, signal)
      if (!isMissing(exchange, signal)) throw new BatchFailure({ ...fault, retryable: true })
    }
  }

  return {
    ...limits,
    results,
    encode: (custom_id, request) => JSON.stringify({ custom_id, ...endpoint.envelope(request) }),
    submit: (submission, signal) =>
      callBatch(place, signal, async () => idOf(await endpoint.submit(submission, signal))),
    poll: (id, signal) =>
      callBatch(place, signal, async () => {
        const state = await endpoint.poll(id, signal)
        return { ...state, detail: state.detail.slice(0, MOST_DETAIL_CHARS) }
      }),
    cancel: (id, signal) => callBatch(place, signal, () => endpoint.cancel(id, signal)).catch(() => undefined),
    find: (submission, signal) =>
      callBatch(place, signal, async () => {
        let isUnknown = false
        for await (const batch of recentOf(endpoint, submission, signal)) {
          const isOurs = await endpoint.isOf(batch, submission, (files) => results(files, signal))
          if (isOurs === true) return idOf(batch)
          isUnknown ||= isOurs === null
        }
        if (isUnknown) throw new BatchFailure(NOT_YET_KNOWN)
        return null
      }),
  }
}

/** Tells the answer of a server that does not know the path, or will never return the batch again. */
const isMissing = ({ status }: Exchange, signal: AbortSignal): boolean =>
  !signal.aborted && [404, 405, 410, 501].includes(status ?? 0)

/** Makes one call of a batch endpoint, whose failure is a BatchFailure. */
async function callBatch<T>(place: Place, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  const exchange = openExchange()
  try {
    return await within(exchange, call)
  } catch (error) {
    if (error instanceof BatchFailure) throw error
    if (!isMissing(exchange, signal)) throw new BatchFailure(faultOf(exchange, error, place, signal).failure)
    const words = `this server has no batch endpoint, or does not know the batch (HTTP ${exchange.status})`
    throw new BatchFailure(failure('internal', words))
  }
}

/** Returns the id in an answer. Throws a TypeError for an answer without a usable id. */
function idOf(created: { readonly id: unknown } | null): string {
  const id = created?.id
  if (typeof id !== 'string' || id === '' || id.length > 200) throw new TypeError('the answer has no id')
  return id
}

/** Reads a line; null without a custom id of this client. A malformed answer fails its own request, not its batch. */
function resultIn(text: string, { readLine }: Pick<BatchEndpoint<never>, 'readLine'>): BatchResult | null {
  const line = parseJson(text) as { readonly custom_id?: unknown } | null | undefined
  const custom_id = line?.custom_id
  if (!line || typeof custom_id !== 'string' || custom_id.length > MOST_ID_CHARS) return null
  const raw = rawOf(text)
  try {
    const reply = readLine(line)
    return { custom_id, reply: reply && { ...reply, raw } }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const about = { raw, usage: null, model_resolved: null, request_id: null }
    return { custom_id, reply: { ok: false, failure: MALFORMED, ...about } }
  }
}

/** Yields the batches since a submission until a whole page is older, so that no tie hides one. Throws for an answer that is no list, or endless: money depends on it. */
async function* recentOf<Batch extends { readonly id: string }>(
  { list, createdAt }: BatchEndpoint<Batch>,
  { recorded_at }: Submission,
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
