import { DEFAULT_PROJECT, isProjectName } from '../../../access/access.ts'
import { isComplete } from '../../sqlite/migrate.ts'
import { refusal } from '../../storage-error.ts'
import { loadPostgresMigrations } from './migrate.ts'
import type { PoolSettings } from './pool.ts'
import { openUnit, type Unit } from './unit.ts'

const MAIN = 'veridict'
const PREFIX = `${MAIN}_`

/** The schema of a project. Throws a StorageError for what is no name: it becomes part of statements. */
export function projectSchema(name: string): string {
  if (!isProjectName(name)) throw refusal('this is no name of a project')
  return name === DEFAULT_PROJECT ? MAIN : PREFIX + name
}

/** Only a schema with our own table is a project: others may have taken such a name. */
const SCHEMAS = `
  SELECT nspname::text AS name FROM pg_catalog.pg_namespace
  WHERE starts_with(nspname::text, $1)
    AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL`

const TABLE = "SELECT pg_catalog.to_regclass(pg_catalog.quote_ident($1) || '.schema_migrations')::text AS name"

/** The other projects that have a schema, by name. */
export async function listProjectSchemas(sql: Pick<Unit, 'rows'>): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>(SCHEMAS, [PREFIX])
  return rows
    .map(({ name }) => name.slice(PREFIX.length))
    .filter((name) => isProjectName(name) && name !== DEFAULT_PROJECT)
    .sort()
}

export function openSchemaList(url: string, settings: PoolSettings) {
  const unit = openUnit(url, null, { ...settings, max_connections: 1 })
  return {
    list: () => listProjectSchemas(unit),
    /** Whether the project has a schema that would be opened as it is, without a migration. */
    async isMigrated(project: string): Promise<boolean> {
      const schema = projectSchema(project)
      const [table] = await unit.rows<{ name: string | null }>(TABLE, [schema])
      if (table === undefined || table.name === null) return false
      const rows = await unit.rows<{ name: string }>(`SELECT name FROM "${schema}".schema_migrations`)
      return isComplete(
        rows.map(({ name }) => name),
        loadPostgresMigrations(),
      )
    },
    close: () => unit.close(),
  }
}
