import { DEFAULT_PROJECT } from '../../access/access.ts'
import type { AccessStore } from '../../access/access-store.ts'
import { createStorePool } from '../../boot/store-pool.ts'
import { configurationOf } from './configuration.ts'
import { assertDatabase } from './stored-place.ts'

/** The keys of the database that the environment names, without a service: one may run beside it. */
export interface StoredKeys {
  readonly store: AccessStore
  /** Which database it is, without what is secret. */
  readonly database: string
  /** Those that there are. */
  readonly projects: readonly string[]
  close(): Promise<void>
}

/** `make`: whether a file that is not there is made; else it is an error. Rejects where the configuration or the database cannot be used. */
export async function openKeys(env: NodeJS.ProcessEnv, make: boolean): Promise<StoredKeys> {
  const { config, secrets } = configurationOf(env)
  if (!make) assertDatabase(config)
  const pool = await createStorePool(config, secrets)
  try {
    const stores = await pool.open(DEFAULT_PROJECT)
    const projects = [DEFAULT_PROJECT, ...(await pool.list())]
    return { store: stores.access, database: pool.shown, projects, close: () => stores.close() }
  } finally {
    // Only the list of projects needs it further.
    await pool.close()
  }
}
