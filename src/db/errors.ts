export type StorageErrorCode = 'storage_full' | 'storage_busy' | 'storage_error'

interface FailureOptions extends ErrorOptions {
  readonly server?: string | null
  readonly away?: boolean
}

/** A refusal of the database. Nothing of the unit of work was written. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  /** `host:port` of an unreachable server; no part of the message, which clients of the service read. */
  readonly server: string | null
  /** Whether nothing answered at the server’s address. */
  readonly away: boolean

  constructor(code: StorageErrorCode, message: string, options: FailureOptions = {}) {
    const { server = null, away = false, ...rest } = options
    super(message, rest)
    this.code = code
    this.server = server
    this.away = away
  }
}

/** Makes the error of a refusal that lasts until an operator changes something. */
export const refusal = (why: string, options?: FailureOptions): StorageError =>
  new StorageError('storage_error', why, options)

/** Makes the refusal of a database that a process of an older version has open. */
export const inUse = (path: string): StorageError =>
  new StorageError(
    'storage_busy',
    `${path} is in use by a living process: stop the service and its commands first (one that was killed counts as living for a minute)`,
  )

type Explanation = readonly [codes: RegExp, code: StorageErrorCode, message: string]

/** Codes of SQLite, with their extensions. */
const SQLITE: readonly Explanation[] = [
  [/^SQLITE_FULL/, 'storage_full', 'the disk of the database is full'],
  [/^SQLITE_(BUSY|LOCKED)/, 'storage_busy', 'the database is locked by another process'],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'storage_error',
    'the database file is damaged, or is no SQLite database: is the path right? If it is, restore a backup',
  ],
  [
    /^SQLITE_CANTOPEN/,
    'storage_error',
    'the database file cannot be opened: is the path right, and may this user read and write it and its folder?',
  ],
  [/^SQLITE_READONLY/, 'storage_error', 'the database file cannot be written: may this user write it and its folder?'],
  [/^SQLITE_/, 'storage_error', 'the database answered CODE'],
]

/** SQLSTATE of a server that stops, starts, or closed the connection. */
const SERVER_AWAY = /^(57P0|08|25P03)/

/** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES: readonly Explanation[] = [
  [/^53100/, 'storage_full', 'the disk of the database server is full'],
  [/^53/, 'storage_busy', 'the database server is out of resources (CODE)'],
  [SERVER_AWAY, 'storage_busy', 'the database server is stopping, starting or out of reach (CODE)'],
  [/^57014/, 'storage_busy', 'the database server took too long'],
  [/^(55P03|40)/, 'storage_busy', 'the database is locked by others (CODE)'],
  [/^25006/, 'storage_busy', 'the database server is read-only: a standby, or about to become one'],
  [/^28/, 'storage_error', 'the database server refuses this user or password (CODE)'],
  [/^3D000/, 'storage_error', 'there is no such database on the server'],
  [/^42501/, 'storage_error', 'the user of the database may not do this (CODE)'],
  [/^/, 'storage_error', 'the database server answered CODE'],
]

/** Translates an error of either driver to a StorageError; other errors stay as they are. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof StorageError) return error
  const code = codeOf(error)
  const isServers = isServerError(error)
  const text = typeof code === 'string' ? code : 'nothing'
  const found = (isServers ? POSTGRES : SQLITE).find(([codes]) => codes.test(text))
  return found === undefined ? error : new StorageError(found[1], found[2].replace('CODE', text), { cause: error })
}

/** Translates an error of the driver of PostgreSQL: a lost connection has a code of the system, which a file may have, too. */
export function toServerError(error: unknown): unknown {
  const known = toStorageError(error)
  if (known !== error || !isLost(error)) return known
  return new StorageError('storage_busy', 'the database server cannot be reached', { cause: error })
}

/** An error that PostgreSQL answered; without an import of its driver, which SQLite does without. */
const isServerError = (error: unknown): boolean => error instanceof Error && 'severity' in error && 'routine' in error

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null | undefined)?.code

/** The driver’s words, which come without a code. */
const NO_PASSWORD_WORDS = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a'
const NO_PASSWORD = 'the database server asks for a password, and VERIDICT_DATABASE_URL holds none (nor PGPASSWORD)'

/** Translates an error of connecting to `server`; a mistake in the URL or the certificate does not mend itself. */
export function toConnectError(error: unknown, server: string | null): StorageError {
  const known = toServerError(error)
  const away = !isServerError(error) && isLost(error)
  if (known instanceof StorageError)
    return new StorageError(known.code, known.message, { cause: known.cause ?? error, server, away })
  const message = error instanceof Error ? error.message : 'unknown error'
  const code = codeOf(error)
  const why = `the database server cannot be connected to: ${typeof code === 'string' ? code : message}`
  return refusal(message.startsWith(NO_PASSWORD_WORDS) ? NO_PASSWORD : why, { cause: error, server, away })
}

/** Tells whether a second run may succeed: the server gave the transaction up for another, or another grade came first to answer the same key. */
export const isSerializationFailure = (error: unknown): boolean => {
  const code = codeOf(error)
  const isSecond = code === '23505' && (error as { constraint?: unknown }).constraint === 'grades_current'
  return isSecond || code === '40001' || code === '40P01'
}

/** Tells whether the connection is gone, or its state unknown. */
export function isLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLost)
  const code = codeOf(error)
  if (isServerError(error)) return typeof code === 'string' && SERVER_AWAY.test(code)
  if (typeof code === 'string') return LOST_CODES.has(code)
  return error instanceof Error && LOST_WORDS.test(error.message)
}

const LOST_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
  ...['ENETUNREACH', 'ENOENT', 'ERR_STREAM_DESTROYED'],
])

/** Messages of the driver without a code. */
const LOST_WORDS =
  /^(Connection terminated|timeout e(xpired|xceeded when trying to connect)|Query read timeout|Client (has encountered a connection error|was closed))/
