import type Database from 'better-sqlite3'
import type { BlobStore } from '../../ports/blob-ports.ts'
import { createOutside } from '../outside.ts'
import { registerProcess } from '../process-registry.ts'
import { claimProject } from '../project-mark.ts'
import { toStorageError } from '../storage-error.ts'
import { createBlobPlaces, settlePlace } from '../stores/blob-places.ts'
import { createTables, type ProjectStores } from '../stores/stores.ts'
import { openDatabase } from './database.ts'
import { createDb } from './sqlite-db.ts'
import { createUnit } from './unit.ts'

export interface SqliteStores extends ProjectStores {
  /** Rejects with a StorageError where what lies outside of the file cannot be had; to be asked before anything is put there. */
  settlePlace(): Promise<void>
}

export interface SqliteOptions {
  readonly path: string
  /** Whose file it must be; undefined: any project’s. */
  readonly project?: string
  /** Where large data goes; null: into its rows. */
  readonly blobs?: BlobStore | null
}

/**
 * The stores over one SQLite file, which is made and migrated where needed; `:memory:` for one that is gone when
 * closed. Throws a StorageError where the file cannot be used, or is not of the given project.
 */
export function openSqliteStores({ path, project, blobs }: SqliteOptions): SqliteStores {
  const db = openDatabase(path)
  try {
    if (project !== undefined) claimProject(db, path, project)
  } catch (error) {
    db.close()
    throw toStorageError(error)
  }
  return createStores(db, blobs)
}

/**
 * The stores over an open database, which they own from now on, as a process of its own: what another process of the
 * same file has claimed stays with it for as long as it lives.
 */
export function createStores(db: Database.Database, blobs: BlobStore | null = null): SqliteStores {
  try {
    return assemble(db, blobs)
  } catch (error) {
    db.close()
    throw error
  }
}

/** A real write: taking the lock alone does not show a full disk. */
const CHECK = `
  INSERT INTO settings VALUES ('heartbeat', CAST(strftime('%Y-%m-%dT%H:%M:%fZ') AS BLOB))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

function assemble(db: Database.Database, blobs: BlobStore | null): SqliteStores {
  const unit = createUnit(db)
  const processes = registerProcess(db, unit)
  const tables = createDb(db, unit, processes)
  const places = createBlobPlaces(tables)
  const outside = createOutside(blobs, () => places.list())
  return {
    ...createTables(tables, outside),
    settlePlace: () => settlePlace(places, blobs, outside),
    processes: { beat: () => processes.beat() },
    cluster: null,
    async check() {
      await tables.run(CHECK)
      await outside.check()
    },
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
