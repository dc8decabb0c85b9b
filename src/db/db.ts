import {
  type Dialect,
  type Driver,
  type Expression,
  type Insertable,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type RawBuilder,
  type SqlBool,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
  type Updateable,
} from 'kysely'
import { refusal } from './errors.ts'
import type { TableName, Tables } from './schema.ts'

/** Statements of one unit of work, or of readings outside of a unit. */
export type Sql = Kysely<Tables>

/** An open database. Every method rejects with a StorageError where the database refuses. */
export interface Db {
  readonly kind: 'sqlite' | 'postgres'
  /** Names this process in the calls that it makes. */
  readonly process: string
  /** Reads; each statement is a consistent reading by itself. */
  readonly read: Sql
  /**
   * Runs a unit of work: all of it is on the disk before the promise resolves, or nothing is written. The work may be run again, so it does nothing
   * but ask the database.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Rolls a unit of work back, which then resolves with `value`. */
export class Undo extends Error {
  readonly value: unknown
  constructor(value: unknown) {
    super('undone')
    this.value = value
  }
}

/** Returns the value of an Undo; throws every other error. */
export function valueOfUndone<T>(error: unknown): T {
  if (error instanceof Undo) return error.value as T
  throw error
}

/** Opens kysely over a driver. */
export const openKysely = (kind: Db['kind'], createDriver: Dialect['createDriver']): Sql =>
  new Kysely<Tables>({
    dialect: {
      createDriver,
      createAdapter: () => (kind === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createQueryCompiler: () => (kind === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
      createIntrospector() {
        throw new Error('the schema is read by migrations alone')
      },
    },
  })

/** Makes a driver without transactions of its own: `Db.write` begins and ends them. */
export const makeDriver = (
  acquireConnection: Driver['acquireConnection'],
  releaseConnection: Driver['releaseConnection'] = nothing,
): Driver => ({
  ...{ acquireConnection, releaseConnection, init: nothing, destroy: nothing },
  ...{ beginTransaction: nothing, commitTransaction: nothing, rollbackTransaction: nothing },
})

async function nothing(): Promise<void> {}

/** Refuses to stream: no statement of ours asks for it. */
export const unstreamed = (): never => {
  throw new Error('rows are read as a whole')
}

type Statement<T> = (text: TemplateStringsArray, ...values: readonly unknown[]) => Promise<T>

/** Runs a statement, which is a template, and returns its rows. The statement means the same to SQLite and to PostgreSQL. */
export const all =
  <R>(on: Sql): Statement<R[]> =>
  async (text, ...values) =>
    (await sql<R>(text, ...values).execute(on)).rows

/** Runs a statement and returns its first row. */
export const first =
  <R>(on: Sql): Statement<R | undefined> =>
  async (text, ...values) =>
    (await sql<R>(text, ...values).execute(on)).rows[0]

/** Runs a statement and returns the number of rows that it has changed. */
export const run =
  (on: Sql): Statement<number> =>
  async (text, ...values) =>
    Number((await sql(text, ...values).execute(on)).numAffectedRows ?? 0)

/** Inserts rows with the same columns. */
export const insertMany = <T extends TableName>(on: Sql, table: T, rows: readonly Insertable<Tables[T]>[]) =>
  run(on)`INSERT INTO ${columns([table])} (${columns(Object.keys(rows[0] ?? {}))})
    VALUES ${sql.join(rows.map((row) => sql`(${sql.join(Object.values(row))})`))}`

/** Inserts a row; returns 0 where `onConflict`, the clause that says so, lets the row fall. */
export const insert = <T extends TableName>(on: Sql, table: T, row: Insertable<Tables[T]>, onConflict = sql``) =>
  run(
    on,
  )`INSERT INTO ${columns([table])} (${columns(Object.keys(row))}) VALUES (${sql.join(Object.values(row))}) ${onConflict}`

/** Writes the assignments of an UPDATE. */
export const assignments = <T extends TableName>(row: Updateable<Tables[T]>): RawBuilder<unknown> =>
  sql.join(Object.entries(row).map(([name, value]) => sql`${columns([name])} = ${value}`))

/** Writes names of our own tables and columns. */
export const columns = (names: readonly string[]): RawBuilder<unknown> => sql.raw(names.join(', '))

/** Writes the WHERE of conditions that all have to hold. */
export const where = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`

/**
 * Writes the filters of a list, the most selective first; an undefined value is no filter. SQLite has no statistics and would choose among several
 * indexes by chance: the unary plus keeps SQLite from the index of every filter but the first, and of that filter too where another condition has narrowed the rows.
 */
export const filters = (
  { kind }: Pick<Db, 'kind'>,
  list: readonly (readonly [string, unknown])[],
  isNarrowed = false,
) =>
  list
    .filter(([, value]) => value !== undefined)
    .map(([column, value], at) => {
      const unused = kind === 'sqlite' && (at > 0 || isNarrowed) ? sql`+` : sql``
      return sql`${unused}${columns([column])} = ${value}`
    })

/** Locks the rows of a SELECT until the end of the unit of work; units of work on SQLite are one after the other. */
export const locked = ({ kind }: Pick<Db, 'kind'>): RawBuilder<unknown> =>
  kind === 'postgres' ? sql`FOR UPDATE` : sql``

/**
 * Writes a constant into the text of a statement. SQLite prepares a statement anew for each value that the condition of a partial index names, where
 * the value is bound.
 */
export const lit = <T extends string | number>(value: T) => sql.lit(value)

/** Compares a column with a list of values, bound as one value, so that the statement has one text for lists of all lengths. */
export const isIn = (db: Pick<Db, 'kind'>, column: string, values: readonly unknown[]): Expression<SqlBool> =>
  db.kind === 'postgres'
    ? sql<SqlBool>`${sql.ref(column)} = ANY(${values})`
    : sql<SqlBool>`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values.map(wellFormed))}))`

/** A text column stores U+FFFD for a lone surrogate. */
const wellFormed = (value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value)

/** Makes the error of a database that is closed. */
export const closed = () => refusal('the database is closed')

/** Rows of one reading of `together`: each may hold a whole trajectory. */
const MOST_TOGETHER = 16

/** Makes one reading of the readings of a turn of the event loop: the items of a chunk ask for their rows at once. */
export function together<K, V>(readAll: (keys: readonly K[]) => Promise<Iterable<readonly [K, V]>>) {
  let next: { readonly keys: Set<K>; readonly rows: Promise<ReadonlyMap<K, V>> } | null = null
  const open = () => {
    const keys = new Set<K>()
    const read = async () => {
      await new Promise(setImmediate)
      if (next?.keys === keys) next = null
      return new Map(await readAll([...keys]))
    }
    return { keys, rows: read() }
  }
  return async (key: K): Promise<V | null> => {
    next ??= open()
    const { keys, rows } = next
    if (keys.add(key).size >= MOST_TOGETHER) next = null
    return (await rows).get(key) ?? null
  }
}
