import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { Stores } from '../db/stores.ts'
import type { ExportRecord } from '../schemas/documents.ts'

/** The configured database. */
interface Store {
  /** The name of the database, without secrets. */
  readonly shown: string
  /** Opens the stores; makes and migrates the database where needed. Rejects with a StorageError for an unusable database. */
  open(): Promise<Stores>
  /** Tells whether the database exists and `open` would migrate nothing. Changes nothing. */
  isMigrated(): Promise<boolean>
  /** Hands every record to `work`, all from one state of the database. Changes nothing. Rejects with a StorageError. */
  exportRecords(work: (records: AsyncIterable<ExportRecord>) => Promise<void>): Promise<void>
}

/** Returns the folder that the opening of the database makes; null where the folder exists, or none is needed. */
export function missingFolder({ database, postgres }: Config): string | null {
  const folder = dirname(resolve(database))
  return postgres !== null || database === ':memory:' || existsSync(folder) ? null : folder
}

/** Chooses between SQLite and PostgreSQL, whose modules load with the first use. */
export function storeOf({ database, postgres }: Config, secrets: Secrets): Store {
  const url = secrets.key(DATABASE_URL)
  if (postgres === null || url === undefined)
    return {
      shown: database,
      open: async () => (await import('../db/stores.ts')).openSqliteStores({ path: database }),
      isMigrated: async () => (await import('../db/files/file.ts')).isMigrated(database),
      async exportRecords(work) {
        const { exportRecords } = await import('../db/files/transfer.ts')
        const { readSqliteSnapshot } = await import('../db/files/file.ts')
        await readSqliteSnapshot(database, (read) => work(exportRecords(read)))
      },
    }
  const { shown, ...settings } = postgres
  return {
    shown,
    open: async () => (await import('../db/stores.ts')).openPostgresStores({ url, ...settings }),
    async isMigrated() {
      const { isSchemaMigrated } = await import('../db/open/postgres-schema.ts')
      return isSchemaMigrated(url, settings)
    },
    async exportRecords(work) {
      const { exportRecords } = await import('../db/files/transfer.ts')
      const { readPostgresSnapshot } = await import('../db/open/postgres-schema.ts')
      await readPostgresSnapshot(url, settings, (read) => work(exportRecords(read)))
    },
  }
}
