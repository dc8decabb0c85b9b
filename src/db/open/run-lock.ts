import { chmodSync, existsSync, realpathSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { toStorageError } from '../errors.ts'

/** The lock of an SQLite file whose holder, one process at a time, runs the batches of the file. */
export type RunLock = ReturnType<typeof createRunLock>

const runFileOf = (path: string): string => `${realpathSync(path)}.run`

/** Creates the run lock of a database file: an exclusive lock of SQLite on `FILE.run`, which the system frees at the end of the process. */
export function createRunLock(path: string | null) {
  let lock: Database.Database | null = null
  return {
    /** Takes the lock unless another process holds it; tells whether this process holds the lock. Throws where the lock cannot be used. */
    take(): boolean {
      // No other process opens a database in memory.
      if (path === null) return true
      try {
        lock ??= openLock(path)
        if (!lock.inTransaction) lock.exec('BEGIN EXCLUSIVE')
      } catch (error) {
        if (!isBusy(error)) throw toStorageError(error)
      }
      return lock?.inTransaction === true
    },
    /** Tells whether a process, this one or another, holds the lock. */
    isTaken: (): boolean => path === null || lock?.inTransaction === true || isRun(path),
    release(): void {
      lock?.close()
      lock = null
    },
  }
}

/** Tells whether a process runs the batches of the file. */
export function isRun(path: string): boolean {
  let lock: Database.Database | null = null
  try {
    lock = new Database(runFileOf(path), { readonly: true, fileMustExist: true, timeout: 0 })
    lock.prepare('SELECT 1 FROM sqlite_schema').get()
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    lock?.close()
  }
}

/** Opens the file of the lock, for the users of the database, by SQLite alone: closing any descriptor of a file drops the locks of the process on it. */
function openLock(path: string): Database.Database {
  const file = runFileOf(path)
  const isNew = !existsSync(file)
  const lock = new Database(file, { timeout: 0 })
  if (isNew) chmodSync(file, statSync(path).mode & 0o777)
  return lock
}

const isBusy = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'SQLITE_BUSY'
