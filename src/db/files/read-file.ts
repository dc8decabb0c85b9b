import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { APPLIED, type Applied, isComplete, sqliteMigrations } from '../open/migrate.ts'
import { hasTable } from '../open/old-store.ts'

/** Opens a database to look at it. Throws where it is not there. */
export const openToRead = (path: string): Database.Database =>
  new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })

/** Opens a database for one look. */
export function readFrom<T>(path: string, look: (db: Database.Database) => T): T {
  const db = openToRead(path)
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** Reads the applied migrations; none where the file is no database of Veridict. */
export const readApplied = (db: Database.Database): readonly Applied[] =>
  hasTable(db, 'schema_migrations') ? db.prepare<[], Applied>(APPLIED).all() : []

/** Tells whether a file is there that would be opened as it is, without a migration. */
export function isMigrated(path: string): boolean {
  if (path === ':memory:') return true
  if (!existsSync(path)) return false
  try {
    return isComplete(readFrom(path, readApplied), sqliteMigrations())
  } catch {
    // Opening the file tells its fault.
    return true
  }
}
