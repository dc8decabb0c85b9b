/** Text and values of a statement, as `Sql` takes them. */
export type Statement = [text: string, values: unknown[]]

/** `INSERT INTO table (…) VALUES (…)` of a row; names of tables and columns come from this folder alone. */
export const insertOf = (table: string, row: object, more = ''): Statement => [
  renderInsert(table, Object.keys(row), more),
  Object.values(row),
]

interface Insert {
  readonly columns: readonly string[]
  readonly more: string
  readonly text: string
}

/** By table. Rows have few forms, and what is made of a statement’s text is found by it, the faster for being the same string. */
const inserts = new Map<string, Insert[]>()

function renderInsert(table: string, columns: readonly string[], more: string): string {
  const known = inserts.get(table) ?? []
  const isSame = (one: Insert) =>
    one.more === more && one.columns.length === columns.length && one.columns.every((name, at) => name === columns[at])
  const found = known.find(isSame)
  if (found !== undefined) return found.text
  const marks = columns.map((_, index) => `$${index + 1}`)
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks.join(', ')}) ${more}`
  inserts.set(table, [...known, { columns, more, text }])
  return text
}

/** The first of two rows with the same key stays. */
export const ONCE = 'ON CONFLICT DO NOTHING'

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
