import pg from 'pg'
import { createSql, type Rows, type Sql } from '../db.ts'
import { isLost, refusal, toConnectError, toServerError } from '../errors.ts'

/** The connections to a PostgreSQL. Times are in milliseconds. */
export interface PoolSettings {
  /** The most connections of a process. */
  readonly max_connections: number
  /** The time to connect, and to wait for a connection where all are busy. */
  readonly connect_timeout_ms: number
  /** The server ends a statement after this time; 0: never. */
  readonly statement_timeout_ms: number
  /** The server closes a connection whose transaction stays idle for this time; 0: never. */
  readonly idle_transaction_timeout_ms: number
}

/** The driver waits longer than the server, for a server that does not answer at all. */
const GRACE_MS = 5_000
const IDLE_MS = 30_000
const OLDEST_VERSION = 140_000

/** Opens the connections. With a null schema no bare name is looked up. */
export function openPool(url: string, schema: string | null, settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: settings.max_connections,
    connectionTimeoutMillis: settings.connect_timeout_ms,
    query_timeout: settings.statement_timeout_ms === 0 ? 0 : settings.statement_timeout_ms + GRACE_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // Statements that nothing awaits in between travel together.
    pipeline: true,
    application_name: 'veridict',
    types: TYPES,
    Client: LeavingClient,
    onConnect: (client) => prepare(client as pg.PoolClient, schema, settings),
  })
  // A connection that is lost while it is idle is only taken out of the pool.
  pool.on('error', () => undefined)
  return pool
}

/**
 * Closes its connection where connecting fails on our side, for want of a password say: the driver leaves it open, and it would keep the
 * process alive until the server gives up, after a minute.
 */
class LeavingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on('error', () => void this.connection.stream.destroy())
  }
}

/** Prepares a new connection. Set here and not in the URL, so that no setting of a role or database decides the meaning of a commit. */
async function prepare(client: pg.PoolClient, schema: string | null, settings: PoolSettings): Promise<void> {
  // Without a listener the loss of a connection in use would end the process.
  client.on('error', () => undefined)
  const path = schema === null ? "''" : `"${schema}"`
  await client.query(
    `SET search_path = ${path}; SET synchronous_commit = on; SET default_transaction_read_only = off;
     SET statement_timeout = ${settings.statement_timeout_ms};
     SET idle_in_transaction_session_timeout = ${settings.idle_transaction_timeout_ms}`,
  )
  const { rows } = await client.query<{ encoding: string; version: string }>(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num') AS version",
  )
  const [server] = rows
  if (server?.encoding !== 'UTF8') throw refusal(`the database must have the encoding UTF8, not ${server?.encoding}`)
  if (Number(server.version) < OLDEST_VERSION)
    throw refusal('the database server is too old: PostgreSQL 14 or newer is needed')
}

/** A connection of the pool: translates errors, escapes values, and gives itself back as lost where it is lost. */
export class Connection {
  readonly sql = createSql('postgres', <R>(text: string, values?: readonly unknown[]) => this.query<R>(text, values))
  readonly #client: pg.PoolClient
  /** The error that lost the connection: a lost connection may never answer. */
  #loss: unknown

  private constructor(client: pg.PoolClient) {
    this.#client = client
  }

  static async open(pool: pg.Pool, url: string): Promise<Connection> {
    try {
      return new Connection(await pool.connect())
    } catch (error) {
      throw toConnectError(error, serverOf(url))
    }
  }

  private async query<R>(text: string, values: readonly unknown[] = []): Promise<Rows<R>> {
    if (this.#loss !== undefined) throw this.#loss
    try {
      const results: pg.QueryResult | pg.QueryResult[] = await this.#client.query(text, values.map(encodeValue))
      // Of several statements the last one answers.
      const result = Array.isArray(results) ? results.at(-1) : results
      return { rows: (result?.rows ?? []) as R[], changes: result?.rowCount ?? 0 }
    } catch (error) {
      if (isLost(error)) this.#loss ??= error
      throw toServerError(error)
    }
  }

  release(): void {
    this.#client.release(this.#loss !== undefined)
  }
}

/** Runs statements of the transaction or the schema, without values; returns the rows of the last statement. */
export const say = async <R>(sql: Sql, text: string): Promise<R[]> => (await sql.query<R>(text)).rows

const TEXT = 25
const BIGINT = 20
/** Counts and the order of writing stay far below 2^53. */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary')
    if (oid === TEXT) return decodeText
    return oid === BIGINT ? Number : pg.types.getTypeParser(oid, 'text')
  },
} as pg.CustomTypesConfig

/** Names `host:port`, or the folder of a socket, as the driver reads the URL; null for an unreadable URL. Never names the password. */
function serverOf(url: string): string | null {
  try {
    const { host, port } = new pg.Client({ connectionString: url })
    return host.startsWith('/') ? host : `${host}:${port}`
  } catch {
    return null
  }
}

/**
 * Text columns of PostgreSQL cannot hold NUL, which callers may well send. Both characters below become two; all others stay as they
 * are. One-to-one, and the order of bytes stays, so that lists and pages stand as in SQLite.
 */
const ESCAPE = '\u0001'
const OF_NUL = '\u0001\u0001'
const OF_ESCAPE = '\u0001\u0002'
const ESCAPED = new RegExp(`${OF_NUL}|${OF_ESCAPE}`, 'g')

/** Escapes a text for a text column. A lone surrogate becomes U+FFFD, as in SQLite; JSON carries those in escapes of its own. */
export const encodeText = (text: string): string =>
  text.toWellFormed().replaceAll(ESCAPE, OF_ESCAPE).replaceAll('\0', OF_NUL)

/** Restores a text, from left to right: an escape is always followed by the character that tells the two apart. */
export const decodeText = (stored: string): string =>
  stored.replace(ESCAPED, (pair) => (pair === OF_NUL ? '\0' : ESCAPE))

function encodeValue(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map(encodeValue) : value
}
