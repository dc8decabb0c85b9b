import type Database from 'better-sqlite3'
import { type Db, type Sql, Undo, type Work } from '../db.ts'
import { insertOf } from '../statements.ts'
import { type Amounts, COLUMNS } from '../stores/spending.ts'
import { createLiving, nameProcess } from './processes.ts'
import { spellForSqlite } from './spelling.ts'
import type { Unit } from './unit.ts'

const READ_SPENDING = `SELECT ${COLUMNS.join(', ')} FROM spending WHERE scope = $1`

/** The stores’ view of an SQLite file. */
export function createDb(db: Database.Database, unit: Unit): Db {
  const me = nameProcess()
  const living = createLiving(db, me)
  const prepare = prepareOnce(db)
  const rows = <T>(text: string, values: readonly unknown[] = []): T[] => {
    const { statement, bind } = prepare(text)
    return statement.all(bind(values)) as T[]
  }
  const run = (text: string, values: readonly unknown[] = []): number => {
    const { statement, bind } = prepare(text)
    return statement.run(bind(values)).changes
  }
  const sql: Sql = {
    rows: (text, values) => answered(rows(text, values)),
    run: (text, values) => answered(run(text, values)),
    insert: (table, row) => answered(void run(...insertOf(table, row))),
    insertMany: (table, many) => answered(many.forEach((row) => void run(...insertOf(table, row)))),
    lock: () => answered(undefined),
    living: () => answered(living()),
    spent: (scopes) => {
      unit.sums.write()
      // One by one: faster than a list of the few that there are.
      return answered(new Map(scopes.map((scope) => [scope, rows<Amounts>(READ_SPENDING, [scope])[0]])))
    },
    addSpending: (sums) => answered(sums.forEach((sum, scope) => void unit.sums.add('spending', { scope }, sum))),
    addEvidence: (counts) =>
      answered(counts.forEach(({ n, ...key }) => void unit.sums.add('evidence_tallies', key, { n }))),
  }
  return {
    isShared: false,
    process: me,
    rows: (text, values) => unit.read(() => rows(text, values)),
    run: (text, values) => unit.write(() => run(text, values)),
    write: <T>(work: (sql: Sql) => Work<T>) => unit.write(() => drive(work(sql))).catch(valueOfUndone<T>),
    runFenced: async (text, values) => void (await unit.write(() => run(text, values))),
    living: () => unit.read(living),
  }
}

/** Work whose answer is there. */
const answered = <T>(value: T): Work<T> => ({ [Symbol.iterator]: () => ({ next: () => ({ done: true, value }) }) })

/** Nothing of a unit of work over SQLite waits, so its first step is its last. */
function drive<T>(work: Work<T>): T {
  const step = work[Symbol.iterator]().next()
  if (!step.done) throw new Error('a unit of work over SQLite waits for something')
  return step.value
}

function valueOfUndone<T>(error: unknown): T {
  if (error instanceof Undo) return error.value as T
  throw error
}

interface Prepared {
  readonly statement: Database.Statement
  bind(values: readonly unknown[]): readonly unknown[]
}

/** Statements have few forms: each is prepared once. */
function prepareOnce(db: Database.Database): (text: string) => Prepared {
  const known = new Map<string, Prepared>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const spelled = spellForSqlite(text)
    const isPlain = spelled.order.every((value, at) => value === at) && !spelled.text.includes('json_each')
    const bind = (values: readonly unknown[]) =>
      isPlain ? values : spelled.order.map((index) => encode(values[index]))
    const made = { statement: db.prepare(spelled.text), bind }
    known.set(text, made)
    return made
  }
}

/** An array as `json_each` takes it apart; what a text column stores for a lone surrogate is U+FFFD. */
const encode = (value: unknown): unknown =>
  Array.isArray(value)
    ? JSON.stringify(value.map((one) => (typeof one === 'string' ? one.toWellFormed() : one)))
    : value
