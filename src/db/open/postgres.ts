import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { closed, createSql, type Db, type Rows, type Sql, Undo, type Work } from '../db.ts'
import { isLost, isSerializationFailure, refusal, StorageError, toConnectError, toServerError } from '../errors.ts'
import { migratePostgres } from './migrate.ts'

/** The connections of a process to a PostgreSQL, as `config/settings.ts` describes them; 0 milliseconds: no limit. */
type PoolSettings = Readonly<
  Record<'max_connections' | `${'connect' | 'statement' | 'idle_transaction'}_timeout_ms`, number>
>
export type PostgresOptions = PoolSettings & Readonly<{ url: string; schema?: string; keeps?: boolean }>

/** One connection whose statements have no limit. */
const PATIENT = { max_connections: 1, statement_timeout_ms: 0 }

/** Opens a database; makes and migrates its schema where needed. Rejects with a StorageError for an unusable database. */
export async function openPostgres({ url, schema = 'veridict', keeps, ...settings }: PostgresOptions): Promise<Db> {
  const patient = connectPostgres(url, { ...settings, ...PATIENT }, schema)
  try {
    await migratePostgres(patient, schema, undefined, keeps)
    await assertSameTime(patient.read)
  } finally {
    await patient.close()
  }
  return connectPostgres(url, settings, schema)
}

/** A call in flight is lost by its age, which other machines compute: their clocks may differ by a part of the grace. */
const MOST_DIFFERENCE_MS = 10_000

async function assertSameTime(sql: Sql): Promise<void> {
  const asked = Date.now()
  const server = await sql.first<{ ms: number }>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`
  const ms = server?.ms ?? asked
  const difference = Math.max(asked - ms, ms - Date.now())
  const by = `${Math.round(difference / 1000)} s: set both by NTP`
  if (difference > MOST_DIFFERENCE_MS)
    throw refusal(`the clock of this machine and that of the database server differ by ${by}`)
}

/** Rows of one round trip of an export: each may hold a whole trajectory. */
const ROWS_AT_ONCE = 20

/** Opens a database as it is, without a look at its schema. */
export function connectPostgres(url: string, settings: PoolSettings, schema: string): Db {
  const pool = openPool(url, schema, settings)
  const read = createSql('postgres', (text, values) => onConnection(pool, (sql) => sql.query(text, values)))
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    process: `prc_${crypto.randomUUID()}`,
    read,
    snapshot(work) {
      // The reader of an export, and the disk, may be slow: neither a statement nor a pause between two statements has a limit.
      const patient = openPool(url, schema, { ...settings, ...PATIENT, idle_transaction_timeout_ms: 0 })
      return onConnection(patient, async ({ query }) => {
        await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const fetch = async <T>() => (await query<T>(`FETCH ${ROWS_AT_ONCE} FROM exported`)).rows
        const read = async function* <T>(text: string) {
          await query(`DECLARE exported NO SCROLL CURSOR FOR ${text}`)
          for (let rows = await fetch<T>(); rows.length > 0; rows = await fetch<T>()) yield* rows
          await query('CLOSE exported')
        }
        await work(read)
      }).finally(() => patient.end())
    },
    write<T>(work: Work<T>): Promise<T> {
      if (closing !== undefined) return Promise.reject(closed())
      const written = write(pool, read, work).finally(() => running.delete(written))
      running.add(written)
      return written
    },
    close() {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

/** The driver waits longer than the server, for a server that does not answer at all. */
const GRACE_MS = 5_000
const IDLE_MS = 30_000
const OLDEST_VERSION = 140_000

function openPool(url: string, schema: string, settings: PoolSettings): pg.Pool {
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

/** Closes its connection where connecting fails on our side (no password): the driver leaves it open, which keeps the process alive for a minute. */
class LeavingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on('error', () => void this.connection.stream.destroy())
  }
}

/** Prepares a new connection. Set here and not in the URL, so that no setting of a role or database decides the meaning of a commit. */
async function prepare(client: pg.PoolClient, schema: string, settings: PoolSettings): Promise<void> {
  // Without a listener the loss of a connection in use would end the process.
  client.on('error', () => undefined)
  const results: unknown = await client.query(
    `SET search_path = "${schema}"; SET synchronous_commit = on; SET default_transaction_read_only = off;
     SET statement_timeout = ${settings.statement_timeout_ms};
     SET idle_in_transaction_session_timeout = ${settings.idle_transaction_timeout_ms};
     SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version`,
  )
  const server = (results as pg.QueryResult<{ encoding: string; version: number }>[]).at(-1)?.rows[0]
  if (server?.encoding !== 'UTF8') throw refusal(`the database must have the encoding UTF8, not ${server?.encoding}`)
  if (server.version < OLDEST_VERSION) throw refusal('the database server is too old: PostgreSQL 14 or newer is needed')
}

/** Does work on one connection, which goes back to the pool afterwards, or is closed where it was lost: it may never answer. */
async function onConnection<T>(pool: pg.Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toConnectError(error)
  })
  let loss: unknown
  const query = async <R>(text: string, values: readonly unknown[] = []): Promise<Rows<R>> => {
    if (loss !== undefined) throw loss
    try {
      const results: pg.QueryResult | pg.QueryResult[] = await client.query(text, values.map(encodeValue))
      // Of several statements the last one answers.
      const result = Array.isArray(results) ? results.at(-1) : results
      return { rows: (result?.rows ?? []) as R[], changes: result?.rowCount ?? 0 }
    } catch (error) {
      if (isLost(error)) loss ??= error
      throw toServerError(error)
    }
  }
  try {
    return await work(createSql('postgres', query))
  } finally {
    client.release(loss !== undefined)
  }
}

/** Serialization failures of one unit of work; the delays in between grow. */
const MOST_TRIES = 10
/** A server that restarts is back for the second connection; a longer absence is for the caller to wait out. */
const MOST_CONNECTIONS = 2
const STATUS_TRIES = 5

/** Runs a unit of work in a transaction; again where the server gave it up for another, or where its connection was lost before its commit. */
async function write<T>(pool: pg.Pool, read: Sql, work: Work<T>): Promise<T> {
  for (let [tries, connections] = [1, 1]; ; ) {
    // The transaction whose COMMIT is sent, and its value.
    const sent: { readonly id: string | undefined; readonly value: T }[] = []
    try {
      return await onConnection(pool, async (sql) => {
        // The number of a transaction is known from its beginning: a process that does not hear of the end can ask.
        const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text AS id'
        const begun = sql.query<{ id: string }>(begin)
        begun.catch(() => undefined)
        const value = await work(sql).catch(async (error: unknown) => {
          // The work may have failed at another connection than its own.
          await sql.query('ROLLBACK').catch(() => undefined)
          // A beginning that failed lets the work fail.
          await begun
          throw error
        })
        sent.push({ id: (await begun).rows[0]?.id, value })
        await sql.query('COMMIT')
        return value
      })
    } catch (error) {
      if (error instanceof Undo) return error.cause as T
      const cause = (error as { cause?: unknown } | null)?.cause ?? error
      const [commit] = sent
      const hasLost = isLost(cause)
      if (hasLost && commit !== undefined && (await isCommitted(read, commit.id, error))) return commit.value
      if (hasLost ? ++connections > MOST_CONNECTIONS : !isSerializationFailure(cause) || ++tries > MOST_TRIES)
        throw error
      await delay(2 ** Math.min(tries, 7) * (1 + Math.random()))
    }
  }
}

/** Asks for the end of a transaction whose COMMIT was not answered. Rejects where the end stays unknown. */
async function isCommitted(read: Sql, transaction: string | undefined, cause: unknown): Promise<boolean> {
  for (let tries = 1; tries <= STATUS_TRIES; tries++) {
    const asked = read.first<{ status: string }>`SELECT pg_xact_status(${transaction}::xid8) AS status`
    const status = (await asked.catch(() => undefined))?.status
    if (status === 'committed' || status === 'aborted') return status === 'committed'
    await delay(100 * tries)
  }
  throw new StorageError('storage_busy', 'the database server was lost at a commit', { cause })
}

/** Stands for NUL, which text columns cannot hold, and for itself: one-to-one, and the order of bytes stays, so that lists stand as in SQLite. */
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

/** Parsers by type: text and bigint. Counts and the order of writing stay far below 2^53. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = { 20: Number, 25: decodeText }
const TYPES = {
  getTypeParser: (oid: number, format: 'text' | 'binary' = 'text') =>
    (format === 'text' && PARSERS[oid]) || pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

function encodeValue(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map(encodeValue) : value
}
