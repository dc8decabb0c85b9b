import type Database from 'better-sqlite3'
import type { Stores } from '../grading/ports.ts'
import { createAttemptLedger } from './attempt-ledger.ts'
import { openDatabase } from './database.ts'
import { createGradeStore } from './grade-store.ts'
import { createAliasStore, createIdempotencyStore, createRubricStore, createSecretStore } from './small-stores.ts'
import { toStorageError } from './storage-error.ts'
import { createTrajectoryStore } from './trajectory-store.ts'
import { createUnit } from './unit.ts'

/**
 * * The stores over one SQLite file, which is made and migrated where needed; `:memory:` for one that is gone when
 * closed. Throws a StorageError where the file cannot be used.
 */
export const openSqliteStores = (options: { readonly path: string }): Stores => createStores(openDatabase(options.path))

/** The stores over an open database, which they own from now on. */
export function createStores(db: Database.Database): Stores {
  const unit = createUnit(db)
  const heartbeat = db.prepare(
    `INSERT INTO settings VALUES ('heartbeat', CAST(strftime('%Y-%m-%dT%H:%M:%fZ') AS BLOB))
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
  return {
    trajectories: createTrajectoryStore(db, unit),
    attempts: createAttemptLedger(db, unit),
    grades: createGradeStore(db, unit),
    aliases: createAliasStore(db, unit),
    idempotency: createIdempotencyStore(db, unit),
    rubrics: createRubricStore(db, unit),
    secrets: createSecretStore(db, unit),
    // A real write: taking the lock alone does not show a full disk.
    check: () => unit.write(() => void heartbeat.run()),
    close: async () => {
      if (db.open) unit.flush()
      closeDatabase(db)
    },
  }
}

/** Writes the log back into the file, so that the file alone is the whole database, and closes. */
function closeDatabase(db: Database.Database): void {
  if (!db.open) return
  try {
    if (!db.memory) db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw toStorageError(error)
  } finally {
    db.close()
  }
}
