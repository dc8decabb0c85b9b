import type Database from 'better-sqlite3'
import { StorageError, toStorageError } from '../storage-error.ts'
import { createSums, type Sums } from './sums.ts'

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
  /** For units of work: what they add to counters is written at the end of their transaction, or lost with it. */
  readonly sums: Sums
}

interface Queued {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** More units than this are not kept waiting for one commit. */
const MOST_IN_GROUP = 200

/**
 * Writes of one turn of the event loop share one commit: with a hundred in a group, full durability costs what one commit costs. A unit that
 * fails takes none of its neighbours with it: nothing of the group is written then, and all are run again, each in a savepoint of its own, for
 * which SQLite copies every page before it changes. BEGIN IMMEDIATE: a transaction that starts by reading cannot wait for the write lock,
 * whatever the busy timeout.
 */
export function createUnit(db: Database.Database): Unit {
  const sums = createSums(db)
  const together = db.transaction((units: readonly Queued[]): unknown[] => {
    try {
      const values = units.map(({ work }) => work())
      sums.write()
      return values
    } finally {
      sums.drop()
    }
  })
  const alone = (unit: Queued, run: (units: readonly Queued[]) => unknown[]): Settled<unknown> =>
    settle(() => run([unit])[0])
  const apart = db.transaction((units: readonly Queued[]) =>
    units.map((unit) => {
      const result = alone(unit, together)
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
      if (!isLocked(last)) last = alone(unit, together.immediate)
      return last
    })
  }

  const commit = (units: readonly Queued[]): readonly Settled<unknown>[] => {
    const first = settle(() => together.immediate(units))
    if (first.ok) return first.value.map((value) => ({ ok: true, value }))
    if (units.length === 1 || isLocked(first)) return units.map(() => first)
    const second = settle(() => apart.immediate(units))
    return second.ok ? second.value : commitAlone(units, second)
  }

  const flush = (): void => {
    const units = queue
    queue = []
    if (units.length === 0) return
    const results = commit(units)
    for (const [index, unit] of units.entries()) {
      const result = results[index]
      if (result?.ok) unit.resolve(result.value)
      else unit.reject(toStorageError(result?.error))
    }
  }

  return {
    async read(work) {
      if (!db.open) throw closed()
      try {
        return work()
      } catch (error) {
        throw toStorageError(error)
      }
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
    sums,
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
