import type { JudgeReply } from '../ports/judge-ports.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { classifyHttp, failure, NOTHING_USED, usageOfFault, wordsOf } from './failures.ts'
import { bodyAsItCame, rawOf, redact, redactFailure, redactReply } from './reply.ts'
import { bodyOf } from './transport.ts'

/** An explicit time limit, which the SDKs want for what takes long and is not streamed; the caller’s signal is shorter. */
export const LONGEST_CALL_MS = 30 * 60_000

/** What both SDKs’ error classes have in common; they are told apart by class, not by name. */
interface SdkErrors {
  readonly api: abstract new (...args: never[]) => Error
  readonly connection: abstract new (...args: never[]) => Error
  readonly timeout: abstract new (...args: never[]) => Error
  readonly abort: abstract new (...args: never[]) => Error
}

/** How calls through one SDK fail, and the key that never gets into what is kept of them. */
export interface Sdk {
  readonly errors: SdkErrors
  readonly secret: string
  /** Host of the base URL: where a call that could not be made would have gone. */
  readonly host: string
  /** The variable that holds the key. */
  readonly key_env: string
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
  readonly code?: string | null
  readonly type?: string | null
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

export function describeError(error: unknown, { errors, secret, host, key_env }: Sdk, signal: AbortSignal): CallFault {
  if (error instanceof errors.timeout || isTimeout(signal))
    return without('timeout', 'the provider did not answer in time')
  if (error instanceof errors.abort || signal.aborted) return without('cancelled', 'the call was cancelled')
  if (error instanceof errors.connection) {
    const fault = without(
      'judge_unreachable',
      `no connection to ${host}: check the base URL of the judge and the network`,
    )
    return neverConnected(error) ? { ...fault, usage: { ...NOTHING_USED } } : fault
  }
  if (error instanceof errors.api) {
    const { status, headers, error: body, code, type, requestID } = error as unknown as ApiErrorShape
    if (status === undefined) return without('judge_unreachable', 'the provider broke off its answer')
    const fault = { status, headers, code: wordOf(code), type: wordOf(type) }
    return {
      failure: redactFailure(namingKey(classifyHttp(fault), fault, { host, key_env }), secret),
      status,
      raw: redact(bodyAsItCame(bodyOf(headers), secret) ?? rawOf(body), secret),
      usage: usageOfFault(fault),
      request_id: requestID == null ? null : redact(requestID, secret),
    }
  }
  if (error instanceof SyntaxError || error instanceof TypeError)
    return without('judge_unreachable', 'the provider’s answer was cut off or is not what its API promises')
  return without('internal', `the provider’s SDK threw ${(error as Error)?.name ?? 'something'}`)
}

/** A refused key is told with the variable that holds it and the host that refused it: several judges may have several of both. */
function namingKey(
  failure: Failure,
  fault: Parameters<typeof classifyHttp>[0],
  { host, key_env }: Pick<Sdk, 'host' | 'key_env'>,
): Failure {
  if (failure.code !== 'authentication') return failure
  const todo = fault.status === 401 ? `set ${key_env}` : `look at what the key in ${key_env} may do`
  return { ...failure, message: `${todo}: ${host} answered ${fault.status}${wordsOf(fault)}` }
}

const UNCONNECTED: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** Whether the request surely never left: nothing was run, and nothing is owed. */
function neverConnected(error: unknown): boolean {
  let cause: unknown = error
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++, { cause } = cause) {
    if ('code' in cause && UNCONNECTED.includes(cause.code)) return true
  }
  return false
}

const without = (...reason: Parameters<typeof failure>): CallFault => ({
  failure: failure(...reason),
  status: null,
  raw: null,
  usage: null,
  request_id: null,
})

/** A provider’s word for something, if it is one. */
export const wordOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const isTimeout = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
