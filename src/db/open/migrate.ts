import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import type { Db } from '../db.ts'
import { refusal, StorageError } from '../errors.ts'
import { isRun } from './run-lock.ts'

export type Migration = Readonly<Record<'name' | 'sql', string>>

/** An applied migration, as the database records it. */
export type Applied = Readonly<Record<'name' | 'sha256', string>>

/** Reads the numbered files of a database, in order. */
export function readMigrations(kind: Db['kind']): readonly Migration[] {
  const folder = new URL(kind === 'postgres' ? 'postgres/' : '.', new URL('../../../migrations/', import.meta.url))
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }))
}

export const APPLIED = 'SELECT name, sha256 FROM schema_migrations ORDER BY name'

const digestSql = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/** Lists the missing migrations. Throws a StorageError for a database newer than the code, for a changed migration, and with `keeps` for a missing one. */
export function missingOf(applied: readonly Applied[], migrations: readonly Migration[], keeps = false) {
  for (const { name, sha256 } of applied) {
    const known = migrations.find((migration) => migration.name === name)
    const unknown = `it has the unknown migration ${name}; use a newer version`
    if (known === undefined) throw refusal(`the database is newer than this version of Veridict: ${unknown}`)
    if (digestSql(known.sql) !== sha256)
      throw refusal(`migration ${name} was changed after it was applied; restore the file`)
  }
  const missing = migrations.filter(({ name }) => !applied.some((known) => known.name === name))
  if (keeps && missing.length > 0)
    throw refusal('the database is of an older version: back it up, then migrate it by `veridict status`')
  return missing
}

/** The migration from the tables of earlier versions. */
const TWELVE_TABLES = '0012_twelve_tables.sql'

/** Selects 0 where a database of an earlier version has bodies in an S3 store or a further project, and 1 where a process of its version lives. */
const ANYWHERE = `
  SELECT 0 AS in_use FROM trajectories WHERE outside_bytes IS NOT NULL
  UNION SELECT 0 FROM attempts WHERE outside_bytes IS NOT NULL
  UNION SELECT 0 FROM api_keys WHERE project <> 'default' AND revoked_at IS NULL`
const REASONS = {
  sqlite: `${ANYWHERE}
  UNION SELECT 0 FROM settings WHERE name = 'project' AND CAST(value AS TEXT) <> 'default'
  UNION SELECT 1 FROM processes WHERE seen_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-60 seconds')`,
  postgres: `${ANYWHERE}
  UNION SELECT 0 FROM pg_catalog.pg_namespace
    WHERE nspname::text ~ '^veridict_[a-z0-9][a-z0-9-]{0,39}$' AND current_schema() = 'veridict'
      AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL
  UNION SELECT 1 FROM processes WHERE seen_at > now() - interval '60 seconds'`,
}

/** Throws a StorageError, with the steps that carry the grades over, where there is a reason against the migration. */
function assertNone(reasons: readonly { readonly in_use: number }[], shown: string): void {
  if (reasons.some(({ in_use }) => in_use === 0))
    throw refusal(
      `${shown} has bodies in an S3 store, or several projects, which this version cannot read. Check out commit ` +
        '93cd84585bdfdcc74d0c9f078c2b02f2285f8990 of Veridict, run `npm run veridict -- export --all-projects --out FOLDER` there ' +
        'with the settings of the store, then run `veridict import FILE` here with each file of FOLDER and a new database',
    )
  if (reasons.length > 0) throw inUse(shown)
}

const STOP = 'stop the service and its commands first (one that was killed counts as living for a minute)'
const inUse = (shown: string): StorageError =>
  new StorageError('storage_busy', `${shown} is in use by a living process: ${STOP}`)

/** Renders the statements that apply a migration and record it. */
const scriptOf = ({ name, sql }: Migration): string =>
  `${sql}\n;INSERT INTO schema_migrations VALUES ('${name}', '${digestSql(sql)}', '${new Date().toISOString()}')`

export const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

const TABLE =
  'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT'

/** Applies the missing migrations of an SQLite database in one transaction. Throws a StorageError as `missingOf`, and for a database in use. */
export function migrateSqlite(db: Database.Database, migrations = readMigrations('sqlite'), keeps = false): void {
  // A migration may write the schema itself.
  db.unsafeMode(true)
  try {
    db.transaction(() => {
      db.exec(TABLE)
      const applied = db.prepare<[], Applied>(APPLIED).all()
      const missing = missingOf(applied, migrations, keeps)
      if (applied.length > 0 && missing.length > 0 && !db.memory && isRun(db.name)) throw inUse(db.name)
      for (const migration of missing) {
        if (applied.length > 0 && migration.name === TWELVE_TABLES)
          assertNone([...furtherProjects(db), ...db.prepare<[], { in_use: number }>(REASONS.sqlite).all()], db.name)
        db.exec(scriptOf(migration))
      }
    }).immediate()
  } finally {
    db.unsafeMode(false)
  }
}

/** Finds the databases of further projects that stand beside a file, as `REASONS` would. */
function furtherProjects({ name, memory }: Database.Database) {
  const folder = join(dirname(name), 'projects')
  const files = memory || !existsSync(folder) ? [] : readdirSync(folder)
  return files.filter((file) => file.endsWith('.sqlite')).map(() => ({ in_use: 0 }))
}

export const JOBS_SCHEMA = 'veridict_jobs'

/** Makes a schema where it is missing: the role that made the schemas for us need not let us make others. */
const createMissing = (name: string): string =>
  `IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${name}') THEN CREATE SCHEMA "${name}"; END IF;`

/** Any number that other programs are unlikely to lock. */
const LOCK = 0x7e8d1c7

/** Makes a schema of PostgreSQL where the schema is missing, and migrates it, one process at a time. Rejects with a StorageError as `migrateSqlite`. */
export async function migratePostgres(db: Db, schema: string, migrations = readMigrations('postgres'), keeps = false) {
  const begin = `
    SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'));
    DO $$ BEGIN ${[schema, JOBS_SCHEMA].map(createMissing).join(' ')} END $$;
    CREATE TABLE IF NOT EXISTS "${schema}".schema_migrations (
      name text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`
  // A role that may only read keeps the schema, too.
  if (keeps) return void missingOf((await db.read.query<Applied>(APPLIED)).rows, migrations, keeps)
  await db.write(async ({ query }) => {
    await query(begin)
    const applied = (await query<Applied>(APPLIED)).rows
    for (const migration of missingOf(applied, migrations)) {
      if (applied.length > 0 && migration.name === TWELVE_TABLES)
        assertNone((await query<{ in_use: number }>(REASONS.postgres)).rows, 'the database')
      await query(scriptOf(migration))
    }
  })
}
