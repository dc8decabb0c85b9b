import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { Stores } from '../grading/ports.ts'
import { createAttemptLedger } from './attempt-ledger.ts'
import { createGradeStore } from './grade-store.ts'
import { assertSafeVersion, migrate } from './migrate.ts'
import { createAliasStore, createIdempotencyStore, createRubricStore, createSecretStore } from './small-stores.ts'
import { toStorageError } from './storage-error.ts'
import { createTrajectoryStore } from './trajectory-store.ts'

/** Runs one unit of work: synchronous, one transaction. Asynchronous work inside would lose writes. */
export interface Unit {
  read<T>(work: () => T): Promise<T>
  write<T>(work: () => T): Promise<T>
}

/** Opens (and makes, and migrates) the database file; `:memory:` for one that is gone when closed. */
export function openSqliteStores(options: { readonly path: string }): Stores {
  if (options.path !== ':memory:') mkdirSync(dirname(resolve(options.path)), { recursive: true })
  const db = new Database(options.path)
  try {
    prepare(db)
  } catch (error) {
    db.close()
    throw toStorageError(error)
  }
  const unit = createUnit(db)
  return {
    trajectories: createTrajectoryStore(db, unit),
    attempts: createAttemptLedger(db, unit),
    grades: createGradeStore(db, unit),
    aliases: createAliasStore(db, unit),
    idempotency: createIdempotencyStore(db, unit),
    rubrics: createRubricStore(db, unit),
    secrets: createSecretStore(db, unit),
    check: () =>
      unit.write(() => {
        db.prepare(
          "INSERT INTO settings VALUES ('heartbeat', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        ).run(Buffer.from(String(Date.now())))
      }),
    close() {
      if (db.open) {
        if (!db.memory) db.pragma('wal_checkpoint(TRUNCATE)')
        db.close()
      }
      return Promise.resolve()
    },
  }
}

function prepare(db: Database.Database): void {
  assertSafeVersion((db.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version)
  db.pragma('busy_timeout = 5000')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('mmap_size = 268435456')
  migrate(db)
}

function createUnit(db: Database.Database): Unit {
  const run = <T>(work: () => T): Promise<T> => {
    try {
      return Promise.resolve(work())
    } catch (error) {
      return Promise.reject(toStorageError(error))
    }
  }
  return {
    read: run,
    write: (work) => run(() => db.transaction(work).immediate()),
  }
}
