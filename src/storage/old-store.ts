import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { refusal, type StorageError } from './storage-error.ts'

/** The last commit of Veridict that exports bodies in an S3 store and further projects. */
const EXPORTER = '93cd84585bdfdcc74d0c9f078c2b02f2285f8990'

/** Refuses a store of an earlier version, with the steps that carry its grades over. */
const refuseOld = (why: string): StorageError =>
  refusal(
    `${why}, which this version cannot read. Check out commit ${EXPORTER} of Veridict, run ` +
      '`npm run veridict -- export --all-projects --out FOLDER` there with the settings of the store, then run ' +
      '`veridict import FILE` here with each file of FOLDER and a new database',
  )

export const refuseOutside = (): StorageError => refuseOld('bodies of this database lie in an S3 store')
export const refuseProjects = (why: string): StorageError => refuseOld(why)

/** A row whose bytes lie in an S3 store. */
export const OUTSIDE = `
  SELECT id FROM trajectories WHERE outside_bytes IS NOT NULL
  UNION ALL SELECT id FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`

/** A key that opens another project than the default one, and that would open this database instead. */
export const FOREIGN_KEY = "SELECT id, project FROM api_keys WHERE project <> 'default' AND revoked_at IS NULL LIMIT 1"

export const refuseKey = ({ id, project }: { readonly id: string; readonly project: string }): StorageError =>
  refuseOld(`the key ${id} of this database opens the project ${project}`)

const PROJECT_FILE = /^[a-z0-9][a-z0-9-]{0,39}\.sqlite$/
const PROJECT = "SELECT CAST(value AS TEXT) FROM settings WHERE name = 'project'"

/** Throws a StorageError for a file of several projects, of another project than the default one, or with bodies in an S3 store. */
export function assertReadable(db: Database.Database, path: string): void {
  if (db.prepare(OUTSIDE).get() !== undefined) throw refuseOutside()
  const project: unknown = db.prepare(PROJECT).pluck().get()
  if (typeof project === 'string' && project !== 'default')
    throw refuseProjects(`${path} is the database of the project ${project}`)
  const key = db.prepare(FOREIGN_KEY).get() as Parameters<typeof refuseKey>[0] | undefined
  if (key !== undefined) throw refuseKey(key)
  const further = db.memory ? undefined : projectFileBeside(path)
  if (further !== undefined) throw refuseProjects(`${further} is the database of a further project`)
}

function projectFileBeside(path: string): string | undefined {
  const folder = join(dirname(path), 'projects')
  try {
    const name = readdirSync(folder).find((file) => PROJECT_FILE.test(file))
    return name === undefined ? undefined : join(folder, name)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw refusal(`the folder of the projects cannot be read: ${folder}`, { cause: error })
  }
}
