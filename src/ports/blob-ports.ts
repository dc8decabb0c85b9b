/** `busy` and `full` pass by themselves or with more room; `refused` needs an operator to change something. */
type BlobTrouble = 'busy' | 'full' | 'refused'

/** The store of large data refused. The message says what to do and names no secret. */
export class BlobError extends Error {
  override readonly name = 'BlobError'
  readonly trouble: BlobTrouble

  constructor(trouble: BlobTrouble, message: string) {
    super(message)
    this.trouble = trouble
  }
}

/** Large data of one project, outside of its database. A name holds the digest of its bytes, so it means the same bytes in every process. */
export interface BlobStore {
  /** Where it is, without what is secret: `s3://bucket/prefix`, the same for all projects. */
  readonly place: string
  /** Fewer bytes stay in their row. */
  readonly least_bytes: number
  /** Durable before it resolves; the same again is the same as once. Rejects with a BlobError. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** The bytes, of which no more than `most` + 1 are read; null where there are none under this name. Rejects with a BlobError. */
  get(name: string, most: number): Promise<Uint8Array | null>
  /** A real write. Rejects with a BlobError where nothing can be stored. */
  check(): Promise<void>
}
