import type { AccessStore } from '../../access/access-store.ts'
import type { Stores } from '../../grading/ports.ts'
import { createAccessStore } from './access-store.ts'
import { createAttemptLedger } from './attempt-ledger.ts'
import { createBatchStore } from './batch-store.ts'
import { createGradeStore } from './grade-store.ts'
import { openMigrated } from './migrate.ts'
import type { PoolSettings } from './pool.ts'
import { type Processes, registerProcess, SILENCE_S } from './processes.ts'
import { createProviderQueue } from './provider-queue.ts'
import { createReviewStore } from './review-store.ts'
import {
  createAliasStore,
  createIdempotencyStore,
  createRubricStore,
  createSecretStore,
  createTrajectoryStore,
} from './small-stores.ts'
import type { Unit } from './unit.ts'

export interface PostgresOptions extends PoolSettings {
  /** `postgres://user:password@host/database`; TLS by its `sslmode`. */
  readonly url: string
  /** Of the project; made and migrated where needed. */
  readonly schema: string
  /** Seconds after which a silent process is dead; a minute, but for tests. */
  readonly silence_s?: number
}

/** The stores of one schema. Keys count only in the main one, although each has a table for them. */
export interface PostgresStores extends Stores {
  readonly access: AccessStore
}

/** The stores over one schema of a PostgreSQL. Throws a StorageError where it cannot be used. */
export async function openPostgresStores(options: PostgresOptions): Promise<PostgresStores> {
  const { url, schema, silence_s = SILENCE_S, ...settings } = options
  const unit = await openMigrated(url, schema, settings)
  try {
    return assemble(unit, await registerProcess(unit, silence_s))
  } catch (error) {
    await unit.close()
    throw error
  }
}

/** A real write: a server that reads may still have a full disk, or be a standby. */
const CHECK = `
  INSERT INTO settings (name, value) VALUES ('heartbeat', convert_to(clock_timestamp()::text, 'UTF8'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

function assemble(unit: Unit, processes: Processes): PostgresStores {
  let closing: Promise<void> | undefined
  return {
    access: createAccessStore(unit),
    batches: createBatchStore(unit, processes),
    provider: createProviderQueue(unit),
    processes: { beat: () => processes.beat() },
    trajectories: createTrajectoryStore(unit),
    attempts: createAttemptLedger(unit, processes),
    grades: createGradeStore(unit),
    aliases: createAliasStore(unit),
    idempotency: createIdempotencyStore(unit),
    reviews: createReviewStore(unit),
    rubrics: createRubricStore(unit),
    secrets: createSecretStore(unit),
    check: async () => void (await unit.run(CHECK)),
    close() {
      closing ??= processes.leave().then(() => unit.close())
      return closing
    },
  }
}
