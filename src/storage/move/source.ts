import { readFileSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { livingProcesses } from '../process-registry.ts'
import { hasTable, openToRead } from '../read-file.ts'
import { assertKnown, loadMigrations } from '../sqlite/migrate.ts'
import { inUse, refusal, toStorageError } from '../storage-error.ts'
import { findUndescribed } from './catalogue.ts'
import { CHUNK_BYTES, CHUNK_ROWS, MOVED, type MovedTable, type Row, sizeOf, type Value } from './moved-tables.ts'

export type Source = ReturnType<typeof openSource>

/**
 * A file of SQLite as it was when it was opened. Nothing is written to it. Throws a StorageError for a file that is used, damaged, no database
 * of ours, or of another version.
 */
export function openSource(path: string, project: string, now: Date, chunkBytes = CHUNK_BYTES) {
  let db: Database.Database | undefined
  try {
    const fingerprint = fingerprintOf(path)
    db = openToRead(path)
    assertMovable(db, path, now)
    db.defaultSafeIntegers(true)
    // One state from here on, whatever is written meanwhile; the first reading begins it.
    db.exec('BEGIN; SELECT 1 FROM sqlite_schema')
    const file = db
    return {
      ...{ path, project },
      /** How many rows will be moved. */
      count: () => MOVED.reduce((sum, table) => sum + countRows(file, table), 0),
      /** Every row of a table, in chunks of about the size that fits a transaction's statement. */
      chunks: (table: MovedTable) => readChunks(file, table, chunkBytes),
      /** Whether another process has written since it was opened. */
      changed: () => fingerprintOf(path) !== fingerprint,
      close: () => void file.close(),
    }
  } catch (error) {
    db?.close()
    const failure = toStorageError(error)
    if ((error as { code?: string }).code === 'SQLITE_CANTOPEN')
      throw refusal(
        `${path} cannot be opened: SQLite makes a log beside the file that it reads, so its folder must be writable; move a copy where it is not`,
        { cause: error },
      )
    throw failure
  }
}

function assertMovable(db: Database.Database, path: string, now: Date): void {
  const refuse = (why: string) => refusal(`${path}: ${why}`)
  if (!hasTable(db, 'schema_migrations')) throw refuse('this is no database of Veridict')
  const rows = db.prepare('SELECT name, sha256 FROM schema_migrations').raw().all() as [string, string][]
  const [applied, of] = [rows.length, loadMigrations().length]
  try {
    assertKnown(new Map(rows), loadMigrations())
  } catch (error) {
    throw refuse((error as Error).message)
  }
  if (applied < of)
    throw refuse(
      `it is version ${applied} of ${of}: older than this program. Open it once with this version (\`veridict status\` with VERIDICT_DATABASE, or the service), which migrates it; or do that with a copy, and move the copy`,
    )
  if (livingProcesses(db, now).size > 0 || isHeldByOthers(path)) throw inUse(path)
  const undescribed = findUndescribed('sqlite', columnsOf(db))
  if (undescribed.length > 0) throw refuse(`it is not said how to move ${undescribed.join(', ')}`)
  const dangling = db.pragma('foreign_key_check') as { table: string }[]
  if (dangling.length > 0)
    throw refuse(
      `${dangling.length} rows refer to rows that are not there, in ${[...new Set(dangling.map(({ table }) => table))].join(', ')}: PostgreSQL would refuse them. \`veridict doctor --full\` says more`,
    )
}

/** The columns of every table. */
export function columnsOf(db: Database.Database): Map<string, string[]> {
  const rows = db
    .prepare(
      `SELECT tables.name AS name, columns.name AS column FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all() as { name: string; column: string }[]
  const found = new Map<string, string[]>()
  for (const { name, column } of rows) found.set(name, [...(found.get(name) ?? []), column])
  return found
}

/** Every connection holds this byte of the index of the log for as long as it is open (sqlite.org/walformat.html, section 2.3). */
const HELD_BYTE = 128

/** Also programs that do not register themselves, such as a shell; only Linux tells. */
function isHeldByOthers(path: string): boolean {
  try {
    const inode = statSync(`${path}-shm`).ino
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => {
        const [, kind, , , pid = '', file = '', from = '', to = ''] = line.trim().split(/\s+/, 8)
        const holds = Number(from) <= HELD_BYTE && (to === 'EOF' || Number(to) >= HELD_BYTE)
        return kind === 'POSIX' && Number(file.split(':')[2]) === inode && holds && Number(pid) !== process.pid
      })
  } catch {
    return false
  }
}

function* readChunks(db: Database.Database, table: MovedTable, chunkBytes: number): Iterable<readonly Row[]> {
  let [rows, bytes]: [Row[], number] = [[], 0]
  for (const raw of db.prepare<[], Record<string, Value>>(renderSelect(table)).iterate()) {
    const row = toRow(table, raw)
    const size = sizeOf(row)
    // With others it would be sent as a text that is twice as long, with more copies; by itself its bytes are sent as they are.
    if (rows.length > 0 && (bytes + size > chunkBytes || rows.length >= CHUNK_ROWS)) {
      yield rows
      ;[rows, bytes] = [[], 0]
    }
    rows.push(row)
    bytes += size
  }
  if (rows.length > 0) yield rows
}

const quote = (name: string): string => `"${name}"`
const kept = ({ without }: MovedTable): string => (without === null ? '' : ` WHERE NOT (${without})`)

function renderSelect(table: MovedTable): string {
  const { name, columns, made } = table
  const list = Object.keys(columns)
    .filter((column) => made[column] === undefined)
    .map((column) => `${quote(column === 'seq' ? 'rowid' : column)} AS ${quote(column)}`)
  return `SELECT ${list.join(', ')} FROM ${quote(name)}${kept(table)}`
}

const countRows = (db: Database.Database, table: MovedTable): number =>
  Number(
    db
      .prepare(`SELECT count(*) FROM ${quote(table.name)}${kept(table)}`)
      .pluck()
      .get(),
  )

/** As PostgreSQL will have it. */
function toRow({ columns, made }: MovedTable, raw: Row): Row {
  const row: Record<string, Value> = {}
  for (const name of Object.keys(columns)) {
    const make = made[name]
    const value = make === undefined ? (raw[name] ?? null) : make(raw)
    // SQLite knows one zero, PostgreSQL two; text that is no UTF-8 has come as U+FFFD already.
    row[name] = value === 0 ? 0 : value
  }
  return row
}

/** An empty log is none: reading makes one. */
function fingerprintOf(path: string): string {
  const parts = [path, `${path}-wal`].map((file) => {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true })
    return found === undefined || found.size === 0n ? '-' : `${found.size}/${found.mtimeNs}`
  })
  return parts.join(' ')
}
