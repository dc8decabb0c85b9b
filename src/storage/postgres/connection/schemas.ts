import { refuseProjects } from '../../old-store.ts'
import { isComplete } from '../../sqlite/migrate.ts'
import { loadPostgresMigrations } from './migrate.ts'
import type { PoolSettings } from './pool.ts'
import { openUnit, type Unit } from './unit.ts'

/** The schema of a service. */
export const SCHEMA = 'veridict'

/** Schemas of further projects, which earlier versions made. A schema without the own table belongs to somebody else. */
const FURTHER = `
  SELECT nspname::text AS name FROM pg_catalog.pg_namespace
  WHERE nspname::text ~ '^veridict_[a-z0-9][a-z0-9-]{0,39}$'
    AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.schema_migrations') IS NOT NULL
  ORDER BY nspname LIMIT 1`

/** Rejects with a StorageError where the database has schemas of further projects. */
export async function assertOneProject(unit: Pick<Unit, 'rows'>): Promise<void> {
  const [further] = await unit.rows<{ name: string }>(FURTHER)
  if (further !== undefined) throw refuseProjects(`the database has the schema ${further.name} of a further project`)
}

const TABLE = "SELECT pg_catalog.to_regclass(pg_catalog.quote_ident($1) || '.schema_migrations')::text AS name"

/** Tells whether the schema exists and would be opened without a migration. */
export async function isSchemaMigrated(url: string, settings: PoolSettings): Promise<boolean> {
  const unit = openUnit(url, null, { ...settings, max_connections: 1 })
  try {
    const [table] = await unit.rows<{ name: string | null }>(TABLE, [SCHEMA])
    if (table === undefined || table.name === null) return false
    const rows = await unit.rows<{ name: string }>(`SELECT name FROM "${SCHEMA}".schema_migrations`)
    return isComplete(
      rows.map(({ name }) => name),
      loadPostgresMigrations(),
    )
  } finally {
    await unit.close()
  }
}
