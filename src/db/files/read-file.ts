import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isComplete, sqliteMigrations } from '../open/migrate.ts'
import { hasTable } from '../open/old-store.ts'

/** Opens a database to look at it. Throws where it is not there. */
export const openToRead = (path: string, timeout = 5000): Database.Database =>
  new Database(path, { readonly: true, fileMustExist: true, timeout })

/** The same for one look. */
export function readFrom<T>(path: string, look: (db: Database.Database) => T, timeout?: number): T {
  const db = openToRead(path, timeout)
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** Whether nothing of the schema is missing. */
const hasAllMigrations = (db: Database.Database): boolean =>
  hasTable(db, 'schema_migrations') &&
  isComplete(db.prepare('SELECT name FROM schema_migrations').pluck().all() as string[], sqliteMigrations())

/** Whether a file is there that would be opened as it is, without a migration. It is only read. */
export function isMigrated(path: string): boolean {
  if (path === ':memory:') return true
  if (!existsSync(path)) return false
  try {
    return readFrom(path, hasAllMigrations)
  } catch {
    // Opening it tells what is wrong with it.
    return true
  }
}
