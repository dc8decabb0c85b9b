import { setTimeout as delay } from 'node:timers/promises'
import { type Db, first, openKysely, type Sql, valueOfUndone } from '../db.ts'
import { isLost, isSerializationFailure, refusal, StorageError } from '../errors.ts'
import { createDriver, openPool, type PoolSettings, say } from './postgres-pool.ts'

/** Serialization failures of one unit of work; the delays in between grow. */
const MOST_TRIES = 10
/** A server that restarts is back for the second connection; a longer absence is for the caller to wait out. */
const MOST_CONNECTIONS = 2
const STATUS_TRIES = 5

/** The number of a transaction is known from its beginning: a process that does not hear of the end can ask. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text AS id'

/** Opens a database as it is, without a look at its schema; with a null schema no bare name is looked up. */
export function connectPostgres(url: string, settings: PoolSettings, schema: string | null): Db {
  const pool = openPool(url, schema, settings)
  const read = openKysely('postgres', () => createDriver(pool, url))
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    process: `prc_${crypto.randomUUID()}`,
    read,
    write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      if (closing !== undefined) return Promise.reject(refusal('the database is closed'))
      const written = write(read, work)
      const forget = () => void running.delete(written)
      written.then(forget, forget)
      running.add(written)
      return written
    },
    close() {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

/** Repeats a unit of work that the server gave up for another, or whose connection was lost before its commit. */
async function write<T>(read: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  for (let [tries, connections] = [1, 1]; ; ) {
    try {
      return await transact(read, work).catch(valueOfUndone<T>)
    } catch (error) {
      const cause = causeOf(error)
      if (isLost(cause)) {
        if (++connections > MOST_CONNECTIONS) throw error
      } else {
        if (!isSerializationFailure(cause) || ++tries > MOST_TRIES) throw error
        await delay(2 ** Math.min(tries, 7) * (1 + Math.random()))
      }
    }
  }
}

/** Runs a unit of work once; its end is known. */
async function transact<T>(read: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  /** The transaction whose COMMIT was sent, and its value. */
  const sent: { id: string; value: T }[] = []
  try {
    return await read.connection().execute(async (sql) => {
      const [begun] = await say<{ id: string }>(sql, BEGIN)
      const value = await work(sql).catch(async (error: unknown) => {
        // The work may have failed at another connection than its own.
        await say(sql, 'ROLLBACK').catch(() => undefined)
        throw error
      })
      sent.push({ id: begun?.id ?? '', value })
      await say(sql, 'COMMIT')
      return value
    })
  } catch (error) {
    const [commit] = sent
    if (commit === undefined || !isLost(causeOf(error))) throw error
    if (await isCommitted(read, commit.id, error)) return commit.value
    throw error
  }
}

/** Asks for the end of a transaction whose COMMIT was not answered. */
async function isCommitted(read: Sql, transaction: string, cause: unknown): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      const ended = await first<{ status: string }>(read)`SELECT pg_xact_status(${transaction}::xid8) AS status`
      const status = ended?.status
      if (status === 'committed' || status === 'aborted') return status === 'committed'
    } catch (error) {
      if (tries >= STATUS_TRIES) throw error
    }
    if (tries >= STATUS_TRIES)
      throw new StorageError('storage_busy', 'the database server was lost at a commit', { cause })
    await delay(100 * tries)
  }
}

const causeOf = (error: unknown): unknown => (error as { cause?: unknown } | null)?.cause ?? error
