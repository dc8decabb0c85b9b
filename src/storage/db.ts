import type { EvidenceCount } from '../ports/grade-ports.ts'

/**
 * A unit of work: statements, one after the other, and what is decided between them. SQLite answers each at once, so that the unit never
 * waits and runs to its end in one turn; over PostgreSQL each answer is awaited.
 */
export type Work<T> = Iterable<Promise<unknown>, T>

/**
 * Statements inside of a unit of work. They are written in the words of PostgreSQL, `seq` being the order in which rows were written; SQLite’s
 * side spells a few of them otherwise (`sqlite/spelling.ts`).
 */
export interface Sql {
  rows<T>(text: string, values?: readonly unknown[]): Work<T[]>
  /** How many rows it changed. */
  run(text: string, values?: readonly unknown[]): Work<number>
  /** Inserts a row under leases, in one statement. Rejects with `lease_lost` where one of them is lost. */
  insert(table: string, row: object, leases?: readonly string[]): Work<void>
  /** Rows with the same columns. */
  insertMany(table: string, rows: readonly object[]): Work<void>
  /** Until the end of the unit of work no other process changes the rows that are selected. SQLite has one writer anyway. */
  lock(text: string, values: readonly unknown[]): Work<void>
  /** Ids of the processes that live, this one always among them; all others are dead. */
  living(): Work<readonly string[]>
  /** The rows of `spending`, by scope. From here to the end of the unit of work no other process spends in these scopes. */
  spent(scopes: readonly string[]): Work<ReadonlyMap<string, Readonly<Record<string, number>> | undefined>>
  /** Adds to the rows of `spending`, by scope. */
  addSpending(sums: ReadonlyMap<string, Readonly<Record<string, number>>>): Work<void>
  /** Adds to `evidence_tallies` what a new row of `grades` counts for; over PostgreSQL a trigger has done it, which saves a round trip. */
  addEvidence(counts: readonly EvidenceCount[]): Work<void>
}

/** The database as the stores see it. Everything rejects with a StorageError where it refuses, and then nothing was written. */
export interface Db {
  /** Several machines may work on it: it has leases, `sendings`, and columns of their own for what is asked for of a JSON text. */
  readonly isShared: boolean
  /** This process, for as long as its stores are open. */
  readonly process: string
  /** One SELECT, which is a consistent reading by itself. */
  rows<T>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** One statement that may be run twice and means the same; answers how many rows it changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /** All or nothing, and on the disk before it resolves. It may be run again, so it does nothing but ask the database. */
  write<T>(work: (sql: Sql) => Work<T>): Promise<T>
  /** An UPDATE that is one statement, under leases. Rejects with `lease_lost` where one of them is lost. */
  runFenced(text: string, values: readonly unknown[], leases: readonly string[]): Promise<void>
  living(): Promise<readonly string[]>
}

/** Thrown inside of a unit of work: nothing of it is written, and the value is its answer. */
export class Undo<T> extends Error {
  readonly value: T
  constructor(value: T) {
    super('undone')
    this.value = value
  }
}
