import type { BlobStore } from './blob-ports.ts'

/** Large data of all projects. */
export interface ProjectBlobs {
  /** Null: it is in the database. */
  of(project: string): BlobStore | null
  close(): void
}
