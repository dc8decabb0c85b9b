import { BlobError } from '../ports/blob-ports.ts'

/** What is known of a failed request. What a server writes in its messages is not: it may repeat what was signed with. */
interface S3Failure {
  /** Such as `NoSuchKey`, `ECONNRESET` or `TimeoutError`; null: none that is plain. */
  readonly name: string | null
  readonly status: number | null
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_.]{0,59}$/

export function readFailure(error: unknown): S3Failure {
  const { name, code, $metadata } = (error ?? {}) as { name?: unknown; code?: unknown; $metadata?: unknown }
  const status = ($metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode
  const plain = [code, name].find((one) => typeof one === 'string' && one !== 'Error' && PLAIN.test(one))
  return { name: typeof plain === 'string' ? plain : null, status: typeof status === 'number' ? status : null }
}

const FULL: ReadonlySet<string> = new Set([
  ...['XMinioStorageFull', 'QuotaExceeded', 'XMinioAdminBucketQuotaExceeded', 'InsufficientStorage', 'ENOSPC'],
  'InsufficientCapacity',
])

/** A credential that has run out is fetched anew for the next try; a clock that is off is taken into account then. */
const PASSING: ReadonlySet<string> = new Set([
  ...[
    'SlowDown',
    'Throttling',
    'ThrottlingException',
    'TooManyRequests',
    'RequestLimitExceeded',
    'BandwidthLimitExceeded',
  ],
  ...['InternalError', 'ServiceUnavailable', 'RequestTimeout', 'RequestTimeTooSkewed', 'OperationAborted', 'BadDigest'],
  ...['TimeoutError', 'AbortError', 'ABORT_ERR', 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ERR_STREAM_PREMATURE_CLOSE', 'EMFILE'],
  ...['ExpiredToken', 'ExpiredTokenException', 'IncompleteBody', 'HPE_INVALID_CONSTANT'],
])

/** Nothing but that there is no such object: not that there is no such bucket. */
export const isMissing = ({ name }: S3Failure): boolean => name === 'NoSuchKey'

const isFull = ({ name, status }: S3Failure): boolean => status === 507 || (name !== null && FULL.has(name))

/** Worth another try by itself. */
export const isPassing = (failure: S3Failure): boolean => {
  const { name, status } = failure
  if (isFull(failure)) return false
  return (name !== null && PASSING.has(name)) || status === 429 || status === 408 || (status !== null && status >= 500)
}

/** What it means to the storage, with what to do about it. `what` is such as `storing trajectories/ab/…`. */
export function toBlobError(failure: S3Failure, what: string, place: string): BlobError {
  const { name, status } = failure
  const told = [
    name === 'AbortError' || name === 'ABORT_ERR' ? 'no answer in time' : name,
    status === null ? null : `status ${status}`,
  ]
    .filter((one) => one !== null)
    .join(', ')
  const found = `${what} at ${place} failed${told === '' ? '' : ` (${told})`}`
  if (isFull(failure)) return new BlobError('full', `${found}: the store has no room; give it more`)
  if (isPassing(failure))
    return new BlobError(
      'busy',
      `${found}: the store cannot be reached or is overloaded; it is tried again when asked again`,
    )
  return new BlobError('refused', `${found}: ${adviceFor(failure)}`)
}

/** The name of the failure of a write that was answered, and not by a store. */
export const NOT_KEPT = 'NotKept'

const OUR_CONFIGURATION = 'see docs/blobs.md'

function adviceFor({ name, status }: S3Failure): string {
  if (name === 'CredentialsProviderError')
    return 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role'
  if (name === NOT_KEPT) return 'what answers there keeps nothing: is the endpoint that of an S3-compatible store?'
  if (name === 'NoSuchBucket') return 'make the bucket, or mend its name in VERIDICT_BLOBS'
  if (name === 'SignatureDoesNotMatch' || name === 'InvalidAccessKeyId')
    return 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not those of this store'
  if (name === 'AuthorizationHeaderMalformed')
    return 'the bucket is in another region: set AWS_REGION, or region in the file of VERIDICT_CONFIG'
  if (status !== null && status >= 300 && status < 400)
    return 'it is somewhere else, and redirects are not followed: set the region and the endpoint of the bucket'
  if (status === 401 || status === 403)
    return 'the credentials may not do that: they need s3:PutObject, s3:GetObject and s3:ListBucket on the bucket'
  if (name === 'EntityTooLarge' || status === 413)
    return 'the store, or a proxy in front of it, takes no object that large: raise its limit'
  if (status === 404) return 'there is no such bucket, or the endpoint is no S3-compatible store'
  if (name !== null && /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|EPROTO|ERR_SSL)/.test(name))
    return 'its certificate is not trusted: give Node.js the authority by NODE_EXTRA_CA_CERTS'
  return OUR_CONFIGURATION
}
