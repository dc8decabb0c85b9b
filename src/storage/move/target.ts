import type { ReferenceReport } from '../../ports/move-ports.ts'
import { migrateWithin } from '../postgres/connection/migrate.ts'
import type { Sql } from '../postgres/connection/pool.ts'
import { isLost, toStorageError } from '../postgres/connection/postgres-error.ts'
import { listProjectSchemas } from '../postgres/connection/project-schemas.ts'
import { refusal, StorageError } from '../storage-error.ts'
import { findUndescribed } from './catalogue.ts'
import { CHUNK_BYTES, MOVED, type MovedTable, NOT_MOVED, type Row, type Value } from './moved-tables.ts'
import { insertRows, parseRow, selectRows, setIdentity } from './target-statements.ts'

/*
 * The target of a move, in the one transaction that the move is. All statements are of the schema that was entered last.
 */

/** Bare names mean this schema from here on. */
export const enterSchema = async (sql: Sql, schema: string): Promise<void> =>
  void (await sql.say(`SET LOCAL search_path = "${schema}"`))

/** Rejects where the database has projects that are not moved: they would become part of the same service. */
export async function assertNoOthers(sql: Sql, projects: readonly string[]): Promise<void> {
  const others = (await listProjectSchemas(sql)).filter((name) => !projects.includes(name))
  if (others.length === 0) return
  throw refusal(
    `the target has projects that the source has not: ${others.slice(0, 5).join(', ')}. A store is moved into an empty database alone`,
  )
}

const RELATIONS = `
  SELECT relname::text AS name FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname`

const relationsOf = async (sql: Sql, schema: string): Promise<string[]> =>
  (await sql.rows<{ name: string }>(RELATIONS, [schema])).map(({ name }) => name)

/** Rejects where the schema has anything but empty tables of ours. */
export async function assertEmpty(sql: Sql, schema: string): Promise<void> {
  const refuse = (what: string) =>
    refusal(
      `the schema ${schema} of the target holds ${what}: a store is moved into an empty one alone (--verify-only compares what was moved)`,
    )
  const names = await relationsOf(sql, schema)
  const ours = new Set([...MOVED.map(({ name }) => name), ...NOT_MOVED.postgres])
  const strange = names.filter((name) => !ours.has(name))
  if (strange.length > 0) throw refuse(`what is not Veridict’s: ${strange.slice(0, 5).join(', ')}`)
  for (const name of names) {
    if (name === 'schema_migrations') continue
    const rows = await sql.rows(`SELECT 1 FROM "${schema}".${name} LIMIT 1`)
    if (rows.length > 0) throw refuse(`rows of ${name} already`)
  }
}

/** Rejects where the schema has no tables of this version. */
export async function assertMoved(sql: Sql, schema: string): Promise<void> {
  if ((await relationsOf(sql, schema)).length === 0)
    throw refusal(`nothing was moved into the schema ${schema} of the target`)
  await assertDescribed(sql, schema)
}

/**
 * Makes the tables. A service that starts waits for the lock of the migrations until the move has ended; one that has started already is
 * found in `processes`.
 */
export async function makeTables(sql: Sql, schema: string): Promise<void> {
  await enterSchema(sql, schema)
  await migrateWithin(sql, schema)
  await assertDescribed(sql, schema)
  await sql.say('LOCK TABLE processes IN ACCESS EXCLUSIVE MODE')
  // Once more: who had the lock before may have filled them.
  await assertEmpty(sql, schema)
}

const COLUMNS = `
  SELECT relname::text AS name, attname::text AS column FROM pg_catalog.pg_attribute
  JOIN pg_catalog.pg_class ON pg_class.oid = attrelid JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped ORDER BY relname, attnum`

export async function readCatalogue(sql: Pick<Sql, 'rows'>, schema: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { name, column } of await sql.rows<{ name: string; column: string }>(COLUMNS, [schema]))
    found.set(name, [...(found.get(name) ?? []), column])
  return found
}

async function assertDescribed(sql: Sql, schema: string): Promise<void> {
  const undescribed = findUndescribed('postgres', await readCatalogue(sql, schema))
  if (undescribed.length > 0)
    throw refusal(`the schema ${schema} of the target is of another version: ${undescribed.join(', ')}`)
}

/** What the server refuses is said of a table. */
export async function putRows(sql: Sql, table: MovedTable, rows: readonly Row[]): Promise<void> {
  try {
    await sql.run(...insertRows(table, rows))
  } catch (error) {
    const known = toStorageError(error)
    if (isLost(error) || !(known instanceof StorageError)) throw error
    throw new StorageError(known.code, `${table.name}: ${known.message}`, { cause: error })
  }
}

/** Every row of a table, in chunks. */
export async function* targetChunks(
  sql: Sql,
  table: MovedTable,
  chunkBytes = CHUNK_BYTES,
): AsyncIterable<readonly Row[]> {
  for (let after: readonly Value[] | null = null; ; ) {
    const raw: Record<string, Value>[] = await sql.rows(...selectRows(table, after, chunkBytes))
    const rows = raw.map((row) => parseRow(table, row))
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = table.key.map((name) => last[name] ?? null)
  }
}

/** After the last row: identities go on behind it, and the planner knows the tables as they are. */
export async function finishTables(sql: Sql, schema: string): Promise<void> {
  for (const table of MOVED) {
    if (table.columns['seq'] !== undefined) await sql.rows(...setIdentity(table, schema))
    await sql.say(`ANALYZE ${table.name}`)
  }
}

const dangling = (table: string, column: string, other: string, id = 'id') => ({
  reference: `${table}.${column} → ${other}`,
  text: `SELECT count(*) AS n FROM ${table} WHERE ${column} IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other}.${id} = ${table}.${column})`,
})

/** Those that are held by no constraint: the database itself refuses to break the others. Calls may be older than their grade. */
const REFERENCES = [
  dangling('grades', 'trajectory', 'trajectories'),
  dangling('batch_items', 'trajectory', 'trajectories'),
  dangling('batch_items', 'grade_id', 'grades'),
  dangling('attempts', 'batch', 'batches'),
  dangling('provider_requests', 'batch', 'batches'),
  {
    reference: 'batch_tallies = batch_items',
    text: `SELECT count(*) AS n FROM (
        SELECT batch, status, coalesce(label, failure_code, '') AS detail, cached, count(*) AS n FROM batch_items
        WHERE status <> 'pending' GROUP BY 1, 2, 3, 4
      ) AS counted
      FULL JOIN (
        SELECT batch, status, detail, cached, sum(n) AS n FROM batch_tallies GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0
      ) AS kept USING (batch, status, detail, cached)
      WHERE counted.n IS DISTINCT FROM kept.n`,
  },
] as const

/** What leads nowhere in the target; where the digests are equal, it led nowhere in the source. */
export async function checkReferences(sql: Pick<Sql, 'rows'>): Promise<ReferenceReport[]> {
  const found: ReferenceReport[] = []
  for (const { reference, text } of REFERENCES) {
    const [row] = await sql.rows<{ n: number }>(text)
    found.push({ reference, dangling: row?.n ?? 0 })
  }
  return found
}
