import { setTimeout as delay } from 'node:timers/promises'
import { type CompiledQuery, type Driver, PostgresDriver, type QueryResult, sql as raw } from 'kysely'
import pg from 'pg'
import { type Db, openKysely, type Sql, Undo, valueOfUndone } from '../db.ts'
import { isLost, isSerializationFailure, refusal, StorageError, toConnectError, toServerError } from '../errors.ts'
import { assertKnown, digestSql, isComplete, type Migration, postgresMigrations } from './migrate.ts'
import { FOREIGN_KEY, OUTSIDE, refuseKey, refuseOutside, refuseProjects } from './old-store.ts'

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

/** An open PostgreSQL database. */
export interface PostgresDb extends Db {
  readonly kind: 'postgres'
  readonly url: string
}

/** The schema of a service. */
export const SCHEMA = 'veridict'

/** The driver waits longer than the server, for a server that does not answer at all. */
const GRACE_MS = 5_000
const IDLE_MS = 30_000
const OLDEST_VERSION = 140_000

/** A commit without an answer. */
class Unanswered extends Error {
  readonly transaction: string
  readonly value: unknown
  constructor(transaction: string, value: unknown, cause: unknown) {
    super('COMMIT was not answered', { cause })
    this.transaction = transaction
    this.value = value
  }
}

/** The number of a transaction is known from its beginning: a process that does not hear of the end can ask. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text AS id'
const STATUS_TRIES = 5

/** Opens a database; makes and migrates its schema where needed. Rejects with a StorageError for an unusable database. */
export async function openPostgres(url: string, settings: PoolSettings, schema = SCHEMA): Promise<PostgresDb> {
  const patient = connectPostgres(url, { ...settings, max_connections: 1, statement_timeout_ms: 0 }, schema)
  try {
    await migratePostgres(patient, schema)
    await assertSameTime(patient.read)
  } finally {
    await patient.close()
  }
  return connectPostgres(url, settings, schema)
}

/** A call in flight is lost by its age, which other machines compute: their clocks may differ by a part of the grace. */
const MOST_DIFFERENCE_MS = 10_000

/** Rejects with a StorageError where the clock of this machine and that of the server are too far apart. */
async function assertSameTime(sql: Sql): Promise<void> {
  const asked = Date.now()
  const { rows } = await raw<{ ms: number }>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`.execute(
    sql,
  )
  const server = rows[0]?.ms ?? asked
  const difference = Math.max(asked - server, server - Date.now())
  if (difference > MOST_DIFFERENCE_MS)
    throw refusal(
      `the clock of this machine and that of the database server differ by ${Math.round(difference / 1000)} s: set both by NTP`,
    )
}

/** Opens a database as it is, without a look at its schema; with a null schema no bare name is looked up. */
export function connectPostgres(url: string, settings: PoolSettings, schema: string | null): PostgresDb {
  const pool = openPool(url, schema, settings)
  const read = openKysely('postgres', () => createDriver(pool, url))
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  async function transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return read.connection().execute(async (sql) => {
      const [begun] = (await say(sql, BEGIN)).rows as { id: string }[]
      let value: T
      try {
        value = await work(sql)
      } catch (error) {
        // The work may have failed at another connection than its own.
        await say(sql, 'ROLLBACK').catch(() => undefined)
        throw error
      }
      await say(sql, 'COMMIT').catch((error: unknown) => {
        throw isLost(causeOf(error)) ? new Unanswered(begun?.id ?? '', value, error) : error
      })
      return value
    })
  }

  /** Asks for the end of a transaction whose COMMIT was not answered. */
  async function isCommitted({ transaction, cause }: Unanswered): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const ended = await raw<{ status: string }>`SELECT pg_xact_status(${transaction}::xid8) AS status`.execute(read)
        const status = ended.rows[0]?.status
        if (status === 'committed' || status === 'aborted') return status === 'committed'
      } catch (error) {
        if (tries >= STATUS_TRIES) throw error
      }
      if (tries >= STATUS_TRIES)
        throw new StorageError('storage_busy', 'the database server was lost at a commit', { cause })
      await delay(100 * tries)
    }
  }

  /** Runs a unit of work once; its end is known. */
  async function writeOnce<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await transact(work)
    } catch (error) {
      if (error instanceof Undo) return valueOfUndone<T>(error)
      if (!(error instanceof Unanswered)) throw error
      if (await isCommitted(error)) return error.value as T
      throw error.cause
    }
  }

  /** Repeats a unit of work that the server gave up for another, or whose connection was lost before its commit. */
  async function write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const mayTryAgain = createPatience()
    for (;;) {
      try {
        return await writeOnce(work)
      } catch (error) {
        if (!(await mayTryAgain(causeOf(error)))) throw error
      }
    }
  }

  return {
    kind: 'postgres',
    url,
    process: `prc_${crypto.randomUUID()}`,
    read,
    write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      if (closing !== undefined) return Promise.reject(refusal('the database is closed'))
      const written = write(work)
      const forget = () => void running.delete(written)
      written.then(forget, forget)
      running.add(written)
      return written
    },
    close() {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

/** Serialization failures of one unit of work; the delays in between grow. */
const MOST_TRIES = 10
/** A server that restarts is back for the second connection; a longer absence is for the caller to wait out. */
const MOST_CONNECTIONS = 2

/** Tells whether a unit of work that failed is worth another try, after the delay that the try needs. */
function createPatience(): (cause: unknown) => Promise<boolean> {
  let [tries, connections] = [1, 1]
  return async (cause) => {
    if (isLost(cause)) return ++connections <= MOST_CONNECTIONS
    if (!isSerializationFailure(cause) || ++tries > MOST_TRIES) return false
    await delay(2 ** Math.min(tries, 7) * (1 + Math.random()))
    return true
  }
}

const causeOf = (error: unknown): unknown => (error as { cause?: unknown } | null)?.cause ?? error

/** Runs a statement of the transaction or the schema, without values. */
const say = (sql: Sql, text: string) =>
  sql.executeQuery({ sql: text, parameters: [], query: { kind: 'RawNode' } } as unknown as CompiledQuery)

/** Opens the connections. With a null schema no bare name is looked up. */
function openPool(url: string, schema: string | null, settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: settings.max_connections,
    connectionTimeoutMillis: settings.connect_timeout_ms,
    query_timeout: settings.statement_timeout_ms === 0 ? 0 : settings.statement_timeout_ms + GRACE_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
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

/** Translates the errors of kysely’s driver, escapes its values, and gives a lost connection back as such. */
function createDriver(pool: pg.Pool, url: string): Driver {
  return new PostgresDriver({
    pool: {
      async connect() {
        const client = await pool
          .connect()
          .catch((error: unknown) => Promise.reject(toConnectError(error, serverOf(url))))
        let loss: unknown
        return {
          query: (text: string, values: readonly unknown[]) =>
            // A lost connection may never answer.
            (loss === undefined ? client.query(text, values.map(encodeValue)) : Promise.reject(loss)).then(
              // Of several statements the last one answers.
              (result) => (Array.isArray(result) ? result.at(-1) : result),
              (error: unknown) => {
                if (isLost(error)) loss ??= error
                throw toServerError(error)
              },
            ),
          release: () => client.release(loss !== undefined),
        } as never
      },
      end: () => pool.end(),
      options: {},
    },
  })
}

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
export function serverOf(url: string): string | null {
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

/** Escapes a text for a text column. A lone surrogate becomes U+FFFD, as in SQLite; JSON carries those in escapes of its own. */
export function encodeText(text: string): string {
  const well = text.toWellFormed()
  if (!well.includes(ESCAPE) && !well.includes('\0')) return well
  return well.replaceAll(ESCAPE, OF_ESCAPE).replaceAll('\0', OF_NUL)
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  let [text, from] = ['', 0]
  // From left to right: an escape is always followed by the character that tells the two apart.
  for (let at = stored.indexOf(ESCAPE); at !== -1; at = stored.indexOf(ESCAPE, from)) {
    text += stored.slice(from, at) + (stored[at + 1] === ESCAPE ? '\0' : ESCAPE)
    from = at + 2
  }
  return text + stored.slice(from)
}

function encodeValue(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map(encodeValue) : value
}

/** Any number that other programs are unlikely to lock. */
const LOCK = 0x7e8d1c7

/**
 * Makes the schema where it is missing and applies the missing migrations, all in one transaction, one process at a time. Rejects with a
 * StorageError as the migrations of SQLite do.
 */
export async function migratePostgres(
  db: Pick<Db, 'write'>,
  schema: string,
  migrations: readonly Migration[] = postgresMigrations(),
): Promise<void> {
  await db.write(async (sql) => {
    const rows = async <T>(text: string): Promise<T[]> => (await say(sql, text)).rows as T[]
    await say(sql, `SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'))`)
    // The role that made the schema for us need not let us make others.
    const known = await rows(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)
    if (known.length === 0) await say(sql, `CREATE SCHEMA "${schema}"`)
    await say(
      sql,
      `CREATE TABLE IF NOT EXISTS "${schema}".schema_migrations (
         name text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    )
    const applied = await rows<{ name: string; sha256: string }>('SELECT name, sha256 FROM schema_migrations')
    const digests = new Map(applied.map(({ name, sha256 }) => [name, sha256]))
    assertKnown(digests, migrations)
    const missing = migrations.filter(({ name }) => !digests.has(name))
    if (applied.length > 0) await assertReadableSchema(rows, schema, missing.length > 0)
    for (const { name, sql: text } of missing) {
      await say(sql, text)
      await say(sql, `INSERT INTO schema_migrations (name, sha256) VALUES ('${name}', '${digestSql(text)}')`)
    }
  })
}

/** Schemas of further projects, which earlier versions made. A schema without the own table belongs to another program. */
const FURTHER = `
  SELECT nspname::text AS name FROM pg_catalog.pg_namespace
  WHERE nspname::text ~ '^veridict_[a-z0-9][a-z0-9-]{0,39}$'
    AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL
  ORDER BY nspname LIMIT 1`

/** Processes of an older version that spoke within the last minute. */
const OLD_PROCESSES =
  "SELECT count(*)::integer AS n FROM processes WHERE seen_at > clock_timestamp() - interval '1 minute'"

const hasColumn = (table: string, column: string): string =>
  `SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name = '${column}'`

type Rows = <T>(text: string) => Promise<T[]>

/** Rejects with a StorageError for a schema that this version cannot read, or that is to change while processes of an older version use it. */
async function assertReadableSchema(rows: Rows, schema: string, changes: boolean): Promise<void> {
  const has = async (table: string, column: string) => (await rows(hasColumn(table, column))).length > 0
  if ((await has('trajectories', 'outside_bytes')) && (await rows(OUTSIDE)).length > 0) throw refuseOutside()
  const [further] = schema === SCHEMA ? await rows<{ name: string }>(FURTHER) : []
  if (further !== undefined) throw refuseProjects(`the database has the schema ${further.name} of a further project`)
  const [key] = (await has('api_keys', 'project')) ? await rows<Parameters<typeof refuseKey>[0]>(FOREIGN_KEY) : []
  if (key !== undefined) throw refuseKey(key)
  const [old] = changes && (await has('processes', 'seen_at')) ? await rows<{ n: number }>(OLD_PROCESSES) : []
  if (old !== undefined && old.n > 0)
    throw refusal(
      `its schema is older than this program, and ${old.n} of the older processes that use it may live: stop them all, then start this one ` +
        '(one that was killed counts as living for a minute)',
    )
}

/** Tells whether the schema exists and would be opened without a migration. */
export async function isSchemaMigrated(url: string, settings: PoolSettings): Promise<boolean> {
  const db = connectPostgres(url, { ...settings, max_connections: 1 }, null)
  const rows = async <T>(text: string): Promise<T[]> => (await say(db.read, text)).rows as T[]
  try {
    const [table] = await rows<{ name: string | null }>(
      `SELECT pg_catalog.to_regclass('"${SCHEMA}".schema_migrations')::text AS name`,
    )
    if (table === undefined || table.name === null) return false
    const applied = await rows<{ name: string }>(`SELECT name FROM "${SCHEMA}".schema_migrations`)
    return isComplete(
      applied.map(({ name }) => name),
      postgresMigrations(),
    )
  } finally {
    await db.close()
  }
}

/** Rows of one round trip of an export: each may hold a whole trajectory. */
const ROWS_AT_ONCE = 20

/** Hands readings of one state of the database to `work`; other processes may write meanwhile. Rejects with a StorageError. */
export async function readPostgresSnapshot(
  url: string,
  settings: PoolSettings,
  work: (read: <T>(text: string) => AsyncIterable<T>) => Promise<void>,
): Promise<void> {
  if (!(await isSchemaMigrated(url, settings))) throw refusal('the database has no schema of this version')
  // The reader of an export may be slow: no statement and no pause between two statements has a limit.
  const patient = { ...settings, max_connections: 1, statement_timeout_ms: 0, idle_transaction_timeout_ms: 0 }
  const db = connectPostgres(url, patient, SCHEMA)
  try {
    await db.read.connection().execute(async (sql) => {
      await say(sql, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await work(async function* <T>(text: string) {
        await say(sql, `DECLARE exported NO SCROLL CURSOR FOR ${text}`)
        for (;;) {
          const { rows }: QueryResult<unknown> = await say(sql, `FETCH ${ROWS_AT_ONCE} FROM exported`)
          if (rows.length === 0) break
          yield* rows as T[]
        }
        await say(sql, 'CLOSE exported')
      })
    })
  } finally {
    await db.close()
  }
}
