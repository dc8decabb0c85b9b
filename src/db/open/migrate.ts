import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import type { Db } from '../db.ts'
import { inUse, refusal } from '../errors.ts'
import { isRun } from './run-lock.ts'

export interface Migration {
  readonly name: string
  readonly sql: string
}

/** An applied migration, as the database records it. */
export interface Applied {
  readonly name: string
  readonly sha256: string
}

/** Reads the numbered files of a database, in order. */
export function readMigrations(kind: Db['kind']): Migration[] {
  const folder = fileURLToPath(
    new URL(kind === 'postgres' ? 'postgres/' : '', new URL('../../../migrations/', import.meta.url)),
  )
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: readFileSync(folder + name, 'utf8') }))
}

/** The statement that reads the applied migrations. */
export const APPLIED = 'SELECT name, sha256 FROM schema_migrations ORDER BY name'

const digestSql = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/** Lists the migrations that a database lacks. Throws a StorageError where the applied migrations leave the content of the tables unknown. */
export function missingOf(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  for (const { name, sha256 } of applied) {
    const known = migrations.find((migration) => migration.name === name)
    if (known === undefined)
      throw refusal(
        `the database is newer than this version of Veridict: it has the unknown migration ${name}; use a newer version`,
      )
    if (digestSql(known.sql) !== sha256)
      throw refusal(`migration ${name} was changed after it was applied; restore the file`)
  }
  return migrations.filter(({ name }) => !applied.some((known) => known.name === name))
}

/** The last commit of Veridict that exports bodies in an S3 store and further projects. */
const EXPORTER = '93cd84585bdfdcc74d0c9f078c2b02f2285f8990'

/** The migration from the tables of earlier versions, which refuses what this version cannot read. */
const TWELVE_TABLES = '0012_twelve_tables.sql'

/**
 * Selects the reasons for which this version cannot take over a database of an earlier version: a body in an S3 store, the key of a further project,
 * and a process that goes on writing to the tables of its version. A process that said nothing for a minute is dead.
 */
const ANYWHERE = `
  SELECT 'bodies of this database lie in an S3 store' AS why FROM trajectories WHERE outside_bytes IS NOT NULL
  UNION ALL SELECT 'bodies of this database lie in an S3 store' FROM attempts WHERE outside_bytes IS NOT NULL
  UNION ALL SELECT 'the key ' || id || ' of this database opens the project ' || project FROM api_keys
    WHERE project <> 'default' AND revoked_at IS NULL`
const REASONS = {
  sqlite: `${ANYWHERE}
  UNION ALL SELECT 'it is the database of the project ' || CAST(value AS TEXT) FROM settings
    WHERE name = 'project' AND CAST(value AS TEXT) <> 'default'
  UNION ALL SELECT NULL FROM processes WHERE seen_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-60 seconds')`,
  postgres: `${ANYWHERE}
  UNION ALL SELECT 'the database has the schema ' || nspname || ' of a further project' FROM pg_catalog.pg_namespace
    WHERE nspname::text ~ '^veridict_[a-z0-9][a-z0-9-]{0,39}$' AND current_schema() = 'veridict'
      AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL
  UNION ALL SELECT NULL FROM processes WHERE seen_at > now() - interval '60 seconds'`,
}

/** Throws a StorageError, with the steps that carry the grades over, where there is a reason; `why` null: a process uses the database. */
function assertNone([reason]: readonly { readonly why: string | null }[], shown: string): void {
  if (reason === undefined) return
  if (reason.why === null) throw inUse(shown)
  throw refusal(
    `${reason.why}, which this version cannot read. Check out commit ${EXPORTER} of Veridict, run ` +
      '`npm run veridict -- export --all-projects --out FOLDER` there with the settings of the store, then run ' +
      '`veridict import FILE` here with each file of FOLDER and a new database',
  )
}

/** One migration to apply: the statement that selects the reasons against the migration, and the statements that apply and record it. */
interface Step {
  readonly reasons: string | null
  readonly sql: string
}

/**
 * Plans the missing migrations of a database. Throws a StorageError for a database that is newer than the code, whose applied files were edited
 * afterwards, or, with `keeps`, that misses a migration.
 */
function planSteps(
  kind: Db['kind'],
  applied: readonly Applied[],
  migrations: readonly Migration[],
  keeps: boolean,
): readonly Step[] {
  const missing = missingOf(applied, migrations)
  if (keeps && missing.length > 0)
    throw refusal('the database is of an older version: back it up, then migrate it by `veridict status`')
  return missing.map(({ name, sql }) => ({
    reasons: name === TWELVE_TABLES && applied.length > 0 ? REASONS[kind] : null,
    sql: `${sql}\n;INSERT INTO schema_migrations VALUES ('${name}', '${digestSql(sql)}', '${new Date().toISOString()}')`,
  }))
}

export const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

const TABLE =
  'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT'

/** Applies the missing migrations of an SQLite database in one transaction. Throws a StorageError as `planSteps`, and for a database in use. */
export function migrateSqlite(
  db: Database.Database,
  migrations: readonly Migration[] = readMigrations('sqlite'),
  keeps = false,
): void {
  // A migration may write the schema itself.
  db.unsafeMode(true)
  try {
    db.transaction(() => {
      db.exec(TABLE)
      const applied = db.prepare<[], Applied>(APPLIED).all()
      const steps = planSteps('sqlite', applied, migrations, keeps)
      if (applied.length > 0 && steps.length > 0 && !db.memory && isRun(db.name)) throw inUse(db.name)
      for (const { reasons, sql } of steps) {
        if (reasons !== null)
          assertNone([...furtherProjects(db), ...db.prepare<[], { why: string | null }>(reasons).all()], db.name)
        db.exec(sql)
      }
    }).immediate()
  } finally {
    db.unsafeMode(false)
  }
}

/** Names the databases of further projects that stand beside a file. */
function furtherProjects({ name, memory }: Database.Database) {
  const folder = join(dirname(name), 'projects')
  const files = memory || !existsSync(folder) ? [] : readdirSync(folder).filter((file) => file.endsWith('.sqlite'))
  return files.map((file) => ({ why: `${join(folder, file)} is the database of a further project` }))
}

/** The schema of the jobs’ own tables. */
export const JOBS_SCHEMA = 'veridict_jobs'

/** Makes a schema where it is missing: the role that made the schemas for us need not let us make others. */
const createMissing = (name: string): string =>
  `IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${name}') THEN CREATE SCHEMA "${name}"; END IF;`

/** Any number that other programs are unlikely to lock. */
const LOCK = 0x7e8d1c7

/** Makes a schema of PostgreSQL where the schema is missing, and migrates it, one process at a time. Rejects with a StorageError as `migrateSqlite`. */
export async function migratePostgres(
  db: Pick<Db, 'read' | 'write'>,
  schema: string,
  migrations: readonly Migration[] = readMigrations('postgres'),
  keeps = false,
): Promise<void> {
  const begin = `
    SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'));
    DO $$ BEGIN ${[schema, JOBS_SCHEMA].map(createMissing).join(' ')} END $$;
    CREATE TABLE IF NOT EXISTS "${schema}".schema_migrations (
      name text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`
  // A role that may only read keeps the schema, too.
  if (keeps) return void planSteps('postgres', (await db.read.query<Applied>(APPLIED)).rows, migrations, keeps)
  await db.write(async ({ query }) => {
    await query(begin)
    const applied = (await query<Applied>(APPLIED)).rows
    for (const { reasons, sql } of planSteps('postgres', applied, migrations, false)) {
      if (reasons !== null) assertNone((await query<{ why: string | null }>(reasons)).rows, 'the database')
      await query(sql)
    }
  })
}
