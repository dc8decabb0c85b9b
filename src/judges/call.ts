import type { JudgeReply } from '../ports/judge-ports.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { classifyHttp, failure, usageOfFault } from './failures.ts'
import { faultWords } from './fault-words.ts'
import { NOTHING_USED, neverSent, type Place, tellNoCredentials, tellTimeout, tellUnreachable } from './remedies.ts'
import { bodyAsItCame, rawOf, redact, redactFailure, redactReply } from './reply.ts'
import { bodyOf, wasSent } from './transport.ts'

/** An explicit time limit, which the SDKs want for what takes long and is not streamed; the caller’s signal is shorter. */
export const LONGEST_CALL_MS = 30 * 60_000

/** Classes of errors are told apart by class, not by name: those that the client itself throws, whatever copy of an SDK it came with. */
type ErrorClass = abstract new (...args: never[]) => Error
type ErrorName = 'APIError' | 'APIConnectionError' | 'APIConnectionTimeoutError' | 'APIUserAbortError'

/** How calls through one SDK fail, and the key that never gets into what is kept of them. */
export interface Sdk {
  readonly errors: Readonly<Record<ErrorName, ErrorClass>>
  readonly secret: string
  readonly place: Place
}

/** Why a call has no answer. */
interface CallFault {
  readonly failure: Failure
  /** Of an HTTP error. */
  readonly status: number | null
  readonly raw: string | null
  readonly usage: Usage | null
  readonly request_id: string | null
}

type Called<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: CallFault }

interface ApiErrorShape {
  readonly status: number | undefined
  readonly headers: Headers | undefined
  readonly error: unknown
  readonly code?: unknown
  readonly type?: unknown
  readonly requestID?: string | null
}

/** Makes one call and turns whatever it throws into a fault. */
export async function callProvider<T>(sdk: Sdk, signal: AbortSignal, call: () => Promise<T>): Promise<Called<T>> {
  try {
    return { ok: true, value: await call() }
  } catch (error) {
    return { ok: false, fault: describeError(error, sdk, signal) }
  }
}

/** The same for a question to a judge. */
export async function askProvider(sdk: Sdk, signal: AbortSignal, call: () => Promise<JudgeReply>): Promise<JudgeReply> {
  const called = await callProvider(sdk, signal, call)
  if (called.ok) return redactReply(called.value, sdk.secret)
  const { status, ...known } = called.fault
  return { ok: false, model_resolved: null, ...known }
}

export function describeError(error: unknown, { errors, secret, place }: Sdk, signal: AbortSignal): CallFault {
  if (error instanceof errors.APIConnectionTimeoutError || isTimeout(signal))
    return without('timeout', tellTimeout(place))
  if (error instanceof errors.APIUserAbortError || signal.aborted) return without('cancelled', 'the call was cancelled')
  if (error instanceof errors.APIConnectionError) return unconnected(error, place)
  if (error instanceof errors.APIError) {
    const { status, headers, error: body, code, type, requestID } = error as unknown as ApiErrorShape
    if (status === undefined) return without('judge_unreachable', `${place.host} broke off its answer`)
    const text = bodyOf(headers)
    // The SDK finds no error in the list that Gemini answers.
    const fault = { status, headers, ...faultWords({ code, type, body: body ?? parsedBody(text), headers }) }
    return {
      failure: redactFailure(classifyHttp(fault, place), secret),
      status,
      raw: redact(bodyAsItCame(text, secret) ?? rawOf(body), secret),
      usage: usageOfFault(fault),
      request_id: requestID == null ? null : redact(requestID, secret),
    }
  }
  // RangeError: nested too deeply for an SDK to write it into its own error.
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
    return without('judge_unreachable', `the answer of ${place.host} was cut off or is not what its API promises`)
  return without('internal', `the provider’s SDK threw ${(error as Error)?.name ?? 'something'}`)
}

function parsedBody(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

/** An SDK that finds credentials by itself fails like a connection where it finds none; then nothing of ours was sent. */
function unconnected(error: Error, place: Place): CallFault {
  const causes = causesOf(error)
  const code = causes
    .map((one) => ('code' in one && typeof one.code === 'string' ? one.code : null))
    .find((one) => one !== null)
  if (place.key_env === null && !causes.some(wasSent)) {
    const fault = code === undefined ? without('authentication', tellNoCredentials(place)) : unreachable(code, place)
    return { ...fault, usage: { ...NOTHING_USED } }
  }
  return unreachable(code ?? null, place)
}

function unreachable(code: string | null, place: Place): CallFault {
  const fault = without('judge_unreachable', tellUnreachable(code, place))
  return neverSent(code) ? { ...fault, usage: { ...NOTHING_USED } } : fault
}

function causesOf(error: Error): Error[] {
  const causes: Error[] = []
  for (let one: unknown = error; causes.length < 5 && one instanceof Error; one = one.cause) causes.push(one)
  return causes
}

const without = (...reason: Parameters<typeof failure>): CallFault => ({
  failure: failure(...reason),
  status: null,
  raw: null,
  usage: null,
  request_id: null,
})

const isTimeout = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
