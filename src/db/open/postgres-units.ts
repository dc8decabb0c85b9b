import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createSql, type Db, first, runWork, type Sql, settleAll, valueOfUndone, type Work } from '../db.ts'
import { isLost, isSerializationFailure, refusal, StorageError } from '../errors.ts'
import { Connection, openPool, type PoolSettings } from './postgres-pool.ts'

/** Serialization failures of one unit of work; the delays in between grow. */
const MOST_TRIES = 10
/** A server that restarts is back for the second connection; a longer absence is for the caller to wait out. */
const MOST_CONNECTIONS = 2
const STATUS_TRIES = 5

/** The number of a transaction is known from its beginning: a process that does not hear of the end can ask. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text AS id'

/** A database over the connections of a pool. */
export interface PostgresDb extends Db {
  /** Does work on one connection, outside of a unit of work. */
  connect<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}

type Connections = Pick<PostgresDb, 'read' | 'connect'>

/** Opens a database as it is, without a look at its schema; with a null schema no bare name is looked up. */
export function connectPostgres(url: string, settings: PoolSettings, schema: string | null): PostgresDb {
  const pool = openPool(url, schema, settings)
  const connect = <T>(work: (sql: Sql) => Promise<T>) => onConnection(pool, url, work)
  const read = createSql('postgres', (text, values) => connect((sql) => sql.query(text, values)))
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    process: `prc_${crypto.randomUUID()}`,
    read,
    connect,
    write<T>(work: Work<T>): Promise<T> {
      if (closing !== undefined) return Promise.reject(refusal('the database is closed'))
      const written = write({ read, connect }, work)
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

/** Does work on one connection, which goes back to the pool afterwards. */
async function onConnection<T>(pool: pg.Pool, url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const connection = await Connection.open(pool, url)
  try {
    return await work(connection.sql)
  } finally {
    connection.release()
  }
}

/** Repeats a unit of work that the server gave up for another, or whose connection was lost before its commit. */
async function write<T>(db: Connections, work: Work<T>): Promise<T> {
  for (let [tries, connections] = [1, 1]; ; ) {
    try {
      return await transact(db, work).catch(valueOfUndone<T>)
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
async function transact<T>({ read, connect }: Connections, work: Work<T>): Promise<T> {
  /** The transaction whose COMMIT was sent, and its value. */
  const sent: { readonly id: string; readonly value: T }[] = []
  try {
    return await connect(async (sql) => {
      const { id, value, rest } = await begin(sql, work)
      sent.push({ id, value })
      await settleAll([...rest, sql.query('COMMIT')])
      return value
    })
  } catch (error) {
    const [commit] = sent
    if (commit === undefined || !isLost(causeOf(error))) throw error
    if (await isCommitted(read, commit.id, error)) return commit.value
    throw error
  }
}

/** Begins a transaction and runs its work; rolls it back where the work fails. The beginning travels with the first statements. */
async function begin<T>(sql: Sql, work: Work<T>) {
  const begun = sql.query<{ id: string }>(BEGIN)
  begun.catch(() => undefined)
  try {
    const done = await runWork(sql, work)
    return { ...done, id: (await begun).rows[0]?.id ?? '' }
  } catch (error) {
    // The work may have failed at another connection than its own.
    await sql.query('ROLLBACK').catch(() => undefined)
    // A beginning that failed lets the work fail.
    await begun
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
