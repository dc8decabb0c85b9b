/** Text and values of a statement, as `Sql` takes them. */
export type Statement = [text: string, values: unknown[]]

/** `INSERT INTO table (…) VALUES (…)` of a row; names of tables and columns come from this folder alone. */
export function insertOf(table: string, row: object, more = ''): Statement {
  const columns = Object.keys(row)
  const marks = columns.map((_, index) => `$${index + 1}`)
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks.join(', ')}) ${more}`, Object.values(row)]
}

/** Collects values and answers the mark of each. */
export function createValues(): { readonly values: unknown[]; mark(value: unknown): string } {
  const values: unknown[] = []
  return { values, mark: (value) => `$${values.push(value)}` }
}

/** The values of one column of many rows: an array that `unnest` takes apart. */
export const columnOf = <T, K extends keyof T>(rows: readonly T[], name: K): T[K][] => rows.map((row) => row[name])

/** Rows of one statement: far below the 65,535 values that it may have. */
const ROWS_AT_ONCE = 200

/** The same for many rows with the same columns, in as many statements as that takes. */
export function insertManyOf(table: string, rows: readonly object[]): Statement[] {
  const columns = Object.keys(rows[0] ?? {})
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const { values, mark } = createValues()
    const tuples = rows.slice(from, from + ROWS_AT_ONCE).map((row) => `(${Object.values(row).map(mark).join(', ')})`)
    statements.push([`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')}`, values])
  }
  return statements
}
