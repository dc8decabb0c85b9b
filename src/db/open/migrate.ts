import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { inUse, refusal, type StorageError } from '../errors.ts'
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

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const NAME = /^\d{4}_[a-z0-9_]+\.sql$/

/** Reads the numbered files of a folder, in order. */
const readMigrations = (folder: string): Migration[] =>
  readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(`${folder}/${name}`, 'utf8') }))

export const sqliteMigrations = (): Migration[] => readMigrations(FOLDER)
export const postgresMigrations = (): Migration[] => readMigrations(`${FOLDER}postgres/`)

/** The statement that reads the applied migrations. */
export const APPLIED = 'SELECT name, sha256 FROM schema_migrations ORDER BY name'

/** Tells whether nothing would be applied: the schema is complete, or newer, which opening the database tells. */
export const isComplete = (applied: readonly Pick<Applied, 'name'>[], migrations: readonly Migration[]): boolean =>
  applied.length > 0 && migrations.every(({ name }) => applied.some((known) => known.name === name))

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

/** Makes the refusal of a store of an earlier version, with the steps that carry its grades over. */
export const refuseOld = (why: string): StorageError =>
  refusal(
    `${why}, which this version cannot read. Check out commit ${EXPORTER} of Veridict, run ` +
      '`npm run veridict -- export --all-projects --out FOLDER` there with the settings of the store, then run ' +
      '`veridict import FILE` here with each file of FOLDER and a new database',
  )

/** Rows that this version cannot read: the query finds the name of one, where the table has the column. */
interface OldRows {
  readonly column: readonly [table: string, column: string]
  readonly query: string
  readonly why: (name: string) => string
}

/** Rows whose bytes lie in an S3 store. */
export const OUTSIDE = {
  column: ['trajectories', 'outside_bytes'],
  query: `SELECT id AS name FROM trajectories WHERE outside_bytes IS NOT NULL
    UNION ALL SELECT id FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`,
  why: () => 'bodies of this database lie in an S3 store',
} as const

/** Keys of other projects: a key would open this database instead. */
const OTHER_KEYS: OldRows = {
  column: ['api_keys', 'project'],
  query: `SELECT id || ' of this database opens the project ' || project AS name FROM api_keys
    WHERE project <> 'default' AND revoked_at IS NULL LIMIT 1`,
  why: (name) => `the key ${name}`,
}

/** A database whose schema is brought up to date. */
export interface Migrated {
  readonly name: string
  readonly migrations: readonly Migration[]
  /** Locks the schema, and makes the table of the applied migrations. */
  readonly begin: string
  readonly hasColumn: (table: string, column: string) => string
  readonly others: OldRows
  /** Tells whether a process of a version with this version’s tables runs batches. */
  readonly isRun: () => boolean
}

/** A process of an older version that said nothing for so long is dead. */
const SILENCE_MS = 60_000

/**
 * Applies the missing migrations of a database in one transaction: yields each text of SQL, and receives its rows. Throws a StorageError for a
 * database that is newer than the code, for a database whose applied files were edited afterwards, for a database that this version cannot read,
 * and for a database that living processes of an older version use.
 */
export function* migrate(database: Migrated): Generator<string, void, readonly unknown[]> {
  const { name: shown, migrations, begin, hasColumn, others } = database
  const find = function* ({ column, query }: Pick<OldRows, 'column' | 'query'>) {
    const known: readonly unknown[] = yield hasColumn(...column)
    const rows: readonly unknown[] = known.length === 0 ? [] : yield query
    return rows[0] as { readonly name: string } | undefined
  }
  yield begin
  const applied = (yield APPLIED) as readonly Applied[]
  const missing = missingOf(applied, migrations)
  if (applied.length > 0) {
    for (const old of [OUTSIDE, OTHER_KEYS, others]) {
      const row = yield* find(old)
      if (row !== undefined) throw refuseOld(old.why(row.name))
    }
    const since = new Date(Date.now() - SILENCE_MS).toISOString()
    const query = `SELECT id AS name FROM processes WHERE seen_at > '${since}' LIMIT 1`
    // A process of an older version would go on writing to the tables of its version.
    if (missing.length > 0 && (database.isRun() || (yield* find({ column: ['processes', 'seen_at'], query }))))
      throw inUse(shown)
  }
  for (const { name, sql } of missing) {
    yield sql
    yield `INSERT INTO schema_migrations VALUES ('${name}', '${digestSql(sql)}', '${new Date().toISOString()}')`
  }
}

export const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

/** Migrates an SQLite file, also of several projects or of another project than the default one, which are refused. */
export function migrateSqlite(db: Database.Database, migrations: readonly Migration[] = sqliteMigrations()): void {
  if (hasTable(db, 'schema_migrations')) assertAlone(db)
  const steps = migrate({
    ...{ name: db.name, migrations },
    begin:
      'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT',
    hasColumn: (table, column) => `SELECT 1 FROM pragma_table_info('${table}') WHERE name = '${column}'`,
    others: {
      column: ['settings', 'value'],
      query:
        "SELECT CAST(value AS TEXT) AS name FROM settings WHERE name = 'project' AND CAST(value AS TEXT) <> 'default'",
      why: (name) => `${db.name} is the database of the project ${name}`,
    },
    isRun: () => !db.memory && isRun(db.name),
  })
  // A migration may write the schema itself.
  db.unsafeMode(true)
  try {
    db.transaction(() => {
      for (let step = steps.next(); step.done !== true; ) {
        const rows = step.value.startsWith('SELECT') ? db.prepare(step.value).all() : []
        if (!step.value.startsWith('SELECT')) db.exec(step.value)
        step = steps.next(rows)
      }
    }).immediate()
  } finally {
    db.unsafeMode(false)
  }
}

const PROJECT_FILE = /^[a-z0-9][a-z0-9-]{0,39}\.sqlite$/

/** Throws a StorageError where the databases of further projects stand beside a file. */
function assertAlone(db: Database.Database): void {
  if (db.memory) return
  const folder = join(dirname(db.name), 'projects')
  try {
    const further = readdirSync(folder).find((file) => PROJECT_FILE.test(file))
    if (further !== undefined) throw refuseOld(`${join(folder, further)} is the database of a further project`)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw refusal(`the folder of the projects cannot be read: ${folder}`, { cause: error })
  }
}
