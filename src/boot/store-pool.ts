import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { DATABASE_URL, type PostgresSettings } from '../config/settings.ts'
import type { ProjectStores } from '../http/context.ts'
import type { ExportRecord } from '../schemas/transfer.ts'
import { listProjects, projectPath } from '../storage/project-files.ts'
import { isMigrated } from '../storage/read-file.ts'
import { readSnapshot } from '../storage/sqlite/snapshot.ts'
import { openSqliteStores } from '../storage/sqlite/sqlite.ts'
import { refusal } from '../storage/storage-error.ts'
import { exportRecords } from '../storage/transfer/export-records.ts'

/** Where all projects are stored: what one project has cannot be named from another. */
export interface StorePool {
  /** Which database it is, without what is secret. */
  readonly shown: string
  /** Opens, and makes where needed. Rejects with a StorageError where it cannot be used. */
  open(project: string): Promise<ProjectStores>
  /** The other projects that there are, by name. */
  list(): Promise<string[]>
  /** Whether the project is there, and opening it would migrate nothing. Changes nothing. */
  isMigrated(project: string): Promise<boolean>
  /** Hands every record of a project to `work`, all from one state of its database. Changes nothing. Rejects with a StorageError. */
  exportRecords(project: string, work: (records: AsyncIterable<ExportRecord>) => Promise<void>): Promise<void>
  /** The stores that were opened are closed by who has them. */
  close(): Promise<void>
}

/** The one place that chooses between SQLite and PostgreSQL. */
export async function createStorePool({ database, postgres, workers }: Config, secrets: Secrets): Promise<StorePool> {
  const url = secrets.key(DATABASE_URL)
  if (postgres !== null && url !== undefined) return createPostgresPool(url, postgres, workers.lease_seconds)
  return {
    shown: database,
    open: async (project) => openSqliteStores({ path: projectPath(database, project), project }),
    list: async () => listProjects(database),
    isMigrated: async (project) => isMigrated(projectPath(database, project)),
    exportRecords: (project, work) =>
      readSnapshot(projectPath(database, project), (read) => work(exportRecords(read, false))),
    close: async () => undefined,
  }
}

async function createPostgresPool(
  url: string,
  { shown, ...settings }: PostgresSettings,
  lease_seconds: number,
): Promise<StorePool> {
  const [{ openPostgresStores }, { openSchemaList, projectSchema }] = await Promise.all([
    import('../storage/postgres/postgres.ts'),
    import('../storage/postgres/connection/project-schemas.ts'),
  ])
  const schemas = openSchemaList(url, settings)
  return {
    shown,
    open: async (project) => openPostgresStores({ url, schema: projectSchema(project), lease_seconds, ...settings }),
    list: () => schemas.list(),
    isMigrated: (project) => schemas.isMigrated(project),
    async exportRecords(project, work) {
      if (!(await schemas.isMigrated(project)))
        throw refusal(`${shown} has no schema of this version for project ${project}`)
      const { readSnapshot: readSchema } = await import('../storage/postgres/connection/snapshot.ts')
      await readSchema(url, projectSchema(project), settings, (read) => work(exportRecords(read, true)))
    },
    async close() {
      await schemas.close()
    },
  }
}
