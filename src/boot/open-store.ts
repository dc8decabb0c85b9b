import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { ExportRecord } from '../schemas/transfer.ts'
import { isMigrated } from '../storage/read-file.ts'
import { readSnapshot } from '../storage/sqlite/snapshot.ts'
import { openSqliteStores } from '../storage/sqlite/sqlite.ts'
import type { ServiceStores } from '../storage/stores/stores.ts'
import { exportRecords } from '../storage/transfer.ts'

/** The configured database. */
export interface Store {
  /** The name of the database, without secrets. */
  readonly shown: string
  /** Opens the stores; makes and migrates the database where needed. Rejects with a StorageError for an unusable database. */
  open(): Promise<ServiceStores>
  /** Tells whether the database exists and `open` would migrate nothing. Changes nothing. */
  isMigrated(): Promise<boolean>
  /** Hands every record to `work`, all from one state of the database. Changes nothing. Rejects with a StorageError. */
  exportRecords(work: (records: AsyncIterable<ExportRecord>) => Promise<void>): Promise<void>
}

/** Chooses between SQLite and PostgreSQL. */
export function storeOf({ database, postgres, workers }: Config, secrets: Secrets): Store {
  const url = secrets.key(DATABASE_URL)
  if (postgres === null || url === undefined)
    return {
      shown: database,
      open: async () => openSqliteStores({ path: database }),
      isMigrated: async () => isMigrated(database),
      exportRecords: (work) => readSnapshot(database, (read) => work(exportRecords(read))),
    }
  const { shown, ...settings } = postgres
  return {
    shown,
    async open() {
      const { openPostgresStores } = await import('../storage/postgres/postgres.ts')
      return openPostgresStores({ url, lease_seconds: workers.lease_seconds, ...settings })
    },
    async isMigrated() {
      const { isSchemaMigrated } = await import('../storage/postgres/connection/schemas.ts')
      return isSchemaMigrated(url, settings)
    },
    async exportRecords(work) {
      const { readSnapshot: readSchema } = await import('../storage/postgres/connection/snapshot.ts')
      await readSchema(url, settings, (read) => work(exportRecords(read)))
    },
  }
}
