import { LineSplitter } from '../domain/text/line-splitter.ts'
import type { Answered, BatchResult } from '../ports/batch-api.ts'
import type { JudgeReply, ReplyDetails } from '../ports/judge-ports.ts'
import type { Failure } from '../schemas/grade.ts'
import { NO_SUCH_BATCH } from './batch-calls.ts'
import { describeError, type Sdk } from './call.ts'
import { failure } from './failures.ts'
import { failed, redact, redactReply } from './reply.ts'

/** A line of a results file. What else it holds is the provider’s own. */
export interface ResultLine {
  readonly custom_id: string
}

/** Nothing is known of what was used. */
export const UNKNOWN: ReplyDetails = { usage: null, model_resolved: null, request_id: null }

/** Thrown by what opens the lines of a batch that runs still. */
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
export async function* readResults(
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
