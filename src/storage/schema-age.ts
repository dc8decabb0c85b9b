import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isComplete, loadMigrations } from './sqlite/migrate.ts'

const TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'"

/** Whether a file is there that would be opened as it is, without a migration. It is only read. */
export function isMigrated(path: string): boolean {
  if (path === ':memory:') return true
  if (!existsSync(path)) return false
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })
    if (db.prepare(TABLE).get() === undefined) return false
    const names = db.prepare('SELECT name FROM schema_migrations').pluck().all() as string[]
    return isComplete(names, loadMigrations())
  } catch {
    // Opening it tells what is wrong with it.
    return true
  } finally {
    db?.close()
  }
}
