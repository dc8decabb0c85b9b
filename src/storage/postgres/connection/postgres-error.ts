import pg from 'pg'
import { refusal, StorageError, type StorageErrorCode } from '../../storage-error.ts'

/** What an error of PostgreSQL or of the way to it means to a caller; other errors stay what they are. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof StorageError) return error
  if (error instanceof pg.DatabaseError) {
    const [kind, message] = explain(error.code ?? 'nothing')
    return new StorageError(kind, message, { cause: error })
  }
  return isLost(error) ? unreachable(error) : error
}

/** What went wrong while connecting to `server`; a mistake in the URL or the certificate does not mend itself. */
export function toConnectError(error: unknown, server: string | null): StorageError {
  const known = explainConnect(error)
  const away = !(error instanceof pg.DatabaseError) && isLost(error)
  return new StorageError(known.code, known.message, { cause: known.cause ?? error, server, away })
}

function explainConnect(error: unknown): StorageError {
  const known = toStorageError(error)
  if (known instanceof StorageError) return known
  if (error instanceof Error && error.message.startsWith(NO_PASSWORD_WORDS))
    return refusal(NO_PASSWORD, { cause: error })
  const code = codeOf(error)
  const why = typeof code === 'string' ? code : error instanceof Error ? error.message : 'unknown error'
  return refusal(`the database server cannot be connected to: ${why}`, { cause: error })
}

/** The driver says it so, and without a code. */
const NO_PASSWORD_WORDS = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a'
const NO_PASSWORD = 'the database server asks for a password, and VERIDICT_DATABASE_URL holds none (nor PGPASSWORD)'

/** `host:port`, or the folder of a socket, as the driver reads the URL; null where it cannot. Never the password. */
export function serverOf(url: string): string | null {
  try {
    const { host, port } = new pg.Client({ connectionString: url })
    return host.startsWith('/') ? host : `${host}:${port}`
  } catch {
    return null
  }
}

/** The server gave the transaction up for another’s sake: run again, it may well succeed. */
export const isSerializationFailure = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** The connection is gone, or its state is not known. */
export function isLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLost)
  const code = codeOf(error)
  if (error instanceof pg.DatabaseError) return typeof code === 'string' && /^(57P0|08|25P03)/.test(code)
  if (typeof code === 'string') return LOST_CODES.has(code)
  return error instanceof Error && LOST_WORDS.some((words) => error.message.startsWith(words))
}

const LOST_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
  ...['ENETUNREACH', 'ENOENT', 'ERR_STREAM_DESTROYED'],
])

/** The driver says these without a code. */
const LOST_WORDS = [
  'Connection terminated',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
]

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

const unreachable = (error: unknown): StorageError =>
  new StorageError('storage_busy', 'the database server cannot be reached', { cause: error })

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
function explain(code: string): [StorageErrorCode, string] {
  if (code === '53100') return ['storage_full', 'the disk of the database server is full']
  if (code.startsWith('53')) return ['storage_busy', `the database server is out of resources (${code})`]
  if (/^(57P0|08|25P03)/.test(code))
    return ['storage_busy', `the database server is stopping, starting or out of reach (${code})`]
  if (code === '57014') return ['storage_busy', 'the database server took too long']
  if (code === '55P03' || code.startsWith('40')) return ['storage_busy', `the database is locked by others (${code})`]
  if (code === '25006') return ['storage_busy', 'the database server is read-only: a standby, or about to become one']
  if (code.startsWith('28')) return ['storage_error', `the database server refuses this user or password (${code})`]
  if (code === '3D000') return ['storage_error', 'there is no such database on the server']
  if (code === '42501') return ['storage_error', 'the user of the database may not do this (42501)']
  return ['storage_error', `the database server answered ${code}`]
}
