import type Database from 'better-sqlite3'
import { assertReadable } from '../old-store.ts'
import { toStorageError } from '../storage-error.ts'
import { createTables, type ServiceStores } from '../stores/stores.ts'
import { openDatabase } from './database.ts'
import { createRunLock, MEMORY_LOCK } from './run-lock.ts'
import { createDb } from './sqlite-db.ts'
import { createUnit } from './unit.ts'

/**
 * Opens the stores over an SQLite file, which is made and migrated where needed; `:memory:` for a database that ends with its stores. Throws a
 * StorageError for an unusable file.
 */
export const openSqliteStores = ({ path }: { readonly path: string }): ServiceStores => createStores(openDatabase(path))

/** Creates the stores over an open database, which they own from now on, as a process of its own. */
export function createStores(db: Database.Database): ServiceStores {
  try {
    assertReadable(db, db.name)
    return assemble(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/** A real write: taking the lock alone does not show a full disk. */
const CHECK = `
  INSERT INTO settings VALUES ('heartbeat', CAST(strftime('%Y-%m-%dT%H:%M:%fZ') AS BLOB))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

function assemble(db: Database.Database): ServiceStores {
  const unit = createUnit(db)
  const tables = createDb(db, unit)
  const run_lock = db.memory ? MEMORY_LOCK : createRunLock(db.name)
  return {
    ...createTables(tables),
    cluster: null,
    run_lock,
    check: async () => void (await tables.run(CHECK)),
    async close() {
      if (!db.open) return
      unit.flush()
      run_lock.release()
      closeDatabase(db)
    },
  }
}

/** Writes the log back into the file, so that the file alone is the whole database, and closes. */
function closeDatabase(db: Database.Database): void {
  try {
    if (!db.memory) db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw toStorageError(error)
  } finally {
    db.close()
  }
}
