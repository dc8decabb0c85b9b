import type { S3Client } from '@aws-sdk/client-s3'
import type { BlobSettings } from '../config/blob-settings.ts'
import type { Secrets } from '../config/secrets.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

export type LazyS3 = ReturnType<typeof createLazyS3>

/** The official client, loaded when something is first put or read: a start needs neither it nor the network. */
export function createLazyS3(settings: BlobSettings, secrets: Secrets) {
  let made: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | undefined
  let open: S3Client | undefined
  return {
    use() {
      made ??= import('@aws-sdk/client-s3').then((sdk) => {
        open = makeClient(sdk, settings, secrets)
        return { sdk, client: open }
      })
      return made
    },
    close: () => open?.destroy(),
  }
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

function makeClient(sdk: Sdk, settings: BlobSettings, secrets: Secrets): S3Client {
  const { endpoint, region, path_style, max_connections, connect_timeout_ms, request_timeout_ms } = settings
  const agent = { keepAlive: true, maxSockets: max_connections }
  const credentials = givenCredentials(secrets)
  return new sdk.S3Client({
    region,
    forcePathStyle: path_style,
    // Redirects are followed neither by the handler nor by this; a signed request goes to the configured host alone.
    followRegionRedirects: false,
    // It is tried again in `s3-requests.ts`, which also knows of bodies that break off.
    maxAttempts: 1,
    // Only what every store knows; the body of a request is covered by its signature, that of an answer by our own digest.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT,
    requestHandler: {
      connectionTimeout: connect_timeout_ms,
      requestTimeout: request_timeout_ms,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: 2_147_483_647,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(endpoint !== null && { endpoint }),
    // Otherwise the client looks where all clients of AWS look: profiles, the roles of a pod, a container or a machine.
    ...(credentials !== null && { credentials }),
  })
}

function givenCredentials(secrets: Secrets) {
  const accessKeyId = secrets.key('AWS_ACCESS_KEY_ID')
  const secretAccessKey = secrets.key('AWS_SECRET_ACCESS_KEY')
  const sessionToken = secrets.key('AWS_SESSION_TOKEN')
  if (accessKeyId === undefined || secretAccessKey === undefined) return null
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
