import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { Stores } from '../db/stores.ts'

/** The configured database. */
interface Store {
  /** The name of the database, without secrets. */
  readonly shown: string
  /**
   * Opens the stores; makes and migrates the database where needed. Rejects with a StorageError for an unusable database; with `keeps` also for a
   * database that would have to be migrated.
   */
  open(keeps?: boolean): Promise<Stores>
}

/** Chooses between SQLite and PostgreSQL, whose modules load with the first use. */
export function storeOf({ database, postgres }: Config, secrets: Secrets): Store {
  const url = secrets.key(DATABASE_URL)
  const stores = () => import('../db/stores.ts')
  if (postgres === null || url === undefined)
    return {
      shown: database,
      open: async (keeps = false) => (await stores()).openSqliteStores({ path: database, keeps }),
    }
  const { shown, ...settings } = postgres
  return { shown, open: async (keeps = false) => (await stores()).openPostgresStores({ url, ...settings, keeps }) }
}
