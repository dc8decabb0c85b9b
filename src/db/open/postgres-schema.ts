import { type Db, first, type Sql } from '../db.ts'
import { refusal } from '../errors.ts'
import { type Applied, isComplete, type Migration, migrate, postgresMigrations } from './migrate.ts'
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

/** The schema of a further project, which earlier versions made. A schema without the own table belongs to another program. */
const FURTHER = `
  SELECT nspname::text AS name FROM pg_catalog.pg_namespace
  WHERE nspname::text ~ '^veridict_[a-z0-9][a-z0-9-]{0,39}$' AND current_schema() = '${SCHEMA}'
    AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL
  ORDER BY nspname LIMIT 1`

/** Makes the schema where it is missing, and migrates it, one process at a time. Rejects with a StorageError as the migrations of SQLite do. */
export async function migratePostgres(
  db: Pick<Db, 'write'>,
  schema: string,
  migrations: readonly Migration[] = postgresMigrations(),
): Promise<void> {
  const begin = `
    SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'));
    DO $$ BEGIN
      -- The role that made the schema for us need not let us make others.
      IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA "${schema}"; END IF;
    END $$;
    CREATE TABLE IF NOT EXISTS "${schema}".schema_migrations (
      name text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`
  const hasColumn = (table: string, column: string): string =>
    `SELECT 1 FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name = '${column}'`
  const others = {
    column: ['schema_migrations', 'name'] as const,
    query: FURTHER,
    why: (name: string) => `the database has the schema ${name} of a further project`,
  }
  await db.write(async (sql) => {
    const steps = migrate({ name: 'the database', migrations, begin, hasColumn, others, isRun: () => false })
    for (let step = steps.next(); step.done !== true; ) step = steps.next(await say(sql, step.value))
  })
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
