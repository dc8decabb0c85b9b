import type { JudgeReply } from '../grading/ports.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { classifyHttp, failure } from './failures.ts'

const MOST_RAW_CHARS = 1_000_000

/** What both SDKs’ error classes have in common; they are told apart by class, not by name. */
export interface SdkErrors {
  readonly api: abstract new (...args: never[]) => Error
  readonly connection: abstract new (...args: never[]) => Error
  readonly timeout: abstract new (...args: never[]) => Error
  readonly abort: abstract new (...args: never[]) => Error
}

interface ApiErrorShape {
  readonly status: number | undefined
  readonly headers: Headers | undefined
  readonly error: unknown
  readonly code?: string | null
  readonly type?: string | null
  readonly requestID?: string | null
}

/** Makes one call and turns whatever it throws into a reply. `secret` never gets into what is kept. */
export async function callProvider(
  errors: SdkErrors,
  secret: string,
  signal: AbortSignal,
  call: () => Promise<JudgeReply>,
): Promise<JudgeReply> {
  try {
    const reply = await call()
    return { ...reply, raw: reply.raw === null ? null : redact(reply.raw, secret) } as JudgeReply
  } catch (error) {
    return { ok: false, usage: null, model_resolved: null, ...describeError(error, errors, secret, signal) }
  }
}

function describeError(
  error: unknown,
  errors: SdkErrors,
  secret: string,
  signal: AbortSignal,
): { failure: Failure; raw: string | null; request_id: string | null } {
  const none = { raw: null, request_id: null }
  if (error instanceof errors.timeout || isTimeout(signal))
    return { failure: failure('timeout', 'the provider did not answer in time'), ...none }
  if (error instanceof errors.abort || signal.aborted)
    return { failure: failure('cancelled', 'the call was cancelled'), ...none }
  if (error instanceof errors.connection)
    return { failure: failure('judge_unreachable', 'the connection to the provider failed'), ...none }
  if (error instanceof errors.api) {
    const {
      status,
      headers,
      error: body,
      code = null,
      type = null,
      requestID = null,
    } = error as unknown as ApiErrorShape
    if (status === undefined)
      return { failure: failure('judge_unreachable', 'the provider broke off its answer'), ...none }
    const kinds = { code: typeof code === 'string' ? code : null, type: typeof type === 'string' ? type : null }
    return {
      failure: classifyHttp({ status, headers, ...kinds }),
      raw: redact(cap(JSON.stringify(body) ?? ''), secret),
      request_id: requestID,
    }
  }
  if (error instanceof SyntaxError || error instanceof TypeError) {
    return {
      failure: failure('judge_unreachable', 'the provider’s answer was cut off or is not what its API promises'),
      ...none,
    }
  }
  return { failure: failure('internal', `the provider’s SDK threw ${(error as Error)?.name ?? 'something'}`), ...none }
}

const isTimeout = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'

const cap = (text: string): string => (text.length > MOST_RAW_CHARS ? text.slice(0, MOST_RAW_CHARS) : text)

const redact = (text: string, secret: string): string => (secret === '' ? text : text.split(secret).join('[key]'))

export const rawOf = (body: unknown): string => cap(JSON.stringify(body))

export const failed = (
  code: Parameters<typeof failure>[0],
  message: string,
  body: unknown,
  about: { usage: Usage | null; model: string | null; request_id: string | null },
): JudgeReply => ({
  ok: false,
  failure: failure(code, message),
  raw: rawOf(body),
  usage: about.usage,
  model_resolved: about.model,
  request_id: about.request_id,
})
