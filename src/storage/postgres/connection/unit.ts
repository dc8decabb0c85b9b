import { setTimeout as delay } from 'node:timers/promises'
import { Undo } from '../../db.ts'
import { StorageError } from '../../storage-error.ts'
import type { PoolSettings } from './pool.ts'
import { openPool, type Sql, Stuck } from './pool.ts'
import { isLost, isSerializationFailure, toStorageError } from './postgres-error.ts'

/** Units of work over a pool. They reject with a StorageError where the database refuses, and then nothing was written. */
export interface Unit {
  /** One SELECT, which is a consistent reading by itself. */
  rows<T>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** One statement that may be run twice and means the same; answers how many rows it changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /**
   * All or nothing, and on the server’s disk before it resolves. It is run again where the server gave it up for another’s sake, or where
   * the connection was lost, so it may do nothing but ask the database.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** COMMIT was sent and not answered. */
class Unanswered extends Error {
  readonly transaction: string
  readonly value: unknown
  constructor(transaction: string, value: unknown, cause: unknown) {
    super('COMMIT was not answered', { cause })
    this.transaction = transaction
    this.value = value
  }
}

/** Of serialization failures; the delays in between grow. */
const MOST_TRIES = 10
/** A server that restarts is back for the second; one that stays away is the caller’s to wait for. */
const MOST_CONNECTIONS = 2
const STATUS_TRIES = 5

export function openUnit(url: string, schema: string | null, settings: PoolSettings): Unit {
  const pool = openPool(url, schema, settings)

  /** What became of a transaction whose end was not heard. */
  async function statusOf({ transaction, cause }: Unanswered): Promise<'committed' | 'aborted'> {
    for (let tries = 1; ; tries++) {
      try {
        const [row] = await pool.use((sql) => sql.rows<{ status: string | null }>(STATUS, [transaction]))
        if (row?.status === 'committed' || row?.status === 'aborted') return row.status
      } catch (error) {
        if (tries >= STATUS_TRIES) throw error
      }
      if (tries >= STATUS_TRIES)
        throw new StorageError('storage_busy', 'the database server was lost at a commit', { cause })
      await delay(100 * tries)
    }
  }

  async function repeat<T>(once: () => Promise<T>): Promise<T> {
    const mayTryAgain = createPatience()
    for (;;) {
      try {
        return await once()
      } catch (error) {
        if (error instanceof Unanswered && (await statusOf(error)) === 'committed') return error.value as T
        const reason = error instanceof Unanswered ? error.cause : error
        if (!(await mayTryAgain(reason))) throw reason
      }
    }
  }

  const asStorageErrors = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => Promise.reject(toStorageError(error)))

  return {
    rows: <T>(text: string, values?: readonly unknown[]) =>
      asStorageErrors(repeat(() => pool.use((sql) => sql.rows<T>(text, values)))),
    run: (text, values) => asStorageErrors(repeat(() => pool.use((sql) => sql.run(text, values)))),
    write: <T>(work: (sql: Sql) => Promise<T>) =>
      asStorageErrors(repeat(() => pool.use((sql) => transact(sql, () => work(sql))))),
    close: () => pool.close(),
  }
}

/** Whether it is worth another try after such an error, having waited for as long as that needs. */
function createPatience(): (error: unknown) => Promise<boolean> {
  let [tries, connections] = [1, 1]
  return async (error) => {
    if (isLost(error)) return ++connections <= MOST_CONNECTIONS
    if (!isSerializationFailure(error) || ++tries > MOST_TRIES) return false
    await delay(2 ** Math.min(tries, 7) * (1 + Math.random()))
    return true
  }
}

/** Its number is known from the beginning: a caller that does not hear of its end can ask. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text AS id'
const STATUS = 'SELECT pg_xact_status($1::xid8) AS status'

async function transact<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const [begun] = await sql.say(BEGIN)
  let value: T
  try {
    value = await work()
  } catch (error) {
    if (!isLost(error)) await sql.say('ROLLBACK').catch((cause: unknown) => Promise.reject(new Stuck('', { cause })))
    if (error instanceof Undo) return error.value as T
    throw error
  }
  await sql.say('COMMIT').catch((error: unknown) => {
    throw isLost(error) ? new Unanswered(String(begun?.['id']), value, error) : error
  })
  return value
}
