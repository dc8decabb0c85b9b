import { createQueryId, PostgresQueryCompiler, type RawBuilder, SqliteQueryCompiler, sql } from 'kysely'
import { refusal } from './errors.ts'
import type { Row, TableName } from './schema.ts'
import { decodeRow, encodeColumn } from './text.ts'

/** The answer to a statement: its rows, and the number of rows that it has changed. */
export type Rows<R> = Readonly<{ rows: R[]; changes: number }>

/** Runs statements; those of a unit of work in the order of the calls. Statements that nothing awaits in between travel to PostgreSQL together. */
export type Sql = ReturnType<typeof createSql>

/** Runs a text of the dialect of the database; without values it may hold several statements, of which the last answers. */
export type Query = <R>(text: string, values?: readonly unknown[]) => Promise<Rows<R>>

export type Work<T> = (sql: Sql) => Promise<T>

/** Reads the rows of one SELECT in their order, a few at a time. */
export type ReadRows = <T>(text: string) => AsyncIterable<T> | Iterable<T>

/** An open database. Every method rejects with a StorageError where the database refuses. */
export interface Db {
  readonly kind: 'sqlite' | 'postgres'
  /** Names this process in the calls that it makes. */
  readonly process: string
  /** Reads; each statement is a consistent reading by itself. */
  readonly read: Sql
  /** Runs a unit of work: all of it is on the disk before the promise resolves, or nothing is written. Work may be run again: it only asks the database. */
  write<T>(work: Work<T>): Promise<T>
  /** Hands readings of one state of the database to `work`, whatever other processes write meanwhile. */
  snapshot(work: (read: ReadRows) => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Rolls a unit of work back, which then resolves with the `cause`. */
export class Undo extends Error {}

const COMPILERS = { sqlite: new SqliteQueryCompiler(), postgres: new PostgresQueryCompiler() }

/** Makes the statements of a database of the function that runs a text with its values. A statement is a template that means the same to both databases. */
export function createSql(kind: Db['kind'], query: Query) {
  async function execute<R>(text: TemplateStringsArray, values: readonly unknown[]): Promise<Rows<R>> {
    const statement = COMPILERS[kind].compileQuery(sql(text, ...values).toOperationNode(), createQueryId())
    const { rows, changes } = await query<R>(statement.sql, statement.parameters)
    return { rows: rows.map(decodeRow), changes }
  }
  return {
    ...{ kind, query },
    all: async <R>(text: TemplateStringsArray, ...values: readonly unknown[]) => (await execute<R>(text, values)).rows,
    first: async <R>(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<R | undefined> =>
      (await execute<R>(text, values)).rows[0],
    run: async (text: TemplateStringsArray, ...values: readonly unknown[]) => (await execute(text, values)).changes,
  }
}

/** Inserts rows with the same columns; returns the number of rows that `onConflict`, the clause that says so, lets stand. */
export function insert<T extends TableName>(on: Sql, table: T, rows: Row<T> | readonly Row<T>[], onConflict = sql``) {
  const list = [rows].flat() as readonly object[]
  const values = list.map((row) => sql`(${sql.join(Object.entries(row).map(encodeColumn))})`)
  return on.run`INSERT INTO ${columns([table])} (${columns(Object.keys(list[0] ?? {}))}) VALUES ${sql.join(values)} ${onConflict}`
}

export const assignments = <T extends TableName>(row: Partial<Row<T>>): RawBuilder<unknown> =>
  sql.join(Object.entries(row).map((entry) => sql`${columns([entry[0]])} = ${encodeColumn(entry)}`))

export const columns = (names: readonly string[]): RawBuilder<unknown> => sql.raw(names.join(', '))

/** A page of a list, newest first; `before`: only rows older than this id. */
export type Page = Readonly<{ limit: number; before?: string | undefined }>

type Dialect = Pick<Sql, 'kind'>

/** A column with the value that the rows have, or a condition; an undefined value is no filter. */
type Filter = readonly [column: string, value: unknown] | RawBuilder<unknown>

/** Selects the rows of a list that pass all filters, of which the most selective comes first; newest first: ids sort by age. */
export function newest({ kind }: Dialect, table: TableName, selected: string, filters: readonly Filter[], page: Page) {
  const used = filters.filter((filter) => 'isRawBuilder' in filter || filter[1] !== undefined)
  const conditions = used.map((filter, at) => {
    if ('isRawBuilder' in filter) return filter
    // SQLite has no statistics, and would choose among indexes by chance: the plus keeps it from those of further filters.
    const unused = kind === 'sqlite' && at > 0 ? sql`+` : sql``
    return sql`${unused}${columns([filter[0]])} = ${filter[1]}`
  })
  const older = page.before === undefined ? sql`1 = 1` : sql`id < ${page.before}`
  return sql`SELECT ${columns([selected])} FROM ${columns([table])} WHERE ${sql.join([...conditions, older], sql` AND `)} ORDER BY id DESC LIMIT ${page.limit}`
}

/** Locks the rows of a SELECT until the end of the unit of work; units of work on SQLite are one after the other. */
export const locked = ({ kind }: Dialect, how = 'FOR UPDATE'): RawBuilder<unknown> =>
  kind === 'postgres' ? sql.raw(how) : sql``

/** Compares a column with a list of values, bound as one value, so that the statement has one text for lists of all lengths. */
export const isIn = ({ kind }: Dialect, column: string, values: readonly unknown[]): RawBuilder<unknown> =>
  kind === 'postgres'
    ? sql`${sql.ref(column)} = ANY(${values})`
    : sql`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`

/** Tells whether a process is gone from this machine: `prc_UUID PID HOST`, on SQLite alone. */
export function isDead(db: Pick<Db, 'kind' | 'process'>, name: string | null): boolean {
  if (db.kind !== 'sqlite' || name === db.process) return false
  if (name === null) return true
  const [, pid, host] = PROCESS.exec(name) ?? []
  if (host !== PROCESS.exec(db.process)?.[2]) return false
  // The number of this process under another name: the process before it in a container. Zero and negative numbers would mean groups of processes.
  if (Number(pid) === process.pid || !(Number(pid) > 0)) return true
  try {
    return !process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const PROCESS = /^\S+ (\S+) (.*)$/

export const closed = () => refusal('the database is closed')
