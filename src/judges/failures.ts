import type { Failure, Usage } from '../schemas/grade.ts'
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
interface HttpFault {
  readonly status: number
  /** `error.code` of OpenAI. */
  readonly code: string | null
  /** `error.type` of either. */
  readonly type: string | null
  readonly headers: Headers | undefined
}

const QUOTA = ['insufficient_quota', 'billing_error', 'billing_hard_limit_reached']
const TOO_LONG = ['context_length_exceeded', 'string_above_max_length', 'request_too_large']
const FILTERED = ['content_filter', 'content_policy_violation']

export function classifyHttp(fault: HttpFault): Failure {
  const said = `the provider answered HTTP ${fault.status}${wordsOf(fault)}`
  const wait = retryAfterSeconds(fault.headers)
  const code = codeOf(fault)
  if (fault.status >= 300 && fault.status < 400) return failure(code, `${said}: redirects are refused`)
  if (code === 'refused')
    return failure(code, `${said}: it refused the request; look at the judge’s model and settings`)
  return failure(code, said, code === 'authentication' || code === 'context_overflow' ? null : wait)
}

function codeOf(fault: HttpFault): FailureCode {
  const is = (known: readonly string[]) => isOneOf(fault, known)
  if (is(QUOTA) || fault.status === 402) return 'quota_exhausted'
  if (is(TOO_LONG) || fault.status === 413) return 'context_overflow'
  if (fault.status === 401 || fault.status === 403) return 'authentication'
  if (fault.status === 429 || fault.status === 529) return 'rate_limited'
  if (fault.status === 408) return 'timeout'
  if (fault.status >= 500 || fault.status === 409) return 'judge_unreachable'
  return fault.status >= 300 && fault.status < 400 ? 'judge_unreachable' : 'refused'
}

/**
 * What a call that was refused has used: nothing, where the provider said by a 4xx that it did not begin. Providers do not bill those,
 * so zero is the truth and an unknown cost would hold a budget’s money for ever. Unknown (null) stays every 5xx and everything without
 * an answer, for there the model may have run; 408 and 499, which tell of time and not of the request; and what a content filter
 * stopped, since the filter’s own reading of the prompt is billed by some.
 */
export function usageOfFault(fault: Pick<HttpFault, 'status' | 'code' | 'type'>): Usage | null {
  const refused = fault.status >= 400 && fault.status < 500 && fault.status !== 408 && fault.status !== 499
  return refused && !isOneOf(fault, FILTERED) ? { ...NOTHING_USED } : null
}

export const NOTHING_USED: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
}

const isOneOf = ({ code, type }: Pick<HttpFault, 'code' | 'type'>, known: readonly string[]): boolean =>
  [code, type].some((word) => word !== null && known.includes(word))

/** The provider’s words, cut: they are for reading and come from outside. */
export function wordsOf({ code, type }: Pick<HttpFault, 'code' | 'type'>): string {
  const words = [code, type].flatMap((word) => (word === null ? [] : [word.slice(0, 100)]))
  return words.length > 0 ? ` (${words.join(', ')})` : ''
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
