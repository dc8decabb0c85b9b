import type { JudgeSettings } from '../config/judges.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { providerRow } from '../schemas/providers.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'

/** The place of a judge's calls, for the one line of a failure. Holds no key. */
export type Place = Pick<JudgeSettings, 'provider' | 'model' | 'region' | 'key_env' | 'structured_output'> & {
  /** The judge’s name in the configuration. */
  readonly judge: string
  /** Host of the base URL, named in the failure of a call that could not be made. */
  readonly host: string
  /** True for the provider's own server, false for a compatible one. */
  readonly is_public: boolean
}

/** An HTTP error of a provider, by status and by the provider's own error code, never by its prose. */
export interface HttpFault {
  readonly status: number
  /** The most specific code. */
  readonly code: string | null
  /** The more general type. */
  readonly type: string | null
  readonly headers: Headers | undefined
  /** Seconds to wait, where only the body tells them. */
  readonly retry_after_s?: number | null
}

/** Words a refused call in one line: the remedy, then the answer. */
function tellRefusal(code: FailureCode, fault: HttpFault, place: Place): string {
  const answer = `${place.host} answered ${fault.status}${wordsOf(fault)}`
  const todo = remedyFor(code, fault, place)
  return todo === null ? answer : `${todo}: ${answer}`
}

/** Finds the remedy of a refused call; null: waiting is the only remedy. */
function remedyFor(code: FailureCode, fault: HttpFault, place: Place): string | null {
  if (fault.status >= 300 && fault.status < 400)
    return `redirects are refused; set base_url of the judge ${place.judge} to the last address`
  if (code === 'refused' && isUnknownModel(fault)) return unknownModel(place)
  if (code === 'refused') return isFiltered(fault) ? 'the request was refused' : wrongRequest(place)
  if (code === 'authentication') return wrongKey(fault, place)
  if (code === 'quota_exhausted') {
    const isOwn = !place.is_public && (place.provider === 'openai' || place.provider === 'anthropic')
    const where = isOwn ? place.host : providerRow(place.provider).title
    return `no credit, or a limit of spending is reached at ${where}: pay or raise it, then go on`
  }
  if (code === 'context_overflow') return `the request is too long: lower window_tokens of the judge ${place.judge}`
  return null
}

/** Words a refused key with the variable that holds it: a configuration may have several judges and keys. */
function wrongKey({ status, code }: HttpFault, { key_env, provider, region, model }: Place): string {
  const refused = status === 401 || (code !== null && BAD_KEY.includes(code))
  if (key_env !== null)
    return refused ? `replace the key in ${key_env}, it was refused` : `look at what the key in ${key_env} may do`
  const { credentials = 'credentials' } = providerRow(provider)
  return refused
    ? `renew the ${credentials}`
    : `look whether the ${credentials} may use ${model}${region === undefined ? '' : ` in ${region}`}`
}

function unknownModel({ judge, model, region, provider }: Place): string {
  const where = region === undefined ? '' : ` in ${region}`
  const what = provider === 'azure' ? 'deployment' : 'model'
  return `there is no ${what} ${model}${where}, or no longer: set ${region === undefined ? 'model' : 'model or region'} of the judge ${judge} to one that is there`
}

function wrongRequest({ judge, structured_output, is_public }: Place): string {
  if (is_public || structured_output === 'none')
    return `it refused the request; look at model and settings of the judge ${judge}`
  return (
    `it refused the request; look at model and settings of the judge ${judge}, first at structured_output, which is ` +
    `${structured_output}: a server that does not take the schema this way needs another value, or none`
  )
}

/** Words a failed connection, by the code of Node.js or undici. */
export function tellUnreachable(code: string | null, { host, judge }: Place): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `no address is known for ${host}: check base_url of the judge ${judge}, and the DNS of this machine`
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return `${host} answered with more bytes than a reply may have: check base_url and the output limit of the judge ${judge}`
  if (code === 'ECONNREFUSED')
    return `nothing listens at ${host}: start the server there, or check base_url of the judge ${judge}`
  if (code !== null && isTls(code))
    return `${host} shows no certificate that this machine trusts (${code}): check base_url of the judge ${judge}, or name the authority in NODE_EXTRA_CA_CERTS`
  if (code === REDIRECTED)
    return `${host} redirects, which would take the key to another place: set base_url of the judge ${judge} to the last address`
  if (code !== null && NO_WAY.includes(code))
    return `there is no way to ${host} (${code}): check network, proxy and firewall, and base_url of the judge ${judge}`
  return `no connection to ${host}: check base_url of the judge ${judge}, and the network`
}

export const tellTimeout = ({ host, judge }: Place): string =>
  `${host} did not answer in time: ask the judge ${judge} less at once (concurrency), or raise retry.call_timeout_ms`

/** Words missing credentials of an SDK that finds its own. */
export const tellNoCredentials = ({ provider, judge }: Place): string =>
  `there are no ${providerRow(provider).credentials ?? 'credentials'} for the judge ${judge}`

export const REDIRECTED = 'ERR_REDIRECTED'
const NO_WAY = ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']
const TLS = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'HOSTNAME_MISMATCH',
  'EPROTO',
]
const isTls = (code: string): boolean => TLS.includes(code) || /^(?:CERT_|ERR_TLS_|ERR_SSL_)/.test(code)

/** Tells whether the request never left this machine, so that the provider charges nothing. */
export const neverSent = (code: string | null): boolean =>
  code !== null &&
  (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(
    code,
  ) ||
    isTls(code))

/** Words for a wrong key, of providers that do not answer 401. */
const BAD_KEY: readonly string[] = [
  'API_KEY_INVALID',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'UnrecognizedClientException',
]
const FILTERED = ['content_filter', 'content_policy_violation']
const NO_MODEL = ['model_not_found', 'DeploymentNotFound', 'ResourceNotFoundException']

const isUnknownModel = (fault: HttpFault): boolean =>
  fault.status === 404 || fault.status === 410 || isOneOf(fault, NO_MODEL)

const isFiltered = (fault: Pick<HttpFault, 'code' | 'type'>): boolean => isOneOf(fault, FILTERED)

const isOneOf = ({ code, type }: Pick<HttpFault, 'code' | 'type'>, known: readonly string[]): boolean =>
  [code, type].some((word) => word !== null && known.includes(word))

/** The form of a provider's code: no bare number, which repeats the status. Any other text could break the line, or be cut within a key. */
const CODE = /^(?!\d+$)[\w.:/-]{1,100}$/

/** Returns the provider's codes for people: they come from outside, so only texts in the form of a code are shown. */
export function wordsOf({ code, type }: Pick<HttpFault, 'code' | 'type'>): string {
  const words = [...new Set([code, type])].filter((word) => word !== null && CODE.test(word))
  return words.length > 0 ? ` (${words.join(', ')})` : ''
}

export const NOTHING_USED: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
}

/** Bounds a word above every code, model or id of a provider. */
const MOST_WORD_CHARS = 1000

/** Accepts a provider’s word: a text of bounded length. */
export const wordOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MOST_WORD_CHARS ? value : null

/** The words of an SDK's error, with body and headers of the answer. */
interface ErrorParts {
  readonly code?: unknown
  readonly type?: unknown
  readonly body: unknown
  readonly headers: Headers | undefined
}

interface FaultWords {
  readonly code: string | null
  readonly type: string | null
  readonly retry_after_s: number | null
}

/**
 * Reads the words of an error from the place where its provider writes them: `code` and `type` (OpenAI, Azure), `type` and
 * `details.error_code` (Anthropic), `status` and the `reason` in a list of `details` (Google, https://google.aip.dev/193), a header
 * (Amazon).
 */
export function faultWords({ code, type, body, headers }: ErrorParts): FaultWords {
  const error = membersOf(
    membersOf(body)['error'] ?? (Array.isArray(body) ? membersOf(body[0])['error'] : undefined) ?? body,
  )
  const details = error['details']
  const list = Array.isArray(details) ? details.slice(0, 20).map(membersOf) : []
  const exact = wordOf(membersOf(details)['error_code']) ?? findWord(list, 'reason')
  return {
    code: exact ?? wordOf(code) ?? wordOf(error['code']) ?? amazonWord(headers),
    type: wordOf(type) ?? wordOf(error['type']) ?? wordOf(error['status']),
    retry_after_s: secondsOf(findWord(list, 'retryDelay')),
  }
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const findWord = (list: readonly Readonly<Record<string, unknown>>[], name: string): string | null =>
  list.map((record) => wordOf(record[name])).find((word) => word !== null) ?? null

/** Returns the code of Amazon's header: `ThrottlingException:http://internal.amazon.com/coral/…`. */
const amazonWord = (headers: Headers | undefined): string | null =>
  headers?.get('x-amzn-errortype')?.slice(0, 200).split(':')[0] ?? null

/** Parses google.rpc.RetryInfo's duration: `34s`. */
const secondsOf = (text: string | null): number | null =>
  text !== null && /^\d{1,6}(?:\.\d{1,9})?s$/.test(text) ? Number(text.slice(0, -1)) : null

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

/** Codes of exhausted money: no later call helps until the account is paid, or a limit raised. */
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

/** Classifies an HTTP error. `place`: the judge's place, for the line with the remedy. */
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
 * Returns the usage of a refused call: nothing, where the provider's 4xx says that it did not begin. Providers do not bill such calls, and
 * an unknown cost would hold a budget's money for ever. Unknown (null) is every 5xx and every call without an answer, because the model may
 * have run; 408, 424 and 499, which concern the time or the model and not the request; and a content filter's refusal, because some
 * providers bill the filter's reading of the prompt.
 */
export function usageOfFault(fault: Pick<HttpFault, 'status' | 'code' | 'type'>): Usage | null {
  const refused = fault.status >= 400 && fault.status < 500 && ![408, 424, 499].includes(fault.status)
  return refused && !isFiltered(fault) ? { ...NOTHING_USED } : null
}

/** Reads `retry-after-ms`, else `retry-after` as seconds or a date. */
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
