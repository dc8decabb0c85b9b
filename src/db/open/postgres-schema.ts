import { type Db, first, type Sql } from '../db.ts'
import { refusal } from '../errors.ts'
import {
  APPLIED,
  type Applied,
  digestSql,
  isComplete,
  type Migration,
  missingOf,
  OLD_ROWS,
  type OldRow,
  postgresMigrations,
  refuseOld,
} from './migrate.ts'
import { connectPostgres, type PoolSettings } from './postgres.ts'

/** The schema of a service. */
const SCHEMA = 'veridict'

/** Opens a database; makes and migrates its schema where needed. Rejects with a StorageError for an unusable database. */
export async function openPostgres(url: string, settings: PoolSettings, schema = SCHEMA): Promise<Db> {
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
  const server = await first<{ ms: number }>(sql)`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`
  const ms = server?.ms ?? asked
  const difference = Math.max(asked - ms, ms - Date.now())
  if (difference > MOST_DIFFERENCE_MS)
    throw refusal(
      `the clock of this machine and that of the database server differ by ${Math.round(difference / 1000)} s: set both by NTP`,
    )
}

/** Runs statements of the transaction or the schema, without values; returns the rows of the last statement. */
const say = async <R>(sql: Sql, text: string): Promise<R[]> => (await sql.query<R>(text)).rows

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
    await say(sql, `SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'))`)
    // The role that made the schema for us need not let us make others.
    const known = await say(sql, `SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)
    if (known.length === 0) await say(sql, `CREATE SCHEMA "${schema}"`)
    await say(
      sql,
      `CREATE TABLE IF NOT EXISTS "${schema}".schema_migrations (
         name text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    )
    const applied = await say<Applied>(sql, APPLIED)
    const missing = missingOf(applied, migrations)
    if (applied.length > 0) await assertReadableSchema(sql, schema, missing.length > 0)
    for (const { name, sql: text } of missing) {
      await say(sql, text)
      await say(sql, `INSERT INTO schema_migrations (name, sha256) VALUES ('${name}', '${digestSql(text)}')`)
    }
  })
}

/** Schemas of further projects, which earlier versions made. A schema without the own table belongs to another program. */
const FURTHER = `
  SELECT nspname::text AS id FROM pg_catalog.pg_namespace
  WHERE nspname::text ~ '^veridict_[a-z0-9][a-z0-9-]{0,39}$'
    AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL
  ORDER BY nspname LIMIT 1`

/** Processes of an older version that spoke within the last minute. */
const OLD_PROCESSES =
  "SELECT count(*)::integer AS n FROM processes WHERE seen_at > clock_timestamp() - interval '1 minute'"

/** Rejects with a StorageError for a schema that this version cannot read, or that is to change while processes of an older version use it. */
async function assertReadableSchema(sql: Sql, schema: string, changes: boolean): Promise<void> {
  const has = async (table: string, column: string): Promise<boolean> =>
    (await first(sql)`SELECT 1 AS found FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ${table} AND column_name = ${column}`) !== undefined
  for (const { table, column, query, refuse } of OLD_ROWS) {
    const [row] = (await has(table, column)) ? await say<OldRow>(sql, query) : []
    if (row !== undefined) throw refuse(row)
  }
  const [further] = schema === SCHEMA ? await say<OldRow>(sql, FURTHER) : []
  if (further !== undefined) throw refuseOld(`the database has the schema ${further.id} of a further project`)
  const [old] = changes && (await has('processes', 'seen_at')) ? await say<{ n: number }>(sql, OLD_PROCESSES) : []
  if (old !== undefined && old.n > 0)
    throw refusal(
      `its schema is older than this program, and ${old.n} of the older processes that use it may live: stop them all, then start this one ` +
        '(one that was killed counts as living for a minute)',
    )
}

/** Tells whether the schema exists and would be opened without a migration. */
export async function isSchemaMigrated(url: string, settings: PoolSettings): Promise<boolean> {
  const { read, close } = connectPostgres(url, { ...settings, max_connections: 1 }, null)
  try {
    const own = `"${SCHEMA}".schema_migrations`
    const [table] = await say<{ name: string | null }>(read, `SELECT pg_catalog.to_regclass('${own}')::text AS name`)
    if (table === undefined || table.name === null) return false
    return isComplete(await say<Applied>(read, `SELECT name FROM ${own}`), postgresMigrations())
  } finally {
    await close()
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
  const { connect, close } = connectPostgres(url, patient, SCHEMA)
  const read = (sql: Sql) =>
    async function* <T>(text: string) {
      await say(sql, `DECLARE exported NO SCROLL CURSOR FOR ${text}`)
      const fetch = () => say<T>(sql, `FETCH ${ROWS_AT_ONCE} FROM exported`)
      for (let rows = await fetch(); rows.length > 0; rows = await fetch()) yield* rows
      await say(sql, 'CLOSE exported')
    }
  try {
    await connect(async (sql) => {
      await say(sql, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await work(read(sql))
    })
  } finally {
    await close()
  }
}
