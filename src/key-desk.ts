import { readFileSync } from 'node:fs'
import { DEFAULT_PROJECT } from './access/access.ts'
import type { AccessStore } from './access/access-store.ts'
import { loadConfig } from './config/config.ts'
import { createStoreRoom } from './store-room.ts'
import { assertDatabase } from './stored-place.ts'

/** The keys of the database that the environment names, without a service: one may run beside it. */
export interface KeyDesk {
  readonly store: AccessStore
  /** Which database it is, without what is secret. */
  readonly database: string
  /** Those that there are. */
  readonly projects: readonly string[]
  close(): Promise<void>
}

/** `make`: whether a file that is not there is made; else it is an error. */
export type OpenKeyDesk = (env: NodeJS.ProcessEnv, make: boolean) => Promise<KeyDesk>

/** Rejects where the configuration or the database cannot be used. */
export async function openKeyDesk(env: NodeJS.ProcessEnv, make: boolean): Promise<KeyDesk> {
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  if (!make) assertDatabase(config)
  const room = await createStoreRoom(config, secrets)
  try {
    const stores = await room.open(DEFAULT_PROJECT)
    const projects = [DEFAULT_PROJECT, ...(await room.list())]
    return { store: stores.access, database: room.shown, projects, close: () => stores.close() }
  } finally {
    // Only the list of projects needs it further.
    await room.close()
  }
}
