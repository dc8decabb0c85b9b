import type { Usage } from '../schemas/grade.ts'
import { type Provider, providerRow } from '../schemas/providers.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'

/** Where a judge is asked, as the one line of a failure names it. Holds no key. */
export interface Place {
  /** The judge’s name in the configuration. */
  readonly judge: string
  readonly provider: Provider
  /** Host of the base URL: where a call that could not be made would have gone. */
  readonly host: string
  readonly model: string
  readonly region: string | undefined
  /** The variable that holds the key; null: the SDK finds credentials by itself. */
  readonly key_env: string | null
  readonly structured_output: string
  /** Whether it is the provider’s own server, and none that speaks like it. */
  readonly is_public: boolean
}

/** What an HTTP error of a provider says, by status and by the provider’s own error code; never by its prose. */
export interface HttpFault {
  readonly status: number
  /** The most exact word that it has for it. */
  readonly code: string | null
  /** The wider one. */
  readonly type: string | null
  readonly headers: Headers | undefined
  /** Seconds, where the body says them and no header does. */
  readonly retry_after_s?: number | null
}

/** The line for a call that was refused: what to do, then who answered what. */
export function tellRefusal(code: FailureCode, fault: HttpFault, place: Place): string {
  const said = `${place.host} answered ${fault.status}${wordsOf(fault)}`
  const todo = remedyFor(code, fault, place)
  return todo === null ? said : `${todo}: ${said}`
}

/** Null: there is nothing to do but to wait. */
function remedyFor(code: FailureCode, fault: HttpFault, place: Place): string | null {
  if (fault.status >= 300 && fault.status < 400)
    return `redirects are refused; set base_url of the judge ${place.judge} to the last address`
  if (code === 'refused' && isUnknownModel(fault)) return unknownModel(place)
  if (code === 'refused') return isFiltered(fault) ? 'the request was refused' : wrongRequest(place)
  const { title } = providerRow(place.provider)
  if (code === 'authentication') return wrongKey(fault, place)
  if (code === 'quota_exhausted')
    return `no credit, or a limit of spending is reached at ${title}: pay or raise it, then go on`
  if (code === 'context_overflow') return `the request is too long: lower window_tokens of the judge ${place.judge}`
  return null
}

/** A refused key is told with the variable that holds it: several judges may have several of both. */
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

/** What a connection that was not made is told with, by the code of Node.js or undici. */
export function tellUnreachable(code: string | null, { host, judge }: Place): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `no address is known for ${host}: check base_url of the judge ${judge}, and the DNS of this machine`
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

/** Of an SDK that looks for credentials by itself. */
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

/** Whether the request surely never left: nothing was run, and nothing is owed. */
export const neverSent = (code: string | null): boolean =>
  code !== null &&
  (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(
    code,
  ) ||
    isTls(code))

/** A key that is none, by the words of those who do not say it by 401. */
export const BAD_KEY: readonly string[] = [
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

export const isFiltered = (fault: Pick<HttpFault, 'code' | 'type'>): boolean => isOneOf(fault, FILTERED)

export const isOneOf = ({ code, type }: Pick<HttpFault, 'code' | 'type'>, known: readonly string[]): boolean =>
  [code, type].some((word) => word !== null && known.includes(word))

/** What a provider’s code looks like: a number is the status again. Anything else could break the line, or be cut within a key. */
const CODE = /^(?!\d+$)[\w.:/-]{1,100}$/

/** The provider’s words, for reading: they come from outside, and only those that are codes are told. */
export function wordsOf({ code, type }: Pick<HttpFault, 'code' | 'type'>): string {
  const words = [code, type].filter((word) => word !== null && CODE.test(word))
  return words.length > 0 ? ` (${words.join(', ')})` : ''
}

export const NOTHING_USED: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
}
