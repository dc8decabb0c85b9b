import { BlobError, type BlobStore } from '../ports/blob-ports.ts'
import {
  type BlobOwner,
  blobName,
  decodeReference,
  encodeReference,
  isReference,
  MOST_OUTSIDE,
  referenceTo,
} from './blob-reference.ts'
import { refusal, StorageError, type StorageErrorCode } from './storage-error.ts'

/** Bytes of columns, of which the large ones lie outside of the database where there is a place for them. */
export interface Outside {
  /** Whether bytes of such a length are put outside. */
  takes(length: number): boolean
  /**
   * What is to be stored in the row: the bytes, or, once they are durable outside, a reference to them. Rejects with a StorageError, and
   * then there must be no row.
   */
  keep(owner: BlobOwner, packed: Buffer): Promise<Buffer>
  /** The bytes of a row as they were kept, verified. Rejects with a StorageError that says what to do. */
  fetch(owner: BlobOwner, stored: Buffer): Promise<Buffer>
  /** Throws where nothing can be stored outside. */
  check(): Promise<void>
}

/** `places`: where the database says that its large data lies. */
export function createOutside(blobs: BlobStore | null, places: () => Promise<readonly string[]>): Outside {
  const takes = (length: number) => blobs !== null && length >= blobs.least_bytes && length <= MOST_OUTSIDE
  return {
    takes,
    async keep(owner, packed) {
      if (blobs === null || !takes(packed.length)) return packed
      const reference = referenceTo(packed)
      await asStorageErrors(blobs.put(blobName(owner, reference), packed))
      return encodeReference(reference)
    },
    async fetch(owner, stored) {
      if (!isReference(stored)) return stored
      const reference = decodeReference(stored)
      if (reference === null) throw refusal('a reference to data outside of the database is damaged; restore a backup')
      if (blobs === null) throw needsPlace(await places())
      const name = blobName(owner, reference)
      // A second look: what arrived wrong may well lie there right.
      for (let looks = 1; ; looks++) {
        const bytes = await asStorageErrors(blobs.get(name, reference.size))
        if (bytes === null) throw missing(blobs.place, name)
        if (bytes.byteLength === reference.size && referenceTo(bytes).sha256 === reference.sha256)
          return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        if (looks === 2) throw damaged(blobs.place, name)
      }
    },
    check: () => (blobs === null ? Promise.resolve() : asStorageErrors(blobs.check())),
  }
}

const asStorageErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => Promise.reject(error instanceof BlobError ? toStorageError(error) : error))

const CODES: Readonly<Record<BlobError['trouble'], StorageErrorCode>> = {
  busy: 'storage_busy',
  full: 'storage_full',
  refused: 'storage_error',
}

const toStorageError = (error: BlobError): StorageError =>
  new StorageError(CODES[error.trouble], error.message, { cause: error })

export function needsPlace(places: readonly string[]): StorageError {
  const where = places.at(-1) ?? 's3://bucket/prefix'
  return refusal(
    `large data of this database lies outside of it: set VERIDICT_BLOBS=${where} and the credentials for it (docs/blobs.md)`,
  )
}

const missing = (place: string, name: string): StorageError =>
  refusal(
    `${name} is missing at ${place}: put it back from a copy of the store, or set VERIDICT_BLOBS to where it lies (docs/blobs.md)`,
  )

const damaged = (place: string, name: string): StorageError =>
  refusal(
    `${name} at ${place} is damaged: it is not what was written; put it back from a copy of the store (docs/blobs.md)`,
  )
