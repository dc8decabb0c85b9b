import type { Db, Sql, Work } from '../db.ts'
import { insertManyOf } from '../statements.ts'
import { type Amounts, COLUMNS, sumOf } from '../stores/spending.ts'
import { heldAmong, insertFenced, leaseLost } from './cluster/fencing.ts'
import type { Processes } from './cluster/processes.ts'
import type { Sql as Connection } from './connection/pool.ts'
import type { Unit } from './connection/unit.ts'

/** Parts in which a scope is counted, so that two calls that end together seldom wait for each other: part 0 is what a cap locks, the others count. */
const PARTS = 16

/** A row that is not there is made, so that there is something to lock. Always in the same order: no two units wait for each other. */
const LOCK_SPENDING = `
  INSERT INTO spending AS kept (scope, part) SELECT scope, 0 FROM unnest($1::text[]) AS scope ORDER BY scope
  ON CONFLICT (scope, part) DO UPDATE SET calls = kept.calls`

/** By a statement of its own: what was committed while the lock was waited for counts. */
const READ_SPENDING = `
  SELECT scope, ${COLUMNS.map((name) => `${sumOf(name)} AS ${name}`).join(', ')}
  FROM spending WHERE scope = ANY($1) GROUP BY scope`

const ADD_SPENDING = `
  INSERT INTO spending AS kept (scope, part, ${COLUMNS.join(', ')})
  SELECT scope, $${COLUMNS.length + 2}, ${COLUMNS.join(', ')}
  FROM unnest($1::text[], ${COLUMNS.map((name, index) => `$${index + 2}::${typeOf(name)}[]`).join(', ')})
    AS change (scope, ${COLUMNS.join(', ')}) ORDER BY scope
  ON CONFLICT (scope, part) DO UPDATE SET ${COLUMNS.map((name) => `${name} = kept.${name} + excluded.${name}`).join(', ')}`

function typeOf(name: keyof Amounts): string {
  return name.endsWith('_usd') ? 'float8' : 'bigint'
}

/** An UPDATE in one statement with its fence; answers how many of the leases are held. */
const renderFenced = (update: string, fence: string): string => `
  WITH fence AS MATERIALIZED (SELECT ${heldAmong(fence)} AS held), changed AS (
    ${update} AND (SELECT held FROM fence) = cardinality(${fence}::text[])
  )
  SELECT held::integer FROM fence`

/** The stores’ view of one schema of a PostgreSQL. */
export function createDb(unit: Unit, processes: Processes): Db {
  return {
    isShared: true,
    process: processes.id,
    rows: unit.rows,
    run: unit.run,
    write: <T>(work: (sql: Sql) => Work<T>) =>
      unit.write((connection) => drive(work(createSql(connection, processes)))),
    async runFenced(text, values, leases) {
      if (leases.length === 0) return void (await unit.run(text, values))
      const fenced = renderFenced(text, `$${values.length + 1}`)
      const [fence] = await unit.rows<{ held: number }>(fenced, [...values, leases])
      if (fence?.held !== leases.length) throw leaseLost()
    },
    living: () => processes.living(unit),
  }
}

const createSql = (connection: Connection, processes: Processes): Sql => ({
  *rows<T>(text: string, values?: readonly unknown[]) {
    return (yield connection.rows(text, values)) as T[]
  },
  *run(text, values) {
    return (yield connection.run(text, values)) as number
  },
  *insert(table, row, leases = []) {
    yield insertFenced(connection, table, row, leases)
  },
  *insertMany(table, rows) {
    for (const statement of insertManyOf(table, rows)) yield connection.run(...statement)
  },
  *lock(text, values) {
    yield connection.run(`${text} FOR UPDATE`, values)
  },
  *living() {
    return (yield processes.living(connection)) as string[]
  },
  *spent(scopes) {
    yield connection.run(LOCK_SPENDING, [scopes])
    const rows = (yield connection.rows(READ_SPENDING, [scopes])) as (Amounts & { readonly scope: string })[]
    return new Map(rows.map(({ scope, ...row }) => [scope, row]))
  },
  addEvidence: () => [],
  *addSpending(sums) {
    if (sums.size === 0) return
    const rows = [...sums.values()]
    // Never part 0: its holder may wait for another part, and none may wait the other way round.
    const part = 1 + Math.floor(Math.random() * (PARTS - 1))
    yield connection.run(ADD_SPENDING, [[...sums.keys()], ...COLUMNS.map((name) => rows.map((row) => row[name])), part])
  },
})

async function drive<T>(work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]()
  let step = steps.next()
  while (!step.done) step = steps.next(await step.value)
  return step.value
}
