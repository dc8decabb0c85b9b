import { DEFAULT_PROJECT, isProjectName } from '../../access/access.ts'
import { StorageError } from '../storage-error.ts'
import type { PoolSettings } from './pool.ts'
import { openUnit, type Unit } from './unit.ts'

const MAIN = 'veridict'
const PREFIX = `${MAIN}_`

/** The schema of a project. Throws a StorageError for what is no name: it becomes part of statements. */
export function projectSchema(name: string): string {
  if (!isProjectName(name)) throw new StorageError('storage_error', 'this is no name of a project')
  return name === DEFAULT_PROJECT ? MAIN : PREFIX + name
}

/** Only a schema with our own table is a project: others may have taken such a name. */
const SCHEMAS = `
  SELECT nspname::text AS name FROM pg_catalog.pg_namespace
  WHERE starts_with(nspname::text, $1)
    AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL`

/** The other projects that have a schema, by name. */
export async function listProjectSchemas(sql: Pick<Unit, 'rows'>): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>(SCHEMAS, [PREFIX])
  return rows
    .map(({ name }) => name.slice(PREFIX.length))
    .filter((name) => isProjectName(name) && name !== DEFAULT_PROJECT)
    .sort()
}

interface SchemaList {
  list(): Promise<string[]>
  close(): Promise<void>
}

export function openSchemaList(url: string, settings: PoolSettings): SchemaList {
  const unit = openUnit(url, null, { ...settings, max_connections: 1 })
  return { list: () => listProjectSchemas(unit), close: () => unit.close() }
}
