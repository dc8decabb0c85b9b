import {
  createQueryId,
  type Expression,
  type Insertable,
  PostgresQueryCompiler,
  type RawBuilder,
  type SqlBool,
  SqliteQueryCompiler,
  sql,
  type Updateable,
} from 'kysely'
import { refusal } from './errors.ts'
import type { TableName, Tables } from './schema.ts'

/** The answer to a statement: its rows, and the number of rows that it has changed. */
export interface Rows<R> {
  readonly rows: R[]
  readonly changes: number
}

/**
 * Runs the statements of one unit of work, or of readings outside of a unit. The statements of a unit run in the order of the calls, and a call does
 * not wait for the statement before: PostgreSQL receives statements that nothing awaits in between in one round trip.
 */
export interface Sql {
  execute<R>(statement: RawBuilder<R>): Promise<Rows<R>>
  /** Runs a text of the dialect of the database; without values it may hold several statements, of which the last answers. */
  query<R>(text: string, values?: readonly unknown[]): Promise<Rows<R>>
}

/** Receives a statement whose answer the work of a unit does not need: the statement travels with the end of the unit, which fails where it fails. */
export type Last = (statement: Promise<unknown>) => void

export type Unit = readonly [sql: Sql, last: Last]

/** The work of a unit, of statements alone. */
export type Work<T> = (...unit: Unit) => Promise<T>

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
  write<T>(work: Work<T>): Promise<T>
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

/** Runs the work of a unit. Returns its value, and its last statements, which may fail yet. */
export async function runWork<T>(sql: Sql, work: Work<T>): Promise<{ value: T; rest: readonly Promise<unknown>[] }> {
  const rest: Promise<unknown>[] = []
  const last: Last = (statement) => {
    statement.catch(() => undefined)
    rest.push(statement)
  }
  try {
    return { value: await work(sql, last), rest }
  } catch (error) {
    // A statement that failed lets the statements behind it fail.
    await settleAll(rest)
    throw error
  }
}

/** Waits until all statements have ended; then throws the error of the first that failed. */
export async function settleAll(statements: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(statements)).find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Makes the statements of a database of the function that runs a text with its values. */
export function createSql(kind: Db['kind'], query: Sql['query']): Sql {
  const compiler = kind === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()
  return {
    query,
    execute(statement) {
      const { sql: text, parameters } = compiler.compileQuery(statement.toOperationNode(), createQueryId())
      return query(text, parameters)
    },
  }
}

type Statement<T> = (text: TemplateStringsArray, ...values: readonly unknown[]) => Promise<T>

/** Runs a statement, which is a template, and returns its rows. The statement means the same to SQLite and to PostgreSQL. */
export const all =
  <R>(on: Sql): Statement<R[]> =>
  async (text, ...values) =>
    (await on.execute(sql<R>(text, ...values))).rows

/** Runs a statement and returns its first row. */
export const first =
  <R>(on: Sql): Statement<R | undefined> =>
  async (text, ...values) =>
    (await on.execute(sql<R>(text, ...values))).rows[0]

/** Runs a statement and returns the number of rows that it has changed. */
export const run =
  (on: Sql): Statement<number> =>
  async (text, ...values) =>
    (await on.execute(sql(text, ...values))).changes

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

/** Rows of one reading of `together`: each may hold a whole grade. */
const MOST_TOGETHER = 16

/** Makes one reading of the readings of a turn of the event loop: hits come at once, and often for the same key. */
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
