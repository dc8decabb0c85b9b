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

/** Rows of each table, by its name. */
export type RowCounts = Readonly<Record<string, number>>

export interface CopyOptions {
  readonly from: string
  readonly to: string
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean
  readonly onProgress?: (progress: UpkeepProgress) => void
}

export interface CopyReport {
  readonly to: string
  readonly bytes: number
  readonly rows: RowCounts
}

export interface RestoreOptions {
  /** The backup. */
  readonly from: string
  /** The database that it takes the place of. */
  readonly to: string
  /** The project whose place that is, where it is known. */
  readonly project?: string
  /** What the restored database is to be of, whatever the backup is of. */
  readonly as_project?: string
  /** Whether it may make a project that is not there. */
  readonly new_project?: boolean
  readonly now: Date
  readonly onProgress?: (progress: UpkeepProgress) => void
}

export interface RestoreReport extends CopyReport {
  /** Of which project the database is; null: not known. */
  readonly project: string | null
  /** Where the file that was replaced lies now; null: there was none. */
  readonly aside: string | null
  /** Rows that the replaced file had more of, by table; null where it could not be read, or was not there. */
  readonly lost: RowCounts | null
  /** Batches at a provider’s that the backup knows nothing of, under the provider’s ids. */
  readonly forgotten_submissions: readonly string[]
}

/** Large data of all projects. */
export interface ProjectBlobs {
  /** Null: it is in the database. */
  of(project: string): BlobStore | null
  close(): void
}
