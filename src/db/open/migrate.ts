import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { inUse, StorageError } from '../errors.ts'
import { assertNoOldProcess, assertReadable, hasTable } from './old-store.ts'
import { isRun } from './run-lock.ts'

export interface Migration {
  readonly name: string
  readonly sql: string
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

/**
 * Applies the missing migrations of an SQLite file, one transaction a file. Throws a StorageError for a database that is newer than the code, for
 * a database whose applied files were edited afterwards, for a file that comes before an applied file, and for a store that this version cannot read.
 */
export function migrateSqlite(db: Database.Database, migrations: readonly Migration[] = sqliteMigrations()): void {
  db.transaction(() => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL
       ) STRICT`,
    )
  }).immediate()
  const select = db.prepare('SELECT name, sha256 FROM schema_migrations ORDER BY name')
  const insert = db.prepare("INSERT INTO schema_migrations VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))")
  const readApplied = () =>
    new Map((select.all() as { name: string; sha256: string }[]).map((row) => [row.name, row.sha256]))
  const applied = readApplied()
  assertKnown(applied, migrations)
  const missing = migrations.filter(({ name }) => !applied.has(name))
  if (applied.size > 0) {
    assertReadable(db)
    // A process of an older version would go on writing to the tables of its version.
    if (missing.length > 0 && !db.memory && isRun(db.name)) throw inUse(db.name)
    if (missing.length > 0 && hasTable(db, 'processes')) assertNoOldProcess(db)
  }
  for (const { name, sql } of missing) {
    // A migration may write the schema itself.
    db.unsafeMode(true)
    try {
      db.transaction(() => {
        // Read again under the write lock: another process may have applied it meanwhile.
        if (readApplied().has(name)) return
        db.exec(sql)
        insert.run(name, digestSql(sql))
      }).immediate()
    } finally {
      db.unsafeMode(false)
    }
  }
  assertKnown(readApplied(), migrations)
}

/** Tells whether nothing would be applied: the schema is complete, or newer, which opening the database tells. */
export const isComplete = (applied: readonly string[], migrations: readonly Migration[]): boolean =>
  applied.length > 0 && migrations.every(({ name }) => applied.includes(name))

export const digestSql = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/** Throws a StorageError where the applied migrations leave the content of the tables unknown. */
export function assertKnown(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(({ name, sql }) => [name, sql]))
  for (const [name, sha256] of applied) {
    const sql = known.get(name)
    if (sql === undefined)
      throw new StorageError(
        'storage_error',
        `the database is newer than this version of Veridict: it has the unknown migration ${name}; use a newer version`,
      )
    if (digestSql(sql) !== sha256)
      throw new StorageError('storage_error', `migration ${name} was changed after it was applied; restore the file`)
  }
  const last = [...applied.keys()].sort().at(-1) ?? ''
  const late = migrations.find(({ name }) => name < last && !applied.has(name))
  if (late !== undefined)
    throw new StorageError(
      'storage_error',
      `migration ${late.name} comes before ${last}, which is applied; renumber it`,
    )
}
