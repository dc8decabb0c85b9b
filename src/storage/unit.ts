import type Database from 'better-sqlite3'
import { StorageError, toStorageError } from './storage-error.ts'

/**
 * Runs one synchronous unit of work and answers as a promise: it rejects with a StorageError where the database refuses, and
 * then nothing was written. Asynchronous work inside a transaction would lose writes, so better-sqlite3 refuses it.
 */
export interface Unit {
  /** For one SELECT, which is a consistent reading by itself. */
  read<T>(work: () => T): Promise<T>
  /** BEGIN IMMEDIATE: a transaction that starts by reading cannot wait for the write lock, whatever the busy timeout. */
  write<T>(work: () => T): Promise<T>
}

export function createUnit(db: Database.Database): Unit {
  const transaction = db.transaction((work: () => unknown) => work())
  const run = <T>(work: () => T): Promise<T> => {
    if (!db.open) return Promise.reject(new StorageError('storage_error', 'the database is closed'))
    try {
      return Promise.resolve(work())
    } catch (error) {
      return Promise.reject(toStorageError(error))
    }
  }
  return {
    read: run,
    write: <T>(work: () => T) => run(() => transaction.immediate(work) as T),
  }
}
