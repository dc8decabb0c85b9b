import type Database from 'better-sqlite3'
import { StorageError, toStorageError } from '../storage-error.ts'

/**
 * Runs one synchronous unit of work and answers as a promise: it rejects with a StorageError where the database
 * refuses, and then nothing was written. Asynchronous work inside a transaction would lose writes, so better-sqlite3
 * refuses it.
 */
export interface Unit {
  /** For one SELECT, which is a consistent reading by itself. */
  read<T>(work: () => T): Promise<T>
  /** All or nothing, and on the disk before the promise resolves. */
  write<T>(work: () => T): Promise<T>
  /** Commits what is still queued. */
  flush(): void
}

interface Queued {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** More units than this are not kept waiting for one commit. */
const MOST_IN_GROUP = 200

/**
 * Writes of one turn of the event loop share one commit, each in a savepoint of its own: with a hundred in a group,
 * full durability costs what one commit costs. A unit that fails takes none of its neighbours with it. BEGIN IMMEDIATE:
 * a transaction that starts by reading cannot wait for the write lock, whatever the busy timeout.
 */
export function createUnit(db: Database.Database): Unit {
  const single = db.transaction((work: () => unknown) => work())
  const group = db.transaction((units: readonly Queued[]) =>
    units.map((unit) => {
      const result = settle(() => single(unit.work))
      // A full disk ends the whole transaction, not only the savepoint.
      if (!result.ok && !db.inTransaction) throw result.error
      return result
    }),
  )
  let queue: Queued[] = []

  /**
   * Where the common commit failed nothing was written: each has its own try, so that one cannot fail another. But
   * where the lock is held elsewhere, the rest is refused at once: each further try would block the process for the
   * whole busy timeout.
   */
  const commitAlone = (units: readonly Queued[], failed: Settled<unknown>): readonly Settled<unknown>[] => {
    let last = failed
    return units.map((unit) => {
      if (!isLocked(last)) last = settle(() => single.immediate(unit.work))
      return last
    })
  }

  const flush = (): void => {
    const units = queue
    queue = []
    if (units.length === 0) return
    const together = settle(() => group.immediate(units))
    const results = together.ok ? together.value : commitAlone(units, together)
    for (const [index, unit] of units.entries()) {
      const result = results[index]
      if (result?.ok) unit.resolve(result.value)
      else unit.reject(toStorageError(result?.error))
    }
  }

  return {
    read<T>(work: () => T): Promise<T> {
      if (!db.open) return Promise.reject(closed())
      const result = settle(work)
      return result.ok ? Promise.resolve(result.value) : Promise.reject(toStorageError(result.error))
    },
    write<T>(work: () => T): Promise<T> {
      if (!db.open) return Promise.reject(closed())
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: (value) => resolve(value as T), reject })
        if (queue.length === 1) setImmediate(flush)
        else if (queue.length >= MOST_IN_GROUP) flush()
      })
    },
    flush,
  }
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

function settle<T>(work: () => T): Settled<T> {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    return { ok: false, error }
  }
}

/** Whether the write lock was not to be had. */
const isLocked = (result: Settled<unknown>): boolean =>
  !result.ok && (toStorageError(result.error) as { code?: unknown } | null)?.code === 'storage_busy'

const closed = (): StorageError => new StorageError('storage_error', 'the database is closed')
