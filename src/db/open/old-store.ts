import { readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { inUse, refusal, type StorageError } from '../errors.ts'
import { pidExists } from '../processes.ts'

/** The last commit of Veridict that exports bodies in an S3 store and further projects. */
const EXPORTER = '93cd84585bdfdcc74d0c9f078c2b02f2285f8990'

/** Refuses a store of an earlier version, with the steps that carry its grades over. */
export const refuseOld = (why: string): StorageError =>
  refusal(
    `${why}, which this version cannot read. Check out commit ${EXPORTER} of Veridict, run ` +
      '`npm run veridict -- export --all-projects --out FOLDER` there with the settings of the store, then run ' +
      '`veridict import FILE` here with each file of FOLDER and a new database',
  )

interface OldRows {
  readonly table: string
  /** The column that earlier versions may lack. */
  readonly column: string
  readonly query: string
  readonly refuse: (row: { readonly id: string; readonly project?: string }) => StorageError
}

/** Rows whose bytes lie in an S3 store. */
export const OUTSIDE: OldRows = {
  ...{ table: 'trajectories', column: 'outside_bytes' },
  query: `SELECT id FROM trajectories WHERE outside_bytes IS NOT NULL
    UNION ALL SELECT id FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`,
  refuse: () => refuseOld('bodies of this database lie in an S3 store'),
}

/** Rows that this version cannot read: on both databases. A key of another project would open this database instead. */
export const OLD_ROWS: readonly OldRows[] = [
  OUTSIDE,
  {
    ...{ table: 'api_keys', column: 'project' },
    query: "SELECT id, project FROM api_keys WHERE project <> 'default' AND revoked_at IS NULL LIMIT 1",
    refuse: ({ id, project }) => refuseOld(`the key ${id} of this database opens the project ${project}`),
  },
]

export const hasTable = (db: Database.Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

const hasColumn = (db: Database.Database, table: string, column: string): boolean =>
  db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined

const PROJECT = "SELECT CAST(value AS TEXT) FROM settings WHERE name = 'project'"
const PROJECT_FILE = /^[a-z0-9][a-z0-9-]{0,39}\.sqlite$/

/** Throws a StorageError for a file of several projects, of another project than the default one, or with bodies in an S3 store. */
export function assertReadable(db: Database.Database): void {
  for (const { table, column, query, refuse } of OLD_ROWS) {
    const row = hasColumn(db, table, column) ? db.prepare(query).get() : undefined
    if (row !== undefined) throw refuse(row as Parameters<typeof refuse>[0])
  }
  const project: unknown = hasTable(db, 'settings') ? db.prepare(PROJECT).pluck().get() : undefined
  if (typeof project === 'string' && project !== 'default')
    throw refuseOld(`${db.name} is the database of the project ${project}`)
  const further = db.memory ? undefined : projectFileBeside(db.name)
  if (further !== undefined) throw refuseOld(`${further} is the database of a further project`)
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

/** A process of an older version that said nothing for so long is dead. */
const SILENCE_MS = 60_000

/** Throws a StorageError where a process of an older version, which registered itself, uses the file. */
export function assertNoOldProcess(db: Database.Database): void {
  type Row = { readonly host: string; readonly pid: number; readonly seen_at: string }
  if (!hasTable(db, 'processes')) return
  const lives = db
    .prepare<[], Row>('SELECT host, pid, seen_at FROM processes')
    .all()
    .some(({ host, pid, seen_at }) => {
      if (!(Date.now() - Date.parse(seen_at) <= SILENCE_MS)) return false
      return host !== hostname() || (pid !== process.pid && pidExists(pid))
    })
  if (lives) throw inUse(db.name)
}
