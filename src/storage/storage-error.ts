export type StorageErrorCode = 'storage_full' | 'storage_busy' | 'storage_error' | 'lease_lost'

/** The database refused. Nothing of the unit of work was written. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  /** `host:port` of the server that was to be connected to; no part of the message, which clients of the service read. Null: none. */
  readonly server: string | null
  /** Whether nothing answered there. */
  readonly away: boolean

  constructor(
    code: StorageErrorCode,
    message: string,
    { server = null, away = false, ...options }: FailureOptions = {},
  ) {
    super(message, options)
    this.code = code
    this.server = server
    this.away = away
  }
}

interface FailureOptions extends ErrorOptions {
  readonly server?: string | null
  readonly away?: boolean
}

/** What stays so until somebody changes something. */
export const refusal = (why: string, options?: FailureOptions): StorageError =>
  new StorageError('storage_error', why, options)

/** Returns the refusal of a database that another process has open. */
export const inUse = (path: string): StorageError =>
  new StorageError(
    'storage_busy',
    `${path} is in use by a living process: stop the service and its commands first (one that was killed on another machine counts as living for a minute)`,
  )

/** What an error of better-sqlite3 means to a caller; other errors stay what they are. */
export function toStorageError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  const [kind, message] = explain(code)
  return new StorageError(kind, message, { cause: error })
}

function explain(code: string): [StorageErrorCode, string] {
  const is = (prefix: string) => code === prefix || code.startsWith(`${prefix}_`)
  if (is('SQLITE_FULL')) return ['storage_full', 'the disk of the database is full']
  if (is('SQLITE_BUSY') || is('SQLITE_LOCKED')) return ['storage_busy', 'the database is locked by another process']
  if (is('SQLITE_CORRUPT') || is('SQLITE_NOTADB'))
    return [
      'storage_error',
      'the database file is damaged, or is no SQLite database: is the path right? If it is, restore a backup',
    ]
  if (is('SQLITE_CANTOPEN'))
    return [
      'storage_error',
      'the database file cannot be opened: is the path right, and may this user read and write it and its folder?',
    ]
  if (is('SQLITE_READONLY'))
    return ['storage_error', 'the database file cannot be written: may this user write it and its folder?']
  return ['storage_error', `the database answered ${code}`]
}
