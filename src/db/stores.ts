import { createBatches } from './batches.ts'
import type { Db } from './db.ts'
import { createImports } from './files/transfer.ts'
import { createGrades } from './grades.ts'
import { createJudges } from './judges.ts'
import { createIdempotency, createKeys } from './keys.ts'
import { createLedger } from './ledger.ts'
import type { PostgresOptions } from './open/postgres.ts'
import { createRunLock, type RunLock } from './open/run-lock.ts'
import { MEMORY, openSqlite } from './open/sqlite.ts'
import { createDispositions, createReviews } from './reviews.ts'
import { createSettings } from './settings.ts'
import { createSubmissions } from './submissions.ts'
import { createTrajectories } from './trajectories.ts'

export type Stores = ReturnType<typeof storesOver>

/** Creates the stores; `run_lock` null: PostgreSQL, where workers share the batches. */
function storesOver(db: Db, run_lock: RunLock | null) {
  return {
    db,
    run_lock,
    access: createKeys(db),
    attempts: createLedger(db),
    batches: createBatches(db),
    dispositions: createDispositions(db),
    grades: createGrades(db),
    idempotency: createIdempotency(db),
    imports: createImports(db),
    judges: createJudges(db),
    provider: createSubmissions(db),
    reviews: createReviews(db),
    settings: createSettings(db),
    trajectories: createTrajectories(db),
    close(): Promise<void> {
      run_lock?.release()
      return db.close()
    },
  }
}

/** Opens the stores over an SQLite file, which is made and, without `keeps`, migrated where needed. Throws a StorageError. */
export const openSqliteStores = ({ path, keeps }: { readonly path: string; readonly keeps?: boolean }): Stores =>
  storesOver(openSqlite(path, keeps), createRunLock(path === MEMORY ? null : path))

/** Opens the stores over a schema of a PostgreSQL. Rejects with a StorageError. */
export async function openPostgresStores(options: PostgresOptions): Promise<Stores> {
  const { openPostgres } = await import('./open/postgres.ts')
  return storesOver(await openPostgres(options), null)
}
