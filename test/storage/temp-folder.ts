import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { migrateSqlite } from '../../src/db/open/migrate.ts'
import { tempFolder } from '../temp-folder.ts'

/** A path for a database in a new folder, which goes with the test file. */
export const tempDatabase = (): string => join(tempFolder(), 'made', 'veridict.sqlite')

/** Bytes of a migrated database without rows: migrating takes 25 ms of processor time, a copy next to none. */
let migrated: Buffer | undefined

/** Makes an empty database of today's schema in a new folder; answers its path. */
export function migratedDatabase(): string {
  if (migrated === undefined) {
    const db = new Database(':memory:')
    migrateSqlite(db)
    migrated = db.serialize()
    db.close()
  }
  const path = tempDatabase()
  mkdirSync(dirname(path))
  writeFileSync(path, migrated)
  return path
}
