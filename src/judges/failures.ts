import type { Failure } from '../schemas/grade.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'

const RETRYABLE: readonly FailureCode[] = [
  'judge_unreachable',
  'rate_limited',
  'timeout',
  'truncated',
  'schema_invalid',
  'quota_exhausted',
  'cancelled',
]

export const failure = (code: FailureCode, message: string, retryAfter: number | null = null): Failure => ({
  code,
  message,
  retryable: RETRYABLE.includes(code),
  retry_after_s: retryAfter,
})

/** What an HTTP error of a provider says, by status and by the provider’s own error code; never by its prose. */
export interface HttpFault {
  readonly status: number
  /** `error.code` of OpenAI. */
  readonly code: string | null
  /** `error.type` of either. */
  readonly type: string | null
  readonly headers: Headers | undefined
}

const QUOTA = ['insufficient_quota', 'billing_error', 'billing_hard_limit_reached']
const TOO_LONG = ['context_length_exceeded', 'string_above_max_length', 'request_too_large']

export function classifyHttp(fault: HttpFault): Failure {
  const words = [fault.code, fault.type].filter((word) => word !== null)
  const said = `the provider answered HTTP ${fault.status}${words.length > 0 ? ` (${words.join(', ')})` : ''}`
  const wait = retryAfterSeconds(fault.headers)
  const is = (known: readonly string[]) => words.some((word) => known.includes(word))
  if (is(QUOTA) || fault.status === 402) return failure('quota_exhausted', said, wait)
  if (is(TOO_LONG) || fault.status === 413) return failure('context_overflow', said)
  if (fault.status === 401 || fault.status === 403) return failure('authentication', said)
  if (fault.status === 429 || fault.status === 529) return failure('rate_limited', said, wait)
  if (fault.status === 408) return failure('timeout', said, wait)
  if (fault.status >= 500 || fault.status === 409) return failure('judge_unreachable', said, wait)
  if (fault.status >= 300 && fault.status < 400) return failure('judge_unreachable', `${said}: redirects are refused`)
  return failure('internal', `${said}: the request or the judge’s configuration is wrong`)
}

/** `retry-after-ms`, else `retry-after` as seconds or a date. */
export function retryAfterSeconds(headers: Headers | undefined, now = Date.now()): number | null {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms / 1000
  const value = headers?.get('retry-after')
  if (value === null || value === undefined || value === '') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000)
}
