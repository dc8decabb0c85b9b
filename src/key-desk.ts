import { readFileSync } from 'node:fs'
import type { AccessStore } from './access/access-store.ts'
import { loadConfig } from './config/config.ts'
import { openSqliteStores } from './storage/sqlite.ts'

/** The keys of the database that the environment names, without a service: one may run beside it. */
export interface KeyDesk {
  readonly store: AccessStore
  readonly database: string
  close(): Promise<void>
}

export type OpenKeyDesk = (env: NodeJS.ProcessEnv) => KeyDesk

/** Throws where the configuration or the database cannot be used. */
export function openKeyDesk(env: NodeJS.ProcessEnv): KeyDesk {
  const { config } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  const stores = openSqliteStores({ path: config.database })
  return { store: stores.access, database: config.database, close: () => stores.close() }
}
