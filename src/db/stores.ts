import { createBatches } from './batches.ts'
import type { Db } from './db.ts'
import { createImports } from './files/transfer.ts'
import { createGrades, createOverview } from './grades.ts'
import { createJudges } from './judges.ts'
import { createLedger } from './ledger.ts'
import type { PostgresOptions } from './open/postgres.ts'
import { createRunLock, type RunLock } from './open/run-lock.ts'
import { MEMORY, openSqlite } from './open/sqlite.ts'
import {
  createDispositions,
  createIdempotency,
  createKeys,
  createReviews,
  createSettings,
  createTrajectories,
} from './small-stores.ts'
import { createSubmissions } from './submissions.ts'

export type Stores = ReturnType<typeof storesOver>

function storesOver(db: Db, run_lock: RunLock | null) {
  const settings = createSettings(db)
  return {
    db,
    access: createKeys(db),
    attempts: createLedger(db),
    batches: createBatches(db),
    dispositions: createDispositions(db),
    grades: createGrades(db),
    idempotency: createIdempotency(db),
    imports: createImports(db),
    judges: createJudges(db),
    overview: createOverview(db),
    provider: createSubmissions(db),
    reviews: createReviews(db),
    settings,
    trajectories: createTrajectories(db),
    /** Null on PostgreSQL, where workers share the batches. */
    run_lock,
    /** Rejects with a StorageError where the database cannot be written. */
    check: () => settings.check(),
    close(): Promise<void> {
      run_lock?.release()
      return db.close()
    },
  }
}

/**
 * Opens the stores over an SQLite file, which is made and migrated where needed; `:memory:` ends with its stores. Throws a StorageError; with `keeps`
 * also for a database that would have to be migrated.
 */
export function openSqliteStores({ path, keeps }: { readonly path: string; readonly keeps?: boolean }): Stores {
  const db = openSqlite(path, keeps)
  return storesOver(db, createRunLock(path === MEMORY ? null : path))
}

/** Opens the stores over a schema of a PostgreSQL. Rejects with a StorageError. */
export async function openPostgresStores(options: PostgresOptions): Promise<Stores> {
  const { openPostgres } = await import('./open/postgres.ts')
  return storesOver(await openPostgres(options), null)
}
