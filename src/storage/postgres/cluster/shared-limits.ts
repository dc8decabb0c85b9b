import { createHash, randomUUID } from 'node:crypto'
import type { Look, SharedLimits, View } from '../../../asking/shared/shared-limits.ts'
import { lookAt, type SharedState, withoutProcess } from '../../../asking/shared/shared-limits-state.ts'
import { pidExists } from '../../process-registry.ts'
import { StorageError } from '../../storage-error.ts'
import type { PoolSettings, Sql } from '../connection/pool.ts'
import { openUnit } from '../connection/unit.ts'
import { machine } from './processes.ts'

/** Looks never wait for the connections of those whose calls wait for them. */
const CONNECTIONS = 2
/** A look that takes longer is worth no more than the next one. */
const PATIENCE_MS = 5_000
/** A process that is stopped in the middle of a look must not stop the others for longer: its lock ends. */
const HOLDS_MS = 1_000
/** Of the state’s shape. Where processes of two versions share a judge, the one that cannot read it begins anew. */
const VERSION = 1

const FIND = 'SELECT state FROM judges WHERE name = $1 FOR UPDATE'
/** Not part of the reading above, which may have waited for the lock. */
const NOW = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now'
const MAKE = "INSERT INTO judges (name, state) VALUES ($1, '{}') ON CONFLICT (name) DO NOTHING"
const STORE = 'UPDATE judges SET state = $2 WHERE name = $1'

/** The judges of one database, in its main schema, which must have been migrated when the first look is made. */
export function openSharedLimits(url: string, schema: string, settings: PoolSettings): SharedLimits {
  const unit = openUnit(url, schema, {
    ...settings,
    max_connections: CONNECTIONS,
    connect_timeout_ms: Math.min(settings.connect_timeout_ms, PATIENCE_MS),
    statement_timeout_ms: Math.min(settings.statement_timeout_ms || PATIENCE_MS, PATIENCE_MS),
    idle_transaction_timeout_ms: HOLDS_MS,
  })
  const home = createHash('sha256').update(machine()).digest('hex').slice(0, 16)
  const me = `${home}:${process.pid}:${randomUUID()}`
  const looked = new Set<string>()
  let closing: Promise<void> | undefined

  /** Under the lock of the judge’s row. */
  async function change<T>(judge: string, make: (state: SharedState | null, now: number) => Changed<T>): Promise<T> {
    return await unit.write(async (sql) => {
      const text = await readLocked(sql, judge)
      const [clock] = await sql.rows<{ now: number }>(NOW)
      if (clock === undefined) throw new StorageError('storage_error', 'the database server has no clock')
      const { state, answer } = make(withoutDead(parseState(text), home), clock.now)
      if (state !== null) await sql.run(STORE, [judge, JSON.stringify({ version: VERSION, ...state })])
      return answer
    })
  }

  return {
    look(judge, look) {
      if (closing !== undefined) return Promise.reject(new StorageError('storage_error', 'the database is closed'))
      looked.add(judge)
      return change<View>(judge, (state, now) => answerLook(state, me, look, now))
    },
    close() {
      const leave = (judge: string) =>
        change(judge, (state) => ({ state: state && withoutProcess(state, me), answer: undefined }))
      // What is not given back comes back by itself.
      closing ??= Promise.allSettled([...looked].map(leave)).then(() => unit.close())
      return closing
    },
  }
}

interface Changed<T> {
  /** Null: as it was. */
  readonly state: SharedState | null
  readonly answer: T
}

function answerLook(known: SharedState | null, me: string, look: Look, now: number): Changed<View> {
  const { state, view } = lookAt(known, me, look, now)
  return { state, answer: view }
}

async function readLocked(sql: Sql, judge: string): Promise<string> {
  for (;;) {
    const [row] = await sql.rows<{ state: string }>(FIND, [judge])
    if (row !== undefined) return row.state
    await sql.run(MAKE, [judge])
  }
}

function parseState(text: string): SharedState | null {
  const parsed = JSON.parse(text) as { readonly version?: unknown } & SharedState
  if (parsed.version !== VERSION) return null
  const { version: _version, ...state } = parsed
  return state
}

/** Processes of our own machine whose number nobody has any more: their connections ended with them, and so did their calls. */
function withoutDead(state: SharedState | null, home: string): SharedState | null {
  if (state === null) return null
  const dead = Object.keys(state.shares).filter((name) => {
    const [where, pid] = name.split(':')
    return where === home && !pidExists(Number(pid))
  })
  return dead.reduce(withoutProcess, state)
}
