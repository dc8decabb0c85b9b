import type { ExportRecord } from '../schemas/transfer.ts'

/** The end of one record of an import: `refused` carries the reason. */
export type ImportEnd = 'added' | 'stored' | { readonly refused: string }

export interface ImportStore {
  /** Stores records in one unit of work and answers the end of each. A record whose id is stored already is compared and left alone. */
  put(records: readonly ExportRecord[]): Promise<readonly ImportEnd[]>
}

/** Reads the rows of one SELECT in their order, a few at a time, all statements from one state of the database. */
export type ReadRows = <T>(text: string) => AsyncIterable<T> | Iterable<T>
