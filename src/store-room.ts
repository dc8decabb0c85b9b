import type { AccessStore } from './access/access-store.ts'
import type { Config } from './config/config.ts'
import { DATABASE_URL, type PostgresSettings } from './config/postgres-settings.ts'
import type { Secrets } from './config/secrets.ts'
import type { Stores } from './grading/ports.ts'
import { openPostgresStores } from './storage/postgres/postgres.ts'
import { openSchemaList, projectSchema } from './storage/postgres/project-schemas.ts'
import { listProjects, projectPath } from './storage/project-files.ts'
import { openSqliteStores } from './storage/sqlite.ts'

/** The stores of one project. Keys count only in the default one. */
export interface ProjectStores extends Stores {
  readonly access: AccessStore
}

/** Where all projects are stored: what one project has cannot be named from another. */
export interface StoreRoom {
  /** Which database it is, without what is secret. */
  readonly shown: string
  /** Opens, and makes where needed. Rejects with a StorageError where it cannot be used. */
  open(project: string): Promise<ProjectStores>
  /** The other projects that there are, by name. */
  list(): Promise<string[]>
  /** The stores that were opened are closed by who has them. */
  close(): Promise<void>
}

/** The one place that chooses between SQLite and PostgreSQL. */
export function createStoreRoom({ database, postgres }: Config, secrets: Secrets): StoreRoom {
  const url = secrets.key(DATABASE_URL)
  if (postgres !== null && url !== undefined) return createPostgresRoom(url, postgres)
  return {
    shown: database,
    open: async (project) => openSqliteStores({ path: projectPath(database, project), project }),
    list: async () => listProjects(database),
    close: async () => undefined,
  }
}

function createPostgresRoom(url: string, { shown, ...settings }: PostgresSettings): StoreRoom {
  const schemas = openSchemaList(url, settings)
  return {
    shown,
    open: async (project) => openPostgresStores({ url, schema: projectSchema(project), ...settings }),
    list: () => schemas.list(),
    close: () => schemas.close(),
  }
}
