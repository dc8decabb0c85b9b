export type StorageErrorCode = 'storage_full' | 'storage_busy' | 'storage_error'

/** The database refused. Nothing of the unit of work was written. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** What an error of better-sqlite3 means to a caller; other errors stay what they are. */
export function toStorageError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  if (code.startsWith('SQLITE_FULL'))
    return new StorageError('storage_full', 'the disk of the database is full', { cause: error })
  if (code.startsWith('SQLITE_BUSY'))
    return new StorageError('storage_busy', 'the database is locked by another process', { cause: error })
  return new StorageError('storage_error', `the database answered ${code}`, { cause: error })
}
