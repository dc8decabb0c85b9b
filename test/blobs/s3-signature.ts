import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The one user of the stand-in. */
export const CREDENTIALS = { accessKeyId: 'VTESTKEYID', secretAccessKey: 'v/test+secret', sessionToken: undefined }

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

/** What is wrong with the signature (version 4) of a request, as S3 names it; null: nothing. */
export function findSignatureFault(request: IncomingMessage, body: Buffer): string | null {
  const [, id, day, region, signed, signature] = AUTHORIZATION.exec(request.headers.authorization ?? '') ?? []
  if (id === undefined || day === undefined || signed === undefined) return 'AccessDenied'
  if (id !== CREDENTIALS.accessKeyId) return 'InvalidAccessKeyId'
  const digest = request.headers['x-amz-content-sha256']
  if (digest !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const headers = signed.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const parameters = query.split('&').sort().join('&')
  const canonical = [request.method, path, parameters, headers.join(''), signed, digest].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = ['s3', 'aws4_request'].reduce(
    (last, part) => hmac(last, part),
    hmac(hmac(`AWS4${CREDENTIALS.secretAccessKey}`, day), region ?? ''),
  )
  return hmac(key, text).toString('hex') === signature ? null : 'SignatureDoesNotMatch'
}
