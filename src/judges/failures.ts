import type { Failure, Usage } from '../schemas/grade.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'
import { BAD_KEY, type HttpFault, isFiltered, isOneOf, NOTHING_USED, type Place, tellRefusal } from './remedies.ts'

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

/** Money is at an end: no later call helps until the account is paid, or a limit raised. */
const QUOTA = [
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  // https://help.openai.com/en/articles/6614457
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'project_spend_limit_exceeded',
  // `error_code` of @anthropic-ai/sdk 1.11.0
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_spend_limit_reached',
]
const TOO_LONG = ['context_length_exceeded', 'string_above_max_length', 'request_too_large']
/** https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const RATE = ['ThrottlingException', 'ServiceQuotaExceededException', 'ModelNotReadyException']

/** `place`: where the judge is asked, for the line that says what to do. */
export function classifyHttp(fault: HttpFault, place: Place): Failure {
  const wait = retryAfterSeconds(fault.headers) ?? fault.retry_after_s ?? null
  const code = codeOf(fault)
  const waits = code !== 'authentication' && code !== 'context_overflow' && code !== 'refused'
  return failure(code, tellRefusal(code, fault, place), waits ? wait : null)
}

function codeOf(fault: HttpFault): FailureCode {
  const is = (known: readonly string[]) => isOneOf(fault, known)
  const { status } = fault
  if (is(QUOTA) || status === 402) return 'quota_exhausted'
  if (is(TOO_LONG) || status === 413) return 'context_overflow'
  if (status === 401 || status === 403 || is(BAD_KEY)) return 'authentication'
  if (status === 429 || status === 529 || is(RATE)) return 'rate_limited'
  if (status === 408) return 'timeout'
  if (status >= 500 || status === 409 || status === 424) return 'judge_unreachable'
  return status >= 300 && status < 400 ? 'judge_unreachable' : 'refused'
}

/**
 * What a call that was refused has used: nothing, where the provider said by a 4xx that it did not begin. Providers do not bill those,
 * so zero is the truth and an unknown cost would hold a budget’s money for ever. Unknown (null) stays every 5xx and everything without
 * an answer, for there the model may have run; 408, 424 and 499, which tell of time, of the model and not of the request; and what a
 * content filter stopped, since the filter’s own reading of the prompt is billed by some.
 */
export function usageOfFault(fault: Pick<HttpFault, 'status' | 'code' | 'type'>): Usage | null {
  const refused = fault.status >= 400 && fault.status < 500 && ![408, 424, 499].includes(fault.status)
  return refused && !isFiltered(fault) ? { ...NOTHING_USED } : null
}

/** `retry-after-ms`, else `retry-after` as seconds or a date. */
function retryAfterSeconds(headers: Headers | undefined, now = Date.now()): number | null {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms / 1000
  const value = headers?.get('retry-after')
  if (value === null || value === undefined || value === '') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000)
}
