import { insertOf } from '../../statements.ts'
import { StorageError } from '../../storage-error.ts'
import type { Sql } from '../connection/pool.ts'

/**
 * How many of the tokens are held, as a part of the statement that writes under them. Until the commit no process takes their leases over: whoever
 * takes one over waits for what was written under it before, and what comes after finds its token gone.
 */
export const heldAmong = (mark: string): string => `
  (SELECT count(*) FROM (
    SELECT 1 FROM leases WHERE token = ANY(${mark}::text[]) AND until > clock_timestamp() FOR KEY SHARE
  ) AS held)`

export const leaseLost = () =>
  new StorageError('lease_lost', 'another process has taken this work over; what was paid for is kept')

/** Inserts a row under leases, in one statement; without leases as ever. Rejects with `lease_lost` where one of them is lost. */
export async function insertFenced(
  sql: Pick<Sql, 'run'>,
  table: string,
  row: object,
  leases: readonly string[],
): Promise<void> {
  if (leases.length === 0) return void (await sql.run(...insertOf(table, row)))
  const columns = Object.keys(row)
  const marks = columns.map((_, index) => `$${index + 1}`)
  const fence = `$${columns.length + 1}`
  const text = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${marks.join(', ')}
    WHERE ${heldAmong(fence)} = cardinality(${fence}::text[])`
  if ((await sql.run(text, [...Object.values(row), leases])) === 0) throw leaseLost()
}
