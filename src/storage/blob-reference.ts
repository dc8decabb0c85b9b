import { createHash } from 'node:crypto'

/** Stands in a column in the place of bytes that lie outside of the database. */
interface BlobReference {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
  readonly size: number
}

/** A byte that neither UTF-8 nor a zstd frame nor our UTF-16 begins with. */
const MARK = 0xfe
const VERSION = 1
const DIGEST_AT = 2
const SIZE_AT = 34
const LENGTH = 40

/** More bytes stay in their row. Far above what a request may bring. */
export const MOST_OUTSIDE = 512 * 1024 * 1024

export const referenceTo = (bytes: Uint8Array): BlobReference => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.byteLength,
})

export function encodeReference({ sha256, size }: BlobReference): Buffer {
  const bytes = Buffer.alloc(LENGTH)
  bytes[0] = MARK
  bytes[1] = VERSION
  bytes.write(sha256, DIGEST_AT, 'hex')
  bytes.writeUIntBE(size, SIZE_AT, LENGTH - SIZE_AT)
  return bytes
}

export const isReference = (stored: Uint8Array): boolean => stored[0] === MARK

/** Null for what is damaged, or of a version that is not known. */
export function decodeReference(stored: Uint8Array): BlobReference | null {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  if (bytes.length !== LENGTH || bytes[0] !== MARK || bytes[1] !== VERSION) return null
  const size = bytes.readUIntBE(SIZE_AT, LENGTH - SIZE_AT)
  return size > MOST_OUTSIDE ? null : { sha256: bytes.toString('hex', DIGEST_AT, SIZE_AT), size }
}

/** What the bytes are: the document of a trajectory, or a part of the reply to an attempt. */
export type BlobOwner = { readonly kind: 'trajectory' } | { readonly kind: 'reply'; readonly attempt: string }

const PLAIN_ID = /^[A-Za-z0-9_-]{1,80}$/

/**
 * The name of the bytes: their digest, so that no client can choose the name of another’s bytes, and for replies the attempt, so that no two
 * share one. The first two digits spread the load of a large store.
 */
export function blobName(owner: BlobOwner, { sha256 }: BlobReference): string {
  const spread = sha256.slice(0, 2)
  if (owner.kind === 'trajectory') return `trajectories/${spread}/${sha256}`
  const plain = PLAIN_ID.test(owner.attempt)
  const attempt = plain ? owner.attempt : createHash('sha256').update(owner.attempt).digest('hex')
  return `replies/${spread}/${attempt}-${sha256}`
}
