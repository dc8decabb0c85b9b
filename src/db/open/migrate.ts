import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { pidExists } from '../db.ts'
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

/**
 * Applies the missing migrations of an SQLite file, one transaction a file. Throws a StorageError for a database that is newer than the code, for
 * a database whose applied files were edited afterwards, for a file that comes before an applied file, and for a store that this version cannot read.
 */
export function migrateSqlite(db: Database.Database, migrations: readonly Migration[] = sqliteMigrations()): void {
  const make =
    'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT'
  db.transaction(() => db.exec(make)).immediate()
  const applied = db.prepare<[], Applied>(APPLIED)
  const insert = db.prepare("INSERT INTO schema_migrations VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))")
  const known = applied.all()
  const missing = missingOf(known, migrations)
  if (known.length > 0) {
    assertReadable(db)
    // A process of an older version would go on writing to the tables of its version.
    if (missing.length > 0 && ((!db.memory && isRun(db.name)) || hasOldProcess(db))) throw inUse(db.name)
  }
  for (const { name, sql } of missing) {
    // A migration may write the schema itself.
    db.unsafeMode(true)
    try {
      db.transaction(() => {
        // Read again under the write lock: another process may have applied it meanwhile.
        if (applied.all().some((other) => other.name === name)) return
        db.exec(sql)
        insert.run(name, digestSql(sql))
      }).immediate()
    } finally {
      db.unsafeMode(false)
    }
  }
  missingOf(applied.all(), migrations)
}

/** Tells whether nothing would be applied: the schema is complete, or newer, which opening the database tells. */
export const isComplete = (applied: readonly Pick<Applied, 'name'>[], migrations: readonly Migration[]): boolean =>
  applied.length > 0 && migrations.every(({ name }) => applied.some((known) => known.name === name))

export const digestSql = (sql: string): string => createHash('sha256').update(sql).digest('hex')

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
  const last = applied.at(-1)?.name ?? ''
  const missing = migrations.filter(({ name }) => !applied.some((known) => known.name === name))
  const [late] = missing
  if (late !== undefined && late.name < last)
    throw refusal(`migration ${late.name} comes before ${last}, which is applied; renumber it`)
  return missing
}

/** The last commit of Veridict that exports bodies in an S3 store and further projects. */
const EXPORTER = '93cd84585bdfdcc74d0c9f078c2b02f2285f8990'

/** Refuses a store of an earlier version, with the steps that carry its grades over. */
export const refuseOld = (why: string): StorageError =>
  refusal(
    `${why}, which this version cannot read. Check out commit ${EXPORTER} of Veridict, run ` +
      '`npm run veridict -- export --all-projects --out FOLDER` there with the settings of the store, then run ' +
      '`veridict import FILE` here with each file of FOLDER and a new database',
  )

export interface OldRow {
  readonly id: string
  readonly project?: string
}

interface OldRows {
  readonly table: string
  /** The column that earlier versions may lack. */
  readonly column: string
  readonly query: string
  readonly refuse: (row: OldRow) => StorageError
}

/** Rows whose bytes lie in an S3 store. */
export const OUTSIDE: OldRows = {
  ...{ table: 'trajectories', column: 'outside_bytes' },
  query: `SELECT id FROM trajectories WHERE outside_bytes IS NOT NULL
    UNION ALL SELECT id FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`,
  refuse: () => refuseOld('bodies of this database lie in an S3 store'),
}

/** Rows that this version cannot read: on both databases. A key of another project would open this database instead. */
export const OLD_ROWS: readonly OldRows[] = [
  OUTSIDE,
  {
    ...{ table: 'api_keys', column: 'project' },
    query: "SELECT id, project FROM api_keys WHERE project <> 'default' AND revoked_at IS NULL LIMIT 1",
    refuse: ({ id, project }) => refuseOld(`the key ${id} of this database opens the project ${project}`),
  },
]

export const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

const PROJECT = "SELECT CAST(value AS TEXT) FROM settings WHERE name = 'project'"
const PROJECT_FILE = /^[a-z0-9][a-z0-9-]{0,39}\.sqlite$/

/** Throws a StorageError for a file of several projects, of another project than the default one, or with bodies in an S3 store. */
function assertReadable(db: Database.Database): void {
  const hasColumn = db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?')
  for (const { table, column, query, refuse } of OLD_ROWS) {
    const row = hasColumn.get(table, column) === undefined ? undefined : db.prepare(query).get()
    if (row !== undefined) throw refuse(row as OldRow)
  }
  const project: unknown = hasTable(db, 'settings') ? db.prepare(PROJECT).pluck().get() : undefined
  if (typeof project === 'string' && project !== 'default')
    throw refuseOld(`${db.name} is the database of the project ${project}`)
  if (db.memory) return
  const folder = join(dirname(db.name), 'projects')
  try {
    const further = readdirSync(folder).find((file) => PROJECT_FILE.test(file))
    if (further === undefined) return
    throw refuseOld(`${join(folder, further)} is the database of a further project`)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw refusal(`the folder of the projects cannot be read: ${folder}`, { cause: error })
  }
}

/** A process of an older version that said nothing for so long is dead. */
const SILENCE_MS = 60_000

/** Tells whether a process of an older version, which registered itself, uses the file. */
function hasOldProcess(db: Database.Database): boolean {
  type Row = { readonly host: string; readonly pid: number; readonly seen_at: string }
  if (!hasTable(db, 'processes')) return false
  const lives = ({ host, pid, seen_at }: Row) =>
    Date.now() - Date.parse(seen_at) <= SILENCE_MS && (host !== hostname() || (pid !== process.pid && pidExists(pid)))
  return db.prepare<[], Row>('SELECT host, pid, seen_at FROM processes').all().some(lives)
}
