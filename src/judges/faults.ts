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

/** The provider's own words for an error. */
interface FaultWords {
  /** The most specific code. */
  readonly code: string | null
  /** The more general type. */
  readonly type: string | null
  /** Seconds to wait, where only the body tells them. */
  readonly retry_after_s?: number | null
}

/** An HTTP error of a provider, by status and by the provider's own error code, never by its prose. */
interface HttpFault extends FaultWords {
  readonly status: number
  readonly headers: Headers | undefined
}

/** The codes of failures that the same question can survive later. */
const RETRYABLE: readonly FailureCode[] = [
  ...(['judge_unreachable', 'rate_limited', 'timeout', 'truncated', 'schema_invalid'] as const),
  ...(['quota_exhausted', 'cancelled'] as const),
]

export const failure = (code: FailureCode, message: string, retryAfter: number | null = null): Failure => ({
  code,
  message,
  retryable: RETRYABLE.includes(code),
  retry_after_s: retryAfter,
})

/** One kind of refused call: the words of providers or the statuses that tell it, and the remedy; without a remedy only waiting helps. */
interface Refusal {
  readonly code: FailureCode
  readonly words?: readonly string[]
  readonly statuses?: readonly number[]
  /** Every status from the first to before the second. */
  readonly range?: readonly [number, number]
  /** `Retry-After` tells when the call can succeed. */
  readonly waits?: true
  readonly remedy?: (place: Place, fault: HttpFault) => string
}

const FILTERED = ['content_filter', 'content_policy_violation']
/** Words for a wrong key, of providers that do not answer 401. */
const BAD_KEY: readonly string[] = [
  ...['API_KEY_INVALID', 'ExpiredTokenException', 'IncompleteSignature', 'InvalidClientTokenId'],
  ...['InvalidSignatureException', 'UnrecognizedClientException'],
]

/** The kinds of refused calls; the first that fits counts. */
const REFUSALS: readonly Refusal[] = [
  {
    code: 'quota_exhausted',
    // No later call helps until the account is paid, or a limit raised: https://help.openai.com/en/articles/6614457, and the `error_code` of
    // @anthropic-ai/sdk 1.11.0
    words: [
      ...['insufficient_quota', 'billing_error', 'billing_hard_limit_reached', 'credit_balance_exhausted'],
      ...['organization_spend_limit_exceeded', 'organization_usage_limit_exceeded', 'project_spend_limit_exceeded'],
      ...['contract_spend_limit_reached', 'enforced_spend_limit_reached', 'linked_organization_spend_limit_reached'],
    ],
    statuses: [402],
    waits: true,
    remedy: ({ host, provider, is_public }) => {
      const isOwn = !is_public && (provider === 'openai' || provider === 'anthropic')
      const payee = isOwn ? host : providerRow(provider).title
      return `no credit, or a limit of spending is reached at ${payee}: pay or raise it, then go on`
    },
  },
  {
    code: 'context_overflow',
    words: ['context_length_exceeded', 'string_above_max_length', 'request_too_large'],
    statuses: [413],
    remedy: ({ judge }) => `the request is too long: lower window_tokens of the judge ${judge}`,
  },
  { code: 'authentication', words: BAD_KEY, statuses: [401, 403], remedy: wrongKey },
  {
    code: 'rate_limited',
    // https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
    words: ['ThrottlingException', 'ServiceQuotaExceededException', 'ModelNotReadyException'],
    statuses: [429, 529],
    waits: true,
  },
  { code: 'timeout', statuses: [408], waits: true },
  { code: 'judge_unreachable', statuses: [409, 424], range: [500, 1000], waits: true },
  {
    code: 'judge_unreachable',
    range: [300, 400],
    waits: true,
    remedy: ({ judge }) => `redirects are refused; set base_url of the judge ${judge} to the last address`,
  },
  {
    code: 'refused',
    words: ['model_not_found', 'DeploymentNotFound', 'ResourceNotFoundException'],
    statuses: [404, 410],
    remedy: ({ judge, model, region, provider }) => {
      const thing = provider === 'azure' ? 'deployment' : 'model'
      const where = region === undefined ? '' : ` in ${region}`
      const setting = region === undefined ? 'model' : 'model or region'
      return `there is no ${thing} ${model}${where}, or no longer: set ${setting} of the judge ${judge} to one that is there`
    },
  },
  { code: 'refused', words: FILTERED, remedy: () => 'the request was refused' },
]

/** Words a refused key with the variable that holds it: a configuration may have several judges and keys. */
function wrongKey({ key_env, provider, region, model }: Place, { status, code }: HttpFault): string {
  const isRefused = status === 401 || (code !== null && BAD_KEY.includes(code))
  if (key_env !== null)
    return isRefused ? `replace the key in ${key_env}, it was refused` : `look at what the key in ${key_env} may do`
  const { credentials = 'credentials' } = providerRow(provider)
  return isRefused
    ? `renew the ${credentials}`
    : `look whether the ${credentials} may use ${model}${region === undefined ? '' : ` in ${region}`}`
}

function wrongRequest({ judge, structured_output, is_public }: Place): string {
  const remedy = `it refused the request; look at model and settings of the judge ${judge}`
  if (is_public || structured_output === 'none') return remedy
  return (
    `${remedy}, first at structured_output, which is ${structured_output}: ` +
    'a server that does not take the schema this way needs another value, or none'
  )
}

const isOneOf = ({ code, type }: FaultWords, words: readonly string[]): boolean =>
  [code, type].some((word) => word !== null && words.includes(word))

/** Classifies an HTTP error, in one line: the remedy, then the answer. `place`: the judge's place. */
export function classifyHttp(fault: HttpFault, place: Place): Failure {
  const { status, headers } = fault
  const kind = REFUSALS.find(
    ({ words = [], statuses = [], range: [from, to] = [0, 0] }) =>
      isOneOf(fault, words) || statuses.includes(status) || (status >= from && status < to),
  )
  const { code, waits = false, remedy } = kind ?? { code: 'refused', remedy: wrongRequest }
  const answer = `${place.host} answered ${status}${wordsOf(fault)}`
  const message = remedy === undefined ? answer : `${remedy(place, fault)}: ${answer}`
  return failure(code, message, waits ? (retryAfterSeconds(headers) ?? fault.retry_after_s ?? null) : null)
}

export const REDIRECTED = 'ERR_REDIRECTED'
const TLS = [
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'EPROTO'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'HOSTNAME_MISMATCH'],
]
const isTls = (code: string): boolean => TLS.includes(code) || /^(?:CERT_|ERR_TLS_|ERR_SSL_)/.test(code)

/** Words a failed connection, by the code of Node.js or undici. */
export function tellUnreachable(code: string | null, { host, judge }: Place): string {
  const base = `base_url of the judge ${judge}`
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `no address is known for ${host}: check ${base}, and the DNS of this machine`
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return `${host} answered with more bytes than a reply may have: check base_url and the output limit of the judge ${judge}`
    case 'ECONNREFUSED':
      return `nothing listens at ${host}: start the server there, or check ${base}`
    case REDIRECTED:
      return `${host} redirects, which would take the key to another place: set ${base} to the last address`
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no way to ${host} (${code}): check network, proxy and firewall, and ${base}`
  }
  return code !== null && isTls(code)
    ? `${host} shows no certificate that this machine trusts (${code}): check ${base}, or name the authority in NODE_EXTRA_CA_CERTS`
    : `no connection to ${host}: check ${base}, and the network`
}

const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']
/** Tells whether the request never left this machine, so that the provider charges nothing. */
export const neverSent = (code: string | null): boolean => code !== null && (UNSENT.includes(code) || isTls(code))

/** The form of a provider's code: no bare number, which repeats the status. Any other text could break the line, or be cut within a key. */
const CODE = /^(?!\d+$)[\w.:/-]{1,100}$/

/** Returns the provider's codes for people: they come from outside, so only texts in the form of a code are shown. */
export function wordsOf({ code, type }: FaultWords): string {
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

/**
 * Returns the usage of a refused call: nothing, where the provider's 4xx says that it did not begin. Providers do not bill such calls, and
 * an unknown cost would hold a budget's money for ever. Unknown (null) is every 5xx and every call without an answer, because the model may
 * have run; 408, 424 and 499, which concern the time or the model and not the request; and a content filter's refusal, because some
 * providers bill the filter's reading of the prompt.
 */
export function usageOfFault(fault: Pick<HttpFault, 'status' | 'code' | 'type'>): Usage | null {
  const refused = fault.status >= 400 && fault.status < 500 && ![408, 424, 499].includes(fault.status)
  return refused && !isOneOf(fault, FILTERED) ? { ...NOTHING_USED } : null
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
