import { readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { inUse, refusal, type StorageError } from '../errors.ts'
import { pidExists } from '../processes.ts'

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

export const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

const hasColumn = (db: Database.Database, table: string, column: string): boolean =>
  db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined

/** Throws a StorageError for a file of several projects, of another project than the default one, or with bodies in an S3 store. */
export function assertReadable(db: Database.Database): void {
  if (hasColumn(db, 'trajectories', 'outside_bytes') && db.prepare(OUTSIDE).get() !== undefined) throw refuseOutside()
  const project: unknown = hasTable(db, 'settings') ? db.prepare(PROJECT).pluck().get() : undefined
  if (typeof project === 'string' && project !== 'default')
    throw refuseProjects(`${db.name} is the database of the project ${project}`)
  const key = hasTable(db, 'api_keys') ? db.prepare(FOREIGN_KEY).get() : undefined
  if (key !== undefined) throw refuseKey(key as Parameters<typeof refuseKey>[0])
  const further = db.memory ? undefined : projectFileBeside(db.name)
  if (further !== undefined) throw refuseProjects(`${further} is the database of a further project`)
}

/** A process of an older version that said nothing for so long is dead. */
const SILENCE_MS = 60_000

interface OldProcess {
  readonly host: string
  readonly pid: number
  readonly seen_at: string
}

/** Throws a StorageError where a process of an older version, which registered itself, uses the file. */
export function assertNoOldProcess(db: Database.Database): void {
  const rows = db.prepare('SELECT host, pid, seen_at FROM processes').all() as OldProcess[]
  const lives = rows.some(({ host, pid, seen_at }) => {
    if (!(Date.now() - Date.parse(seen_at) <= SILENCE_MS)) return false
    return host !== hostname() || (pid !== process.pid && pidExists(pid))
  })
  if (lives) throw inUse(db.name)
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
