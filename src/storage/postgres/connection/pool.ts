import { createHash } from 'node:crypto'
import pg from 'pg'
import { refusal } from '../../storage-error.ts'
import { isLost, serverOf, toConnectError } from './postgres-error.ts'
import { decodeText, encodeValue } from './text.ts'

/** The connections to a PostgreSQL. Times are in milliseconds. */
export interface PoolSettings {
  /** The most connections of a process. */
  readonly max_connections: number
  /** The time to connect, and to wait for a connection where all are busy. */
  readonly connect_timeout_ms: number
  /** The server ends a statement after this time; 0: never. */
  readonly statement_timeout_ms: number
  /** The server closes a connection whose transaction stays idle for this time; 0: never. */
  readonly idle_transaction_timeout_ms: number
}

/** One connection of the pool. */
export interface Sql {
  rows<T>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** How many rows it changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /** Words without values, several in one where need be; answers the rows of the last. */
  say(text: string): Promise<Record<string, unknown>[]>
}

/** How much longer than the server the driver waits, for a server that does not answer at all. */
const GRACE_MS = 5_000
const IDLE_MS = 30_000
const OLDEST_VERSION = 140_000

/** `schema` is letters, digits, dashes and underscores; with null nothing is looked up by a bare name. */
export function openPool(url: string, schema: string | null, settings: PoolSettings) {
  const pool = new pg.Pool({
    connectionString: url,
    max: settings.max_connections,
    connectionTimeoutMillis: settings.connect_timeout_ms,
    query_timeout: settings.statement_timeout_ms === 0 ? 0 : settings.statement_timeout_ms + GRACE_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: 'veridict',
    types: TYPES,
    Client: LeavingClient,
    onConnect: (client) => prepare(client as pg.PoolClient, schema, settings),
  })
  // A connection that is lost while it is idle is only taken out of the pool.
  pool.on('error', () => undefined)
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  async function use<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(toConnectError(error, serverOf(url))))
    // Without a listener the loss of a connection in use would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    let lost = false
    try {
      return await work(createSql(client))
    } catch (error) {
      lost = isLost(error) || error instanceof Stuck
      throw error
    } finally {
      client.off('error', ignore)
      client.release(lost)
    }
  }

  return {
    /** Rejects with a StorageError where there is no connection to be had; else with what `work` rejects with. */
    use<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      if (closing !== undefined) return Promise.reject(refusal('the database is closed'))
      const using = use(work)
      const forget = () => void running.delete(using)
      using.then(forget, forget)
      running.add(using)
      return using
    },
    /** Waits for what is running. */
    close(): Promise<void> {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

/**
 * Closes its connection where connecting fails on our side, for want of a password say: the driver leaves it open, and it would keep the
 * process alive until the server gives up, after a minute.
 */
class LeavingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on('error', () => void this.connection.stream.destroy())
  }
}

/** A transaction that could not be ended: its connection is of no more use. */
export class Stuck extends Error {}

/** Once a connection. Set here and not in the URL, so that no setting of a role or database decides what a commit means. */
async function prepare(client: pg.PoolClient, schema: string | null, settings: PoolSettings): Promise<void> {
  const path = schema === null ? "''" : `"${schema}"`
  await client.query(
    `SET search_path = ${path}; SET synchronous_commit = on; SET default_transaction_read_only = off;
     SET statement_timeout = ${settings.statement_timeout_ms};
     SET idle_in_transaction_session_timeout = ${settings.idle_transaction_timeout_ms}`,
  )
  const { rows } = await client.query<{ encoding: string; version: string }>(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num') AS version",
  )
  const [server] = rows
  if (server?.encoding !== 'UTF8') throw refusal(`the database must have the encoding UTF8, not ${server?.encoding}`)
  if (Number(server.version) < OLDEST_VERSION)
    throw refusal('the database server is too old: PostgreSQL 14 or newer is needed')
}

function createSql(client: pg.PoolClient): Sql {
  const query = (text: string, values: readonly unknown[]) =>
    client.query<pg.QueryResultRow>({ name: nameOf(text), text, values: values.map(encodeValue) })
  return {
    rows: async <T>(text: string, values: readonly unknown[] = []) => (await query(text, values)).rows as T[],
    run: async (text, values = []) => (await query(text, values)).rowCount ?? 0,
    async say(text) {
      const result: pg.QueryResult | pg.QueryResult[] = await client.query(text)
      return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? []
    },
  }
}

/** Statements have few forms: the server plans each once a connection, under its name. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `v_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
  names.set(text, name)
  return name
}

const TEXT = 25
const BIGINT = 20
/** Counts and the order of writing stay far below 2^53. */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary')
    if (oid === TEXT) return decodeText
    return oid === BIGINT ? Number : pg.types.getTypeParser(oid, 'text')
  },
} as pg.CustomTypesConfig
