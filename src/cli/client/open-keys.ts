import { DEFAULT_PROJECT } from '../../access/access.ts'
import type { AccessStore } from '../../access/access-store.ts'
import { createStorePool } from '../../boot/store-pool.ts'
import { configurationOf } from './configuration.ts'
import { assertDatabase } from './stored-place.ts'

/** The keys of the configured database. A service may run beside this process. */
export interface StoredKeys {
  readonly store: AccessStore
  /** The name of the database, without secrets. */
  readonly database: string
  /** Names of the projects. */
  readonly projects: readonly string[]
  close(): Promise<void>
}

/** Opens the keys. `make` creates a missing file; else a missing file is an error. Rejects for an unusable configuration or database. */
export async function openKeys(env: NodeJS.ProcessEnv, make: boolean): Promise<StoredKeys> {
  const { config, secrets } = configurationOf(env)
  if (!make) assertDatabase(config)
  const pool = await createStorePool(config, secrets)
  try {
    const stores = await pool.open(DEFAULT_PROJECT)
    const projects = [DEFAULT_PROJECT, ...(await pool.list())]
    return { store: stores.access, database: pool.shown, projects, close: () => stores.close() }
  } finally {
    // The list of projects alone needs the pool.
    await pool.close()
  }
}
