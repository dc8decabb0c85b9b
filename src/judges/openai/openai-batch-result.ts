import type { BatchResult } from '../../ports/batch-api.ts'
import type { JudgeReply } from '../../ports/judge-ports.ts'
import { type ResultLine, replyOrFailure, UNKNOWN } from '../batch-results.ts'
import { wordOf } from '../call.ts'
import { classifyHttp, failure, usageOfFault, wordsOf } from '../failures.ts'
import { rawOf } from '../reply.ts'
import type { OpenAiApi } from './openai-api.ts'

/** A line of an output file or an error file, as it is documented; nothing of it is sure. */
interface OutputLine extends ResultLine {
  readonly response?: { readonly status_code?: unknown; readonly request_id?: unknown; readonly body?: unknown } | null
  readonly error?: { readonly code?: unknown } | null
}

/** How the provider says that it never ran a request. */
const NEVER_RUN: ReadonlyMap<string | null, 'expired' | 'cancelled'> = new Map([
  ['batch_expired', 'expired'],
  ['batch_cancelled', 'cancelled'],
])

/** What a line of either file says of its request. */
export function resultOfOutput(line: ResultLine, api: OpenAiApi): BatchResult {
  const { custom_id, response, error } = line as OutputLine
  const end = NEVER_RUN.get(wordOf(error?.code))
  if (end !== undefined) return { custom_id, end, reply: null }
  const body = response?.body
  const requestId = wordOf(response?.request_id)
  const status = response?.status_code
  const reply =
    status === 200
      ? replyOrFailure(body, requestId, () => api.replyOf(body, requestId))
      : refused(typeof status === 'number' && status >= 300 ? status : null, line as OutputLine, requestId)
  return { custom_id, end: 'answered', reply }
}

function refused(status: number | null, { response, error }: OutputLine, requestId: string | null): JudgeReply {
  const said = (response?.body as { error?: { code?: unknown; type?: unknown } | null } | null | undefined)?.error
  const words = { code: wordOf(said?.code) ?? wordOf(error?.code), type: wordOf(said?.type) }
  const about = { ...UNKNOWN, raw: rawOf({ response, error }), request_id: requestId }
  if (status === null) {
    const message = `the provider did not run this request of the batch to its end${wordsOf(words)}`
    return { ok: false, failure: failure('judge_unreachable', message), ...about }
  }
  const fault = { status, headers: undefined, ...words }
  return { ok: false, failure: classifyHttp(fault), ...about, usage: usageOfFault(fault) }
}
