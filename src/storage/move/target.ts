import { migrate } from '../postgres/migrate.ts'
import type { PoolSettings, Sql } from '../postgres/pool.ts'
import { openUnit, type Unit } from '../postgres/unit.ts'
import { StorageError } from '../storage-error.ts'
import { findUndescribed } from './catalogue.ts'
import { CHUNK_BYTES } from './chunks.ts'
import { addMarker, type Marker, packKey, readMarker, type TableProgress, writeMarker } from './marker.ts'
import { MOVED, type MovedTable, NOT_MOVED } from './moved-tables.ts'
import type { Row, Value } from './row.ts'
import { changedTables } from './table-digest.ts'
import { insertRows, parseRow, selectRows, setIdentity } from './target-statements.ts'

/** A schema of PostgreSQL that a project is moved into. */
export interface Target {
  readonly schema: string
  /** What a move left here; null: nothing is here, or only empty tables of ours. Rejects where anything else is. */
  look(): Promise<Marker | null>
  /** Makes the tables where they are missing, and says that this run is at work. What an earlier run has done stays, and is answered. */
  begin(marker: Marker): Promise<Marker>
  /** Rows and how far that is, together; the second time it changes nothing. Rejects where another run is at work. */
  put(table: MovedTable, rows: readonly Row[], progress: TableProgress, run: string): Promise<void>
  /** The next rows after a key, at least one where there are any. */
  read(table: MovedTable, after: readonly Value[] | null): Promise<readonly Row[]>
  /** How many rows refer to what is not there, by the words of each check. */
  count(text: string): Promise<number>
  /** The schema is whole from now on. */
  finish(marker: Marker): Promise<void>
  close(): Promise<void>
}

/** A chunk of one row may be large, and a table may have many indexes. */
const STATEMENT_MS = 10 * 60_000

export function openTarget(url: string, schema: string, settings: PoolSettings, chunkBytes = CHUNK_BYTES): Target {
  const unit = openUnit(url, schema, { ...settings, max_connections: 2, statement_timeout_ms: STATEMENT_MS })
  return {
    schema,
    look: () => look(unit, schema),
    async begin(marker) {
      await migrate(unit, schema)
      const undescribed = findUndescribed('postgres', await readCatalogue(unit, schema))
      if (undescribed.length > 0)
        throw new StorageError('storage_error', `nobody has said how to move ${undescribed.join(', ')}`)
      const begun = await unit.write((sql) => takeOver(sql, marker))
      // A service that started in this instant saw no marker; then its name is here.
      await assertUnused(unit, schema)
      return begun
    },
    put: (table, rows, progress, run) => unit.write((sql) => put(sql, { table, rows, progress, run })),
    async read(table, after) {
      const rows = await unit.rows<Record<string, Value>>(...selectRows(table, after, chunkBytes))
      return rows.map((row) => parseRow(table, row))
    },
    async count(text) {
      const [row] = await unit.rows<{ n: number }>(text)
      return row?.n ?? 0
    },
    async finish(marker) {
      await unit.write(async (sql) => {
        const known = await readMarker(sql, true)
        // The answer to its commit was lost: it is done.
        if (known?.run === marker.run && known.state === 'moved') return
        const ours = await assertOurs(sql, marker.run)
        for (const table of MOVED) if (table.columns['seq'] !== undefined) await sql.rows(...setIdentity(table, schema))
        await writeMarker(sql, { ...ours, state: 'moved', ended_at: marker.ended_at })
      })
      // What the planner knows of empty tables would make the first hours slow.
      for (const { name } of MOVED) await unit.write(async (sql) => void (await sql.say(`ANALYZE ${name}`)))
    },
    close: () => unit.close(),
  }
}

/** The first of two that begin at once has the schema; of two that go on, the later one. */
async function takeOver(sql: Sql, marker: Marker): Promise<Marker> {
  const known = await readMarker(sql, true)
  if (known === null) {
    await addMarker(sql, marker)
    return marker
  }
  if (known.state !== 'moving') throw new StorageError('storage_error', 'this move has just been ended by another run')
  // Of two that begin at once with different files, only one may fill it.
  const changed = changedTables(known.source, marker.source)
  if (changed.length > 0)
    throw new StorageError(
      'storage_error',
      `another \`veridict migrate-store\` has begun in this instant with another source: ${changed.join(', ')} differ`,
    )
  const taken = { ...known, run: marker.run, fingerprint: marker.fingerprint }
  await writeMarker(sql, taken)
  return taken
}

async function assertOurs(sql: Sql, run: string): Promise<Marker> {
  const marker = await readMarker(sql, true)
  if (marker?.run === run && marker.state === 'moving') return marker
  throw new StorageError('storage_error', 'another `veridict migrate-store` has taken this move over')
}

interface Chunk {
  readonly table: MovedTable
  readonly rows: readonly Row[]
  readonly progress: TableProgress
  readonly run: string
}

async function put(sql: Sql, { table, rows, progress, run }: Chunk): Promise<void> {
  const marker = await assertOurs(sql, run)
  const before = marker.tables[table.name]?.rows ?? 0
  const known = marker.tables[table.name]
  // The answer to its commit was lost: it is there.
  if (before === progress.rows && known?.whole === progress.whole) return
  if (before !== progress.rows - rows.length)
    throw new StorageError('storage_error', `${table.name} has ${before} rows and not those that come before these`)
  if (rows.length > 0) await sql.run(...insertRows(table, rows))
  await writeMarker(sql, { ...marker, tables: { ...marker.tables, [table.name]: progress } })
}

/** A marker’s progress after these rows. */
export const progressAfter = (before: number, rows: number, next: readonly Value[] | null): TableProgress => ({
  rows: before + rows,
  after: next === null ? null : packKey(next),
  whole: next === null,
})

const RELATIONS = `
  SELECT relname::text AS name FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname`

const COLUMNS = `
  SELECT relname::text AS name, attname::text AS column FROM pg_catalog.pg_attribute
  JOIN pg_catalog.pg_class ON pg_class.oid = attrelid JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped ORDER BY relname, attnum`

export async function readCatalogue(unit: Pick<Unit, 'rows'>, schema: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { name, column } of await unit.rows<{ name: string; column: string }>(COLUMNS, [schema]))
    found.set(name, [...(found.get(name) ?? []), column])
  return found
}

async function look(unit: Unit, schema: string): Promise<Marker | null> {
  const names = (await unit.rows<{ name: string }>(RELATIONS, [schema])).map(({ name }) => name)
  if (names.length === 0) return null
  const refuse = (what: string) =>
    new StorageError(
      'storage_error',
      `the schema ${schema} of the target holds ${what}: a store is moved into an empty one alone`,
    )
  const ours = new Set([...MOVED.map(({ name }) => name), ...NOT_MOVED.postgres])
  const strange = names.filter((name) => !ours.has(name))
  if (strange.length > 0) throw refuse(`what is not Veridict’s: ${strange.slice(0, 5).join(', ')}`)
  const marker = names.includes('settings') ? await readMarker(unit) : null
  if (marker !== null) return marker
  for (const name of names) {
    if (name === 'schema_migrations') continue
    const rows = await unit.rows(`SELECT 1 FROM ${name} LIMIT 1`)
    if (rows.length > 0) throw refuse(`rows of ${name} already, so a service has used it`)
  }
  return null
}

async function assertUnused(unit: Unit, schema: string): Promise<void> {
  const [row] = await unit.rows('SELECT 1 FROM processes LIMIT 1')
  if (row !== undefined)
    throw new StorageError(
      'storage_error',
      `a service has just opened the schema ${schema} of the target: stop it, and drop the schema`,
    )
}
