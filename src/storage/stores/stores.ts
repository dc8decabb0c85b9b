import type { AccessStore } from '../../access/access-store.ts'
import type { Stores } from '../../ports/ports.ts'
import type { Db } from '../db.ts'
import { createImportStore, type ImportStore } from '../transfer.ts'
import { createAccessStore } from './access.ts'
import { createAttemptLedger } from './attempts.ts'
import { createBatchStore } from './batches.ts'
import { createGradeStore } from './grades.ts'
import { createGradeOverview } from './overview.ts'
import { createProviderQueue } from './provider-queue.ts'
import { createReviewStore } from './reviews.ts'
import { createIdempotencyStore, createRubricStore, createRunnerJudges, createSecretStore } from './small-stores.ts'
import { createTrajectoryStore } from './trajectories.ts'

/** The stores of a service. */
export interface ServiceStores extends Stores {
  readonly access: AccessStore
  readonly imports: ImportStore
}

/** The stores over one database, without what only its kind has. */
export const createTables = (db: Db) =>
  ({
    access: createAccessStore(db),
    batches: createBatchStore(db),
    provider: createProviderQueue(db),
    trajectories: createTrajectoryStore(db),
    attempts: createAttemptLedger(db),
    grades: createGradeStore(db),
    overview: createGradeOverview(db),
    idempotency: createIdempotencyStore(db),
    reviews: createReviewStore(db),
    rubrics: createRubricStore(db),
    runner_judges: createRunnerJudges(db),
    secrets: createSecretStore(db),
    imports: createImportStore(db),
  }) satisfies Partial<ServiceStores>
