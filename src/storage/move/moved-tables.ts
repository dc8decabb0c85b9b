import type Database from 'better-sqlite3'
import { openDatabase } from '../sqlite/database.ts'
import { parseStored } from '../stored-text.ts'

/** A value as both databases have it: whole numbers are bigint, others number. */
export type Value = string | number | bigint | Uint8Array | null
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Value>>

/** What one statement writes, and what is held in memory at once; one row may be larger. */
export const CHUNK_BYTES = 4 * 1024 * 1024
export const CHUNK_ROWS = 2_000

/** About how much a row holds. */
export function sizeOf(row: Row): number {
  let bytes = 0
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += value.length
    else if (value instanceof Uint8Array) bytes += value.length
    else bytes += 8
  }
  return bytes
}

export type Type = 'text' | 'integer' | 'real' | 'bytes'

/** How a table of SQLite becomes the table of that name of PostgreSQL. `test/storage/move-tables.test.ts` holds it against both catalogues. */
export interface MovedTable {
  readonly name: string
  /**
   * Columns of PostgreSQL, in the order of the digests: those of SQLite as its migrations leave them, and those that are made. The order of
   * writing, `rowid`, is a column `seq` only where something is read in it.
   */
  readonly columns: Readonly<Record<string, Type>>
  /** The primary key in PostgreSQL. */
  readonly key: readonly string[]
  /** Columns that SQLite has not, from the row. */
  readonly made: Readonly<Record<string, (row: Row) => Value>>
  /** Rows that belong to a database and not to what is in it, by a condition that both sides understand. Earlier versions left `store_move`. */
  readonly without: string | null
}

interface Words extends Partial<Pick<MovedTable, 'without'>> {
  readonly made?: Readonly<Record<string, readonly [type: Type, value: (row: Row) => Value]>>
}

const TYPES: Readonly<Record<string, Type>> = { TEXT: 'text', INTEGER: 'integer', REAL: 'real', BLOB: 'bytes' }

/** Names and types of the columns of a table in a database of this version. */
function columnsOfTable(db: Database.Database, table: string): [name: string, type: Type][] {
  const columns = db.pragma(`table_info(${table})`) as { readonly name: string; readonly type: string }[]
  return columns.map(({ name, type }) => [name, TYPES[type] as Type])
}

type Json = Readonly<Record<string, unknown>>

/** PostgreSQL counts in parts; what comes over is one. */
const IN_PARTS: Words = { made: { part: ['integer', () => 0n] } }

/** A part of a JSON column; null where it has none. */
function partOf(row: Row, column: string, part: string): unknown {
  const text = row[column]
  return typeof text === 'string' ? (parseStored<Json>(text)[part] ?? null) : null
}

const signals = (row: Row): Value => {
  const found = partOf(row, 'ground_truth', 'signals')
  return found === null ? null : JSON.stringify(found)
}
const planned =
  (part: string, type: 'string' | 'number') =>
  (row: Row): Value => {
    const found = partOf(row, 'planned', part)
    return typeof found === type ? (found as Value) : null
  }

/** By name, with its primary key in PostgreSQL and what is not as in SQLite; in the order of their references: what is referred to comes first. */
const TABLES: readonly (readonly [name: string, key: readonly string[], words?: Words])[] = [
  ['settings', ['name'], { without: "name IN ('heartbeat', 'store_move')" }],
  ['rubrics', ['name']],
  ['api_keys', ['seq']],
  ['sessions', ['secret_sha256']],
  ['blob_places', ['seq']],
  ['trajectories', ['id']],
  ['grades', ['id'], { made: { signals: ['text', signals] } }],
  ['current_grades', ['key']],
  ['reviews', ['id']],
  ['comments', ['id']],
  // Leases are of processes, and of those none is alive.
  ['attempts', ['seq'], { made: { lease: ['text', () => null] } }],
  ['aliases', ['raw_digest']],
  ['idempotency_keys', ['key']],
  ['spending', ['scope', 'part'], IN_PARTS],
  ['batches', ['seq']],
  ['batch_items', ['batch', 'idx']],
  ['batch_tallies', ['batch', 'status', 'detail', 'cached', 'part'], IN_PARTS],
  ['provider_batches', ['seq']],
  [
    'provider_requests',
    ['seq'],
    {
      made: {
        payer: ['text', planned('payer', 'string')],
        started_at: ['text', planned('started_at', 'string')],
        reserved_usd: ['real', planned('reserved_usd', 'number')],
      },
    },
  ],
]

export const MOVED: readonly MovedTable[] = describeTables()

function describeTables(): MovedTable[] {
  const db = openDatabase(':memory:')
  try {
    return TABLES.map(([name, key, { without = null, made = {} } = {}]) => {
      const kept = columnsOfTable(db, name).flatMap(([column, type]): [string, Type][] =>
        column !== 'rowid' ? [[column, type]] : key[0] === 'seq' ? [['seq', type]] : [],
      )
      const added = Object.entries(made).map(([column, [type]]) => [column, type] as const)
      const makers = Object.fromEntries(Object.entries(made).map(([column, [, value]]) => [column, value]))
      return { name, columns: Object.fromEntries([...kept, ...added]), key, made: makers, without }
    })
  } finally {
    db.close()
  }
}

/** What says who uses a database, and how it came to be: each has its own. What is counted of grades is counted anew when they come. */
export const NOT_MOVED: Readonly<Record<'sqlite' | 'postgres', readonly string[]>> = {
  sqlite: ['schema_migrations', 'processes', 'evidence_tallies'],
  postgres: ['schema_migrations', 'processes', 'evidence_tallies', 'leases', 'sendings', 'judges'],
}
