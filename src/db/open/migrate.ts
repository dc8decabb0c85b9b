import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { inUse, refusal } from '../errors.ts'
import { assertNoOldProcess, assertReadable } from './old-store.ts'
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
  db.transaction(() => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL
       ) STRICT`,
    )
  }).immediate()
  const applied = db.prepare<[], Applied>(APPLIED)
  const insert = db.prepare("INSERT INTO schema_migrations VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))")
  const known = applied.all()
  const missing = missingOf(known, migrations)
  if (known.length > 0) {
    assertReadable(db)
    // A process of an older version would go on writing to the tables of its version.
    if (missing.length > 0 && !db.memory && isRun(db.name)) throw inUse(db.name)
    if (missing.length > 0) assertNoOldProcess(db)
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
  const texts = new Map(migrations.map(({ name, sql }) => [name, sql]))
  for (const { name, sha256 } of applied) {
    const sql = texts.get(name)
    if (sql === undefined)
      throw refusal(
        `the database is newer than this version of Veridict: it has the unknown migration ${name}; use a newer version`,
      )
    if (digestSql(sql) !== sha256) throw refusal(`migration ${name} was changed after it was applied; restore the file`)
  }
  const last = applied.at(-1)?.name ?? ''
  const missing = migrations.filter(({ name }) => !applied.some((known) => known.name === name))
  const [late] = missing
  if (late !== undefined && late.name < last)
    throw refusal(`migration ${late.name} comes before ${last}, which is applied; renumber it`)
  return missing
}
