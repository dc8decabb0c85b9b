import type { Static } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'
import type { Environment } from './environment.ts'
import { defineSettings, whole } from './settings.ts'

const NUMBERS = defineSettings({
  min_bytes: whole(16_384, 'bytes of compressed data; less stays in its row', { minimum: 1024 }),
  max_connections: whole(32, 'connections of each process', { maximum: 1000 }),
  connect_timeout_ms: whole(5000, 'milliseconds to connect', { maximum: 600_000 }),
  request_timeout_ms: whole(20_000, 'milliseconds that one try may take, with its whole body', { maximum: 600_000 }),
  max_attempts: whole(4, 'tries of one request before it is given up', { maximum: 20 }),
})

export const BLOBS = Closed({
  endpoint: Type.Optional(Type.String({ minLength: 1 })),
  region: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })),
  path_style: Type.Optional(Type.Boolean()),
  ...NUMBERS.file.properties,
})

export type BlobFile = Static<typeof BLOBS>

/** The S3-compatible store of `VERIDICT_BLOBS`. Credentials are no part of the configuration. */
export type BlobSettings = typeof NUMBERS.defaults & {
  readonly bucket: string
  /** Without slashes at its ends; empty: none. */
  readonly prefix: string
  /** Null: that of Amazon for the region. */
  readonly endpoint: string | null
  readonly region: string
  /** The bucket in the path of the URL and not in the name of the host. */
  readonly path_style: boolean
  /** `s3://bucket/prefix` */
  readonly shown: string
}

export type BlobEnvironment = Pick<Environment, 'blobs' | 'aws_region' | 'aws_endpoint'>

const FORM = 'it looks like s3://bucket/prefix, or is "database"'
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const LONGEST_PREFIX = 400

/** Null: large data stays in the database. Throws without repeating what was given, which may hold a password. */
export function resolveBlobs(environment: BlobEnvironment, file: BlobFile = {}): BlobSettings | null {
  const { blobs: url, aws_region, aws_endpoint } = environment
  if (url === undefined || url === 'database') return null
  const { bucket, prefix } = parsePlace(url)
  const given = file.endpoint ?? aws_endpoint
  const endpoint = given === undefined ? null : parseEndpoint(given)
  return {
    ...NUMBERS.defaults,
    region: 'us-east-1',
    ...(aws_region !== undefined && { region: aws_region }),
    path_style: endpoint !== null,
    ...file,
    bucket,
    prefix,
    endpoint,
    shown: prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`,
  }
}

function parsePlace(url: string): { readonly bucket: string; readonly prefix: string } {
  if (!url.startsWith('s3://')) throw new Error(`VERIDICT_BLOBS cannot be used; ${FORM}`)
  const [bucket = '', ...rest] = url.slice('s3://'.length).split('/')
  if (!BUCKET.test(bucket) || bucket.includes('..'))
    throw new Error(`VERIDICT_BLOBS names no bucket (3 to 63 of a-z, 0-9, "." and "-"); ${FORM}`)
  const segments = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  const prefix = segments.join('/')
  if (!segments.every((segment) => SEGMENT.test(segment)) || prefix.length > LONGEST_PREFIX)
    throw new Error(
      `the prefix in VERIDICT_BLOBS may have A-Z, a-z, 0-9, ".", "_" and "-" between its slashes; ${FORM}`,
    )
  return { bucket, prefix }
}

function parseEndpoint(text: string): string {
  const refuse = (why: string) =>
    new Error(`the endpoint of the blob store ${why}; it looks like https://s3.example:9000`)
  if (!URL.canParse(text)) throw refuse('is not a URL')
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') throw refuse('must begin with https:// or http://')
  if (username !== '' || password !== '')
    throw refuse('may hold no password: credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  if (search !== '' || hash !== '') throw refuse('may have no query')
  return pathname === '/' ? origin : origin + pathname
}
