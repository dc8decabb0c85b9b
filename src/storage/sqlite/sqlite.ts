import type Database from 'better-sqlite3'
import { assertReadable } from '../old-store.ts'
import { registerProcess } from '../process-registry.ts'
import { toStorageError } from '../storage-error.ts'
import { createTables, type ServiceStores } from '../stores/stores.ts'
import { openDatabase } from './database.ts'
import { createDb } from './sqlite-db.ts'
import { createUnit } from './unit.ts'

/**
 * Opens the stores over an SQLite file, which is made and migrated where needed; `:memory:` for a database that ends with its stores. Throws a
 * StorageError for an unusable file.
 */
export const openSqliteStores = ({ path }: { readonly path: string }): ServiceStores => createStores(openDatabase(path))

/**
 * The stores over an open database, which they own from now on, as a process of its own: what another process of the
 * same file has claimed stays with it for as long as it lives.
 */
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
  const processes = registerProcess(db, unit)
  const tables = createDb(db, unit, processes)
  return {
    ...createTables(tables),
    processes: { beat: () => processes.beat() },
    cluster: null,
    check: async () => void (await tables.run(CHECK)),
    async close() {
      if (!db.open) return
      unit.flush()
      processes.leave()
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
