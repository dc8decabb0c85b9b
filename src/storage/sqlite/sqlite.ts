import type Database from 'better-sqlite3'
import type { AccessStore } from '../../access/access-store.ts'
import type { BlobStore } from '../../ports/blob-ports.ts'
import type { GradeOverviewReader } from '../../ports/grade-ports.ts'
import type { Stores } from '../../ports/ports.ts'
import { createOutside } from '../outside.ts'
import { registerProcess } from '../process-registry.ts'
import { claimProject } from '../project-mark.ts'
import { toStorageError } from '../storage-error.ts'
import { createAccessStore } from './access-store.ts'
import { createAttemptLedger } from './attempt-ledger.ts'
import { prepareSettle } from './batch-items.ts'
import { createBatchStore } from './batch-store.ts'
import { settlePlace } from './blob-places.ts'
import { createCommentStore } from './comment-store.ts'
import { openDatabase } from './database.ts'
import { createGradeOverview } from './grade-overview.ts'
import { createGradeStore } from './grade-store.ts'
import { createProviderQueue } from './provider-queue.ts'
import { createReviewStore } from './review-store.ts'
import { createAliasStore, createIdempotencyStore, createRubricStore, createSecretStore } from './small-stores.ts'
import { createSpending } from './spending.ts'
import { createBlobPlaces } from './sqlite-places.ts'
import { createTrajectoryStore } from './trajectory-store.ts'
import { createUnit } from './unit.ts'

/** The stores of one file. Keys count only in the main one, although each has a table for them. */
export interface SqliteStores extends Stores {
  readonly access: AccessStore
  readonly overview: GradeOverviewReader
  /** Rejects with a StorageError where what lies outside of the file cannot be had; to be asked before anything is put there. */
  settlePlace(): Promise<void>
}

export interface SqliteOptions {
  readonly path: string
  /** Whose file it must be; undefined: anybody’s. */
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

function assemble(db: Database.Database, blobs: BlobStore | null): SqliteStores {
  const unit = createUnit(db)
  const places = createBlobPlaces(db, unit)
  const outside = createOutside(blobs, () => places.list())
  const processes = registerProcess(db, unit)
  const spending = createSpending(db)
  const settle = prepareSettle(db)
  const heartbeat = db.prepare(
    `INSERT INTO settings VALUES ('heartbeat', CAST(strftime('%Y-%m-%dT%H:%M:%fZ') AS BLOB))
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
  return {
    access: createAccessStore(db, unit),
    settlePlace: () => settlePlace(places, blobs, outside),
    batches: createBatchStore({ db, unit, spending, processes, settle }),
    provider: createProviderQueue(db, unit, spending, outside),
    processes: { beat: () => processes.beat() },
    trajectories: createTrajectoryStore(db, unit, outside),
    attempts: createAttemptLedger(db, unit, spending, processes, outside),
    grades: createGradeStore(db, unit, settle),
    overview: createGradeOverview(db, unit),
    aliases: createAliasStore(db, unit),
    idempotency: createIdempotencyStore(db, unit),
    reviews: createReviewStore(db, unit),
    comments: createCommentStore(db, unit),
    rubrics: createRubricStore(db, unit),
    secrets: createSecretStore(db, unit),
    cluster: null,
    // A real write: taking the lock alone does not show a full disk.
    async check() {
      await unit.write(() => void heartbeat.run())
      await outside.check()
    },
    close: async () => {
      if (db.open) {
        unit.flush()
        processes.leave()
      }
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
