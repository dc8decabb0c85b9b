import type { BlobStore } from './blob-ports.ts'

/** How bad a finding is: `ok` and `note` ask for nothing. */
export const SEVERITIES = ['ok', 'note', 'warning', 'error'] as const
export type Severity = (typeof SEVERITIES)[number]

/** What one look at a database has found. */
export interface Finding {
  /** Which look, such as `batches`. */
  readonly check: string
  readonly severity: Severity
  /** What was found, on one line. */
  readonly found: string
  /** What that means; null where it is plain. */
  readonly means: string | null
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null
  /** Some of the ids that it is about. */
  readonly ids: readonly string[]
}

/** How far a long look has come. */
export interface UpkeepProgress {
  /** Such as `integrity`. */
  readonly step: string
  readonly done: number
  /** Null: not known. */
  readonly total: number | null
}

export interface ExamineOptions {
  readonly path: string
  /** Every page and every stored document, instead of a sample. */
  readonly full: boolean
  readonly now: Date
  /** Where large data of this database may lie; none: what lies outside is not looked at. */
  readonly blobs?: BlobStore | null
  readonly onProgress?: (progress: UpkeepProgress) => void
}

/** Large data of all projects. */
export interface ProjectBlobs {
  /** Null: it is in the database. */
  of(project: string): BlobStore | null
  close(): void
}
