import { isStandardTier } from '../domain/money/price.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { providerRow } from '../schemas/providers.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'
import {
  classifyHttp,
  failure,
  faultWords,
  NOTHING_USED,
  neverSent,
  type Place,
  tellUnreachable,
  usageOfFault,
} from './faults.ts'
import type { JudgeReply, ReplyDetails } from './judge.ts'
import { bodyOf } from './transport.ts'

const MOST_RAW_CHARS = 1_000_000

/** Makes the reply of an answer. Throws a TypeError where the text is no text: a provider's types are not checked. */
export function answered(text: string, body: unknown, about: ReplyDetails): JudgeReply {
  if (typeof text !== 'string') throw new TypeError('the text of the answer is not text')
  return { ok: true, text, raw: rawOf(body), ...about }
}

/** Makes the reply of an answer that is no answer to the question. */
export const failed = (failure: Failure, body: unknown, about: ReplyDetails): JudgeReply => ({
  ...about,
  ...{ ok: false, failure, raw: rawOf(body) },
})

/** The ways in which a model ends without an answer. */
const ENDS = {
  refusal: failure('refused', 'the model refused to answer'),
  filter: failure('refused', 'the provider’s filter stopped the answer'),
  limit: failure('truncated', 'the answer reached the output limit'),
  window: failure('context_overflow', 'the request and its answer do not fit the model’s window'),
  broken: failure('judge_unreachable', 'the provider failed while it answered'),
  empty: failure('judge_unreachable', 'the provider answered without a choice'),
  unknown: failure('internal', 'the model stopped for a reason that this version does not know'),
} as const

export const ended = (end: keyof typeof ENDS, body: unknown, about: ReplyDetails): JudgeReply =>
  failed(ENDS[end], body, about)

/** Details of a reply of unknown usage. */
export const UNKNOWN: ReplyDetails = { usage: null, model_resolved: null, request_id: null }

/** Reads reported token counts; null if a value is no count. */
export function usageFrom(input: unknown, output: unknown, cacheRead: unknown, cacheWrite: unknown): Usage | null {
  if (!isCount(input) || !isCount(output) || !isCount(cacheRead) || !isCount(cacheWrite)) return null
  return { input_tokens: input, output_tokens: output, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Reads a reported count; 0 for any other value. */
export const countOf = (value: unknown): number => (isCount(value) ? value : 0)

/** Reads the service tier of a call for its record: absent for the usual tier. The cost of a call of another tier is unknown. */
export const servedTier = (served: unknown): { readonly service_tier?: string } =>
  typeof served === 'string' && /^[a-z_]{1,40}$/.test(served) && !isStandardTier(served) ? { service_tier: served } : {}

/** Returns the body of an error unchanged; rewritten only where that reveals the secret behind escapes. */
function bodyAsItCame(text: string, body: unknown, secret: string): string {
  if (text.length > MOST_RAW_CHARS || body === undefined) return text.slice(0, MOST_RAW_CHARS)
  const again = rawOf(body)
  return again.split(secret).length > text.split(secret).length ? again : text
}

/** Writes a body to be kept, cut at a size that no honest answer reaches. */
function rawOf(body: unknown): string {
  try {
    const text = JSON.stringify(body) ?? ''
    return text.length > MOST_RAW_CHARS ? text.slice(0, MOST_RAW_CHARS) : text
  } catch {
    // The body was parsed from JSON, so only its depth can fail: parsing is iterative, writing is not.
    return '"(nested too deeply to be kept)"'
  }
}

/**
 * Shortest secret that is redacted: a shorter one occurs in texts by chance, and its removal would change the judge's text. No provider has
 * such keys.
 */
const SHORTEST_SECRET = 8

/** Removes the secret from every text of a value that is kept. */
export function redactAll<T>(value: T, secret: string): T {
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') return redact(one, secret)
    if (typeof one !== 'object' || one === null) return one
    if (Array.isArray(one)) return one.map(clean)
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, clean(member)]))
  }
  return secret.length < SHORTEST_SECRET ? value : (clean(value) as T)
}

/** Removes the secret from a text, and its beginning, where the text was cut within the secret. */
function redact(text: string, secret: string): string {
  const whole = text.split(secret).join('[key]')
  for (let most = secret.length - 1; most >= SHORTEST_SECRET; most--)
    if (whole.endsWith(secret.slice(0, most))) return `${whole.slice(0, -most)}[key]`
  return whole
}

/** The explicit time limit that SDKs need for long calls without streaming; the caller's signal ends a call earlier. */
export const LONGEST_CALL_MS = 30 * 60_000

/** Classes of errors, compared by class and not by name: the client itself throws them, whatever copy of the SDK it came with. */
type ErrorClass = abstract new (...args: never[]) => Error
type ErrorName = 'APIError' | 'APIConnectionError' | 'APIConnectionTimeoutError' | 'APIUserAbortError'

/** The errors of an SDK, and the key that must never be kept. */
export interface Sdk {
  readonly errors: Readonly<Record<ErrorName, ErrorClass>>
  readonly secret: string
  readonly place: Place
}

/** The fault of a call without an answer. */
interface CallFault extends Omit<ReplyDetails, 'model_resolved'> {
  readonly failure: Failure
  /** The status of an HTTP error. */
  readonly status: number | null
  readonly raw: string | null
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

/** Makes a call, and turns an error into a fault; neither holds the secret. */
export async function callProvider<T>(sdk: Sdk, signal: AbortSignal, call: () => Promise<T>): Promise<Called<T>> {
  try {
    return redactAll({ ok: true, value: await call() }, sdk.secret)
  } catch (error) {
    return redactAll({ ok: false, fault: describeError(error, sdk, signal) }, sdk.secret)
  }
}

/** Asks a judge, and turns an error into a failed reply. */
export async function askProvider(sdk: Sdk, signal: AbortSignal, call: () => Promise<JudgeReply>): Promise<JudgeReply> {
  const called = await callProvider(sdk, signal, call)
  if (called.ok) return called.value
  const { status, ...known } = called.fault
  return { ok: false, model_resolved: null, ...known }
}

export function describeError(error: unknown, { errors, secret, place }: Sdk, signal: AbortSignal): CallFault {
  if (error instanceof errors.APIConnectionTimeoutError || isTimeout(signal))
    return without(
      'timeout',
      `${place.host} did not answer in time: ask the judge ${place.judge} less at once (concurrency), or raise retry.call_timeout_ms`,
    )
  if (error instanceof errors.APIUserAbortError || signal.aborted) return without('cancelled', 'the call was cancelled')
  if (error instanceof errors.APIConnectionError) return unconnected(error, place)
  if (error instanceof errors.APIError) {
    const { status, headers, error: body, code, type, requestID } = error as unknown as ApiErrorShape
    if (status === undefined) return without('judge_unreachable', `${place.host} broke off its answer`)
    const text = bodyOf(headers)
    const parsed = parsedBody(text)
    // The SDK finds no error in the list that Gemini answers.
    const fault = { status, headers, ...faultWords({ code, type, body: body ?? parsed, headers }) }
    return {
      failure: classifyHttp(fault, place),
      status,
      raw: text === null ? rawOf(body) : bodyAsItCame(text, parsed, secret),
      usage: usageOfFault(fault),
      request_id: requestID ?? null,
    }
  }
  // RangeError: the SDK cannot write a deeply nested body into its own error.
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
    return without('judge_unreachable', `the answer of ${place.host} was cut off or is not what its API promises`)
  return without('internal', `the provider’s SDK threw ${(error as Error)?.name ?? 'something'}`)
}

/** Parses a body; undefined for a body that is no JSON. */
function parsedBody(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** Describes a failed connection. An SDK that finds its own credentials fails likewise without them, with no code of a connection: no bytes were sent. */
function unconnected(error: Error, place: Place): CallFault {
  const causes: (Error & { readonly code?: unknown })[] = []
  for (let cause: unknown = error; causes.length < 5 && cause instanceof Error; cause = cause.cause) causes.push(cause)
  const code = causes.map((cause) => cause.code).find((code) => typeof code === 'string') ?? null
  if (code !== null || place.key_env !== null) {
    const fault = without('judge_unreachable', tellUnreachable(code, place))
    return neverSent(code) ? { ...fault, usage: { ...NOTHING_USED } } : fault
  }
  const { credentials = 'credentials' } = providerRow(place.provider)
  const fault = without('authentication', `there are no ${credentials} for the judge ${place.judge}`)
  return { ...fault, usage: { ...NOTHING_USED } }
}

const without = (code: FailureCode, message: string): CallFault => ({
  failure: failure(code, message),
  ...{ status: null, raw: null, usage: null, request_id: null },
})

const isTimeout = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
