import type Database from 'better-sqlite3'

/** Counters that many units of work add to: their amounts are summed up in memory, and each row is written once a transaction. */
export interface Sums {
  /** Adds to the row with that key, which is made where it is not there. */
  add(table: string, key: Readonly<Record<string, string>>, amounts: Readonly<Record<string, number>>): void
  /** To be called before the rows are read, and before the commit. */
  write(): void
  /** Forgets what was not written. */
  drop(): void
}

interface Sum {
  readonly table: string
  readonly key: Readonly<Record<string, string>>
  readonly amounts: Record<string, number>
}

export function createSums(db: Database.Database): Sums {
  const statements = new Map<string, Database.Statement>()
  const sums = new Map<string, Sum>()
  return {
    add(table, key, amounts) {
      const name = JSON.stringify([table, ...Object.values(key)])
      const sum = sums.get(name) ?? { table, key, amounts: {} }
      sums.set(name, sum)
      for (const [column, amount] of Object.entries(amounts)) sum.amounts[column] = (sum.amounts[column] ?? 0) + amount
    },
    write() {
      for (const { table, key, amounts } of sums.values()) {
        const text = renderAdd(table, key, amounts)
        const statement = statements.get(text) ?? db.prepare(text)
        statements.set(text, statement)
        statement.run([...Object.values(key), ...Object.values(amounts)])
      }
      sums.clear()
    },
    drop: () => sums.clear(),
  }
}

/** Names of tables and columns come from `sqlite-db.ts` and the stores alone. */
function renderAdd(table: string, key: object, amounts: object): string {
  const columns = Object.keys(amounts)
  const all = [...Object.keys(key), ...columns]
  return `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
    ON CONFLICT DO UPDATE SET ${columns.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`
}
