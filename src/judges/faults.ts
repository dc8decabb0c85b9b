import type { JudgeSettings } from '../config/judges.ts'
import { wordSet } from '../domain/words.ts'
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

/** The provider's own words for an error: the most specific code, and the more general type. */
interface FaultWords {
  readonly code: string | null
  readonly type: string | null
  /** Seconds to wait, where only the body tells them. */
  readonly retry_after_s?: number | null
}

/** An HTTP error of a provider, by status and by the provider's own error code, never by its prose. */
interface HttpFault extends FaultWords {
  readonly status: number
  readonly headers?: Headers
}

/** The codes of failures that the same question can survive later. */
const RETRYABLE: readonly FailureCode[] = [
  ...(['judge_unreachable', 'rate_limited', 'timeout', 'truncated', 'schema_invalid'] as const),
  ...(['quota_exhausted', 'cancelled'] as const),
]

export function failure(code: FailureCode, message: string, retry_after_s: number | null = null): Failure {
  return { code, message, retryable: RETRYABLE.includes(code), retry_after_s }
}

const FILTERED = 451
/** Statuses by the words of providers that tell the same. A word counts before the status of the answer, the code before the type. */
const STATUS_OF_WORD: ReadonlyMap<string, number> = new Map(
  Object.entries({
    401: `API_KEY_INVALID ExpiredTokenException IncompleteSignature InvalidClientTokenId
      InvalidSignatureException UnrecognizedClientException authentication_error`,
    // No later call helps until the account is paid, or a limit raised: https://help.openai.com/en/articles/6614457, and the `error_code` of
    // @anthropic-ai/sdk 1.11.0
    402: `insufficient_quota billing_error billing_hard_limit_reached credit_balance_exhausted
      organization_spend_limit_exceeded organization_usage_limit_exceeded project_spend_limit_exceeded
      contract_spend_limit_reached enforced_spend_limit_reached linked_organization_spend_limit_reached`,
    403: 'permission_error',
    404: 'model_not_found DeploymentNotFound ResourceNotFoundException not_found_error',
    413: 'context_length_exceeded string_above_max_length request_too_large exceed_context_size_error',
    // https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
    429: 'ThrottlingException ServiceQuotaExceededException ModelNotReadyException rate_limit_error',
    [FILTERED]: 'content_filter content_policy_violation',
    529: 'overloaded_error',
  }).flatMap(([status, words]) => [...wordSet(words)].map((word) => [word, Number(status)] as const)),
)

/** Returns the status that tells the kind of a refused call. */
const kindOf = ({ status, code, type }: Omit<HttpFault, 'headers'>): number =>
  STATUS_OF_WORD.get(code ?? '') ?? STATUS_OF_WORD.get(type ?? '') ?? status

/** The failure of each kind of refused call, by the status that tells the kind, with its remedy. */
const KINDS: Readonly<Record<number, readonly [FailureCode, remedyOf?: (place: Place) => string]>> = {
  401: ['authentication', (place) => (place.key_env === null ? `renew the ${credentialsOf(place)}` : wrongKey(place))],
  402: ['quota_exhausted', unpaid],
  403: ['authentication', forbidden],
  404: ['refused', unknownModel],
  408: ['timeout'],
  409: ['judge_unreachable'],
  410: ['refused', unknownModel],
  413: ['context_overflow', ({ judge }) => `the request is too long: lower window_tokens of the judge ${judge}`],
  424: ['judge_unreachable'],
  429: ['rate_limited'],
  [FILTERED]: ['refused', () => 'the request was refused'],
  529: ['rate_limited'],
}

/** Classifies an HTTP error, in one line: the remedy, then the answer. `place`: the judge's place. */
export function classifyHttp(fault: HttpFault, place: Place): Failure {
  const kind = kindOf(fault)
  const other = kind >= 500 ? undefined : kind < 400 ? redirected : wrongRequest
  const [code, remedyOf] = KINDS[kind] ?? [kind >= 500 || kind < 400 ? 'judge_unreachable' : 'refused', other]
  const answer = `${place.host} answered ${fault.status}${wordsOf(fault)}`
  const wait = retryAfterSeconds(fault.headers) ?? fault.retry_after_s ?? null
  return failure(code, remedyOf ? `${remedyOf(place)}: ${answer}` : answer, RETRYABLE.includes(code) ? wait : null)
}

const credentialsOf = ({ provider }: Place): string => providerRow(provider).credentials ?? 'credentials'
/** Words a refused key with the variable that holds it: a configuration may have several judges and keys. */
const wrongKey = ({ key_env }: Place): string => `replace the key in ${key_env}, it was refused`

function forbidden(place: Place): string {
  const { key_env, region, model } = place
  if (key_env !== null) return `look at what the key in ${key_env} may do`
  return `look whether the ${credentialsOf(place)} may use ${model}${region === undefined ? '' : ` in ${region}`}`
}

function unpaid({ host, provider, is_public }: Place): string {
  const isOwn = !is_public && (provider === 'openai' || provider === 'anthropic')
  const payee = isOwn ? host : providerRow(provider).title
  return `no credit, or a limit of spending is reached at ${payee}: pay or raise it, then go on`
}

const redirected = ({ judge }: Place): string =>
  `redirects are refused, as they would take the key to another place; set base_url of the judge ${judge} to the last address`

function unknownModel({ judge, model, region, provider }: Place): string {
  const thing = provider === 'azure' ? 'deployment' : 'model'
  const [where, setting] = region === undefined ? ['', 'model'] : [` in ${region}`, 'model or region']
  return `there is no ${thing} ${model}${where}, or no longer: set ${setting} of the judge ${judge} to one that is there`
}

function wrongRequest({ judge, structured_output, is_public }: Place): string {
  const remedy = `it refused the request; look at model and settings of the judge ${judge}`
  if (is_public || structured_output === 'none') return remedy
  return (
    `${remedy}, first at structured_output, which is ${structured_output}: ` +
    'a server that does not take the schema this way needs another value, or none'
  )
}

/**
 * Returns the usage of a refused call: nothing, where the provider's 4xx says that it did not begin, because an unknown cost would hold a budget's money
 * for ever. Unknown (null) is every 5xx, because the model may have run; 408, 424 and 499, which concern the time or the model and not the request; and
 * a content filter's refusal, because some providers bill the filter's reading of the prompt.
 */
export function usageOfFault(fault: HttpFault): Usage | null {
  const isRefused = fault.status >= 400 && fault.status < 500 && ![408, 424, 499].includes(fault.status)
  return isRefused && kindOf(fault) !== FILTERED ? { ...NOTHING_USED } : null
}

export const NOTHING_USED: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }

/** The form of a provider's code: no bare number, which repeats the status. Any other text could break the line, or be cut within a key. */
const CODE = /^(?!\d+$)[\w.:/-]{1,100}$/

/** Returns the provider's codes for people: they come from outside, so only texts in the form of a code are shown. */
export function wordsOf({ code, type }: FaultWords): string {
  const words = [...new Set([code, type])].filter((word) => word !== null && CODE.test(word))
  return words.length > 0 ? ` (${words.join(', ')})` : ''
}

/** Bounds a word above every code, model or id of a provider. */
const MOST_WORD_CHARS = 1000

/** Accepts a provider’s word: a text of bounded length. */
export const wordOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MOST_WORD_CHARS ? value : null

/** Reads an error’s words: `code`, `type`, `details.error_code`, `status`, a `reason` of `details` (google.aip.dev/193), or a header. */
export function faultWords(body: unknown, headers?: Headers): FaultWords {
  const answer = membersOf(Array.isArray(body) ? body[0] : body)
  const error = membersOf(answer['error'] ?? answer)
  const details = error['details']
  const list = Array.isArray(details) ? details.slice(0, 20).map(membersOf) : []
  const exact = wordOf(membersOf(details)['error_code']) ?? findWord(list, 'reason')
  return {
    code: exact ?? wordOf(error['code']) ?? amazonWord(headers),
    type: wordOf(error['type']) ?? wordOf(error['status']),
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

/** Reads `retry-after-ms`, else `retry-after` as seconds or a date. */
function retryAfterSeconds(headers: Headers | undefined): number | null {
  const [ms, text] = [headers?.get('retry-after-ms'), headers?.get('retry-after')]
  const seconds = ms ? Number(ms) / 1000 : text ? Number(text) : Number.NaN
  const wait = Number.isNaN(seconds) ? (Date.parse(text ?? '') - Date.now()) / 1000 : seconds
  return Number.isFinite(wait) ? Math.max(0, wait) : null
}
