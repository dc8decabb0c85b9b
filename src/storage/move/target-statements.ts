import type { Statement } from '../statements.ts'
import { CHUNK_ROWS, type MovedTable, type Row, type Type, type Value } from './moved-tables.ts'

const ARRAYS: Readonly<Record<Type, string>> = {
  text: 'text[]',
  integer: 'bigint[]',
  real: 'double precision[]',
  bytes: 'bytea[]',
}

const namesOf = ({ columns }: MovedTable): string[] => Object.keys(columns)
/** The order of writing is that of the source. */
const into = (table: MovedTable): string =>
  `INSERT INTO ${table.name} (${namesOf(table).join(', ')}) ${table.columns['seq'] === undefined ? '' : 'OVERRIDING SYSTEM VALUE'}`

/** A zero of JavaScript may be negative, and only as a text it says so. */
const toParameter = (value: Value): unknown => (typeof value === 'bigint' ? value.toString() : value)

/** All rows at once, one array for each column. A single row goes by itself: its bytes are then sent as they are. */
export function insertRows(table: MovedTable, rows: readonly Row[]): Statement {
  const names = namesOf(table)
  const [only] = rows
  if (rows.length === 1 && only !== undefined) {
    const marks = names.map((_, index) => `$${index + 1}`)
    return [`${into(table)} VALUES (${marks.join(', ')})`, names.map((name) => toParameter(only[name] ?? null))]
  }
  const marks = Object.values(table.columns).map((type, index) => `$${index + 1}::${ARRAYS[type]}`)
  const columns = names.map((name) => rows.map((row) => toParameter(row[name] ?? null)))
  return [`${into(table)} SELECT * FROM unnest(${marks.join(', ')})`, columns]
}

/** Whole numbers as text: beyond 2^53 a number of JavaScript would be another one. */
const readable = (name: string, type: Type): string => (type === 'integer' ? `${name}::text AS ${name}` : name)

const sizeOf = ({ columns }: MovedTable): string =>
  Object.entries(columns)
    .map(([name, type]) => (type === 'text' || type === 'bytes' ? `coalesce(octet_length(${name}), 0)` : '8'))
    .join(' + ')

/**
 * The next rows in the order of the key, as many as fit a chunk and at least one. The sizes are known without reading what is stored apart
 * from its row.
 */
export function selectRows(table: MovedTable, after: readonly Value[] | null, chunkBytes: number): Statement {
  const { name, key, columns, without } = table
  const terms = [
    ...(without === null ? [] : [`NOT (${without})`]),
    ...(after === null ? [] : [`(${key.join(', ')}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`]),
  ]
  const order = key.join(', ')
  const list = Object.entries(columns).map(([column, type]) => readable(column, type))
  const text = `
    SELECT ${list.join(', ')} FROM (
      SELECT *, sum(chunk_size) OVER (ORDER BY ${order}) - chunk_size AS chunk_before FROM (
        SELECT *, (${sizeOf(table)})::bigint AS chunk_size FROM ${name}
        ${terms.length > 0 ? `WHERE ${terms.join(' AND ')}` : ''} ORDER BY ${order} LIMIT ${CHUNK_ROWS}
      ) AS sized
    ) AS summed WHERE chunk_before < ${chunkBytes} ORDER BY ${qualified(key)}`
  return [text, (after ?? []).map(toParameter)]
}

/** Of the rows, not of the texts that stand for them in the answer. */
const qualified = (key: readonly string[]): string => key.map((name) => `summed.${name}`).join(', ')

/** What `selectRows` answers as it was written. */
export function parseRow({ columns }: MovedTable, raw: Readonly<Record<string, Value>>): Row {
  const row: Record<string, Value> = {}
  for (const [name, type] of Object.entries(columns)) {
    const value = raw[name] ?? null
    row[name] = type === 'integer' && typeof value === 'string' ? BigInt(value) : value
  }
  return row
}

/** Identities go on after the last row that was moved. */
export const setIdentity = ({ name }: MovedTable, schema: string): Statement => [
  `SELECT setval(pg_get_serial_sequence($1, 'seq'), greatest(coalesce(max(seq), 1), 1), max(seq) IS NOT NULL) FROM ${name}`,
  [`"${schema}".${name}`],
]
