import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { Stores } from '../db/stores.ts'

/**
 * Opens the stores of the configured database; makes and migrates the database where needed. Rejects with a StorageError for an unusable database; with
 * `keeps` also for a database that would have to be migrated.
 */
export async function openStores({ database, postgres }: Config, secrets: Secrets, keeps = false): Promise<Stores> {
  // The modules of the databases load with the first use.
  const { openPostgresStores, openSqliteStores } = await import('../db/stores.ts')
  const url = secrets.key(DATABASE_URL)
  if (postgres === null || url === undefined) return openSqliteStores({ path: database, keeps })
  const { shown: _, ...settings } = postgres
  return openPostgresStores({ url, ...settings, keeps })
}
