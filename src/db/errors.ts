export type StorageErrorCode = 'storage_full' | 'storage_busy' | 'storage_error'

/** A refusal of the database. Nothing of the unit of work was written. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The refusal of a reply that was paid for, which its process holds no longer: to ask again would be to pay again. */
export class ReplyRefused extends StorageError {
  constructor(cause: { readonly code?: StorageErrorCode; readonly message: string }) {
    super(cause.code ?? 'storage_error', `a reply that was paid for could not be stored: ${cause.message}`, { cause })
  }
}

/** Makes the error of a refusal that lasts until an operator changes something. */
export const refusal = (why: string, options?: ErrorOptions): StorageError =>
  new StorageError('storage_error', why, options)

/** SQLSTATE of a server that stops, starts, or closed the connection. */
const SERVER_AWAY = /^(57P0|08|25P03)/

const NO_SQLITE =
  'the database file is damaged, or is no SQLite database: is the path right? If it is, restore a backup'
const NO_ACCESS =
  'the database file cannot be opened: is the path right, and may this user read and write it and its folder?'

/** Codes of SQLite with their extensions, and SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html. The first row that fits counts. */
const EXPLANATIONS: readonly (readonly [codes: RegExp, code: StorageErrorCode, message: string])[] = [
  [/^SQLITE_(FULL|IOERR_(WRITE|SHMSIZE))/, 'storage_full', 'the disk of the database is full, or fails (CODE)'],
  [/^SQLITE_(BUSY|LOCKED)/, 'storage_busy', 'the database is locked by another process'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'storage_error', NO_SQLITE],
  [/^SQLITE_(CANTOPEN|READONLY)/, 'storage_error', NO_ACCESS],
  [/^53100/, 'storage_full', 'the disk of the database server is full'],
  [SERVER_AWAY, 'storage_busy', 'the database server is stopping, starting or out of reach (CODE)'],
  [/^57014/, 'storage_busy', 'the database server took too long'],
  [/^(40|53|55P03)/, 'storage_busy', 'the database is locked by others, or out of resources (CODE)'],
  [/^25006/, 'storage_busy', 'the database server is read-only: a standby, or about to become one'],
  [/^28/, 'storage_error', 'the database server refuses this user or password (CODE)'],
  [/^3D000/, 'storage_error', 'there is no such database on the server'],
  [/^42P01/, 'storage_error', 'the database holds no tables of Veridict: make them by `veridict status`'],
  [/^42501/, 'storage_error', 'the user of the database may not do this (CODE)'],
]
const OTHER = [/^/, 'storage_error', 'the database answered CODE'] as const

/** Translates an error of either driver to a StorageError; other errors stay as they are. */
export function toStorageError(error: unknown): unknown {
  const known = codeOf(error)
  if (!isServerError(error) && !known.startsWith('SQLITE_')) return error
  const [, code, message] = EXPLANATIONS.find(([codes]) => codes.test(known)) ?? OTHER
  return new StorageError(code, message.replace('CODE', known), { cause: error })
}

/** Translates an error of the driver of PostgreSQL: a lost connection has a code of the system, which a file may have, too. */
export function toServerError(error: unknown): unknown {
  if (isServerError(error) || !isLost(error)) return toStorageError(error)
  return new StorageError('storage_busy', 'the database server cannot be reached', { cause: error })
}

/** An error that PostgreSQL answered; without an import of its driver, which SQLite does without. */
const isServerError = (error: unknown): boolean => error instanceof Error && 'severity' in error && 'routine' in error

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : ''
}

const NO_PASSWORD = 'the database server asks for a password, and VERIDICT_DATABASE_URL holds none (nor PGPASSWORD)'

/** Translates an error of connecting; a mistake in the URL or the certificate does not mend itself. */
export function toConnectError(error: unknown): StorageError {
  const known = toServerError(error)
  if (known instanceof StorageError) return known
  const message = error instanceof Error ? error.message : 'unknown error'
  // The driver’s words, which come without a code.
  const lacksPassword = message.startsWith('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a')
  const why = `the database server cannot be connected to: ${codeOf(error) || message}`
  return refusal(lacksPassword ? NO_PASSWORD : why, { cause: error })
}

/** Tells whether a second run may succeed: the server gave the transaction up for another, or another grade came first to answer the same key. */
export function isSerializationFailure(error: unknown): boolean {
  const code = codeOf(error)
  const isSecond = code === '23505' && (error as { constraint?: unknown }).constraint === 'grades_current'
  return isSecond || code === '40001' || code === '40P01'
}

/** Tells whether the connection is gone, or its state unknown. */
export function isLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLost)
  const code = codeOf(error)
  if (isServerError(error)) return SERVER_AWAY.test(code)
  return LOST.test(code || (error instanceof Error ? error.message : ''))
}

/** Codes of the system, and messages of the driver without a code. */
const LOST =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH|NOENT|RR_STREAM_DESTROYED)$|Connection terminated|timeout e(xpired|xceeded when trying to connect)|Query read timeout|Client (has encountered a connection error|was closed))/
