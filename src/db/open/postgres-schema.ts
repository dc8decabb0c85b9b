import { type Db, first, type Sql } from '../db.ts'
import { refusal } from '../errors.ts'
import {
  APPLIED,
  type Applied,
  assertNone,
  isComplete,
  type Migration,
  missingOf,
  postgresMigrations,
  reasonsAgainst,
  recordOf,
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

/** Any number that other programs are unlikely to lock. */
const LOCK = 0x7e8d1c7

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
  await db.write(async (sql) => {
    await sql.query(begin)
    const applied = (await sql.query<Applied>(APPLIED)).rows
    for (const migration of missingOf(applied, migrations)) {
      const reasons = applied.length > 0 ? reasonsAgainst(migration, 'postgres') : null
      if (reasons !== null) assertNone((await sql.query<{ why: string | null }>(reasons)).rows, 'the database')
      await sql.query(migration.sql)
      await sql.query(recordOf(migration))
    }
  })
}

/** Tells whether the schema exists and would be opened without a migration. */
export async function isSchemaMigrated(url: string, settings: PoolSettings): Promise<boolean> {
  const { read, close } = connectPostgres(url, { ...settings, max_connections: 1 }, null)
  try {
    const own = `"${SCHEMA}".schema_migrations`
    const [table] = (await read.query<{ name: string | null }>(`SELECT to_regclass('${own}')::text AS name`)).rows
    if (table === undefined || table.name === null) return false
    return isComplete((await read.query<Applied>(`SELECT name FROM ${own}`)).rows, postgresMigrations())
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
      await sql.query(`DECLARE exported NO SCROLL CURSOR FOR ${text}`)
      const fetch = async () => (await sql.query<T>(`FETCH ${ROWS_AT_ONCE} FROM exported`)).rows
      for (let rows = await fetch(); rows.length > 0; rows = await fetch()) yield* rows
      await sql.query('CLOSE exported')
    }
  try {
    await connect(async (sql) => {
      await sql.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await work(read(sql))
    })
  } finally {
    await close()
  }
}
