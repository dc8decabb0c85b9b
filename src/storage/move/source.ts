import { readFileSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { openToRead } from '../backup.ts'
import { livingProcesses } from '../examine-processes.ts'
import { lookAtSchema } from '../examine-schema.ts'
import { StorageError, toStorageError } from '../storage-error.ts'
import { findUndescribed } from './catalogue.ts'
import { CHUNK_BYTES, CHUNK_ROWS, sizeOf } from './chunks.ts'
import { MOVED, type MovedTable } from './moved-tables.ts'
import type { Row, Value } from './row.ts'
import { createAdder, type Totals } from './table-digest.ts'

/** Rows in the order of the key, with the key of the last of them. */
export interface SourceChunk {
  readonly rows: readonly Row[]
  /** Null: there is nothing after it. */
  readonly next: readonly Value[] | null
}

/** A file of SQLite as it was when it was opened. Nothing is written to it. */
export interface Source {
  readonly path: string
  /** The next rows after a key, or the first ones. */
  read(table: MovedTable, after: readonly Value[] | null): SourceChunk
  /** Every row of every table, by the names of the tables; `onTable` is waited for now and then, and may end it by throwing. */
  survey(onTable: (table: string, rows: number) => Promise<void> | void): Promise<Record<string, Totals>>
  /** The file and its log as the file system tells them, when it was opened: where that is the same, nobody wrote. */
  readonly fingerprint: string
  /** Whether somebody has written since. */
  changed(): boolean
  close(): void
}

/** Throws a StorageError for a file that is used, damaged, no database of ours, or of another version. */
export function openSource(path: string, now: Date, chunkBytes = CHUNK_BYTES): Source {
  let db: Database.Database | undefined
  try {
    const fingerprint = fingerprintOf(path)
    db = openToRead(path)
    assertMovable(db, path, now)
    db.defaultSafeIntegers(true)
    // One state from here on, whoever writes; the first reading begins it.
    db.exec('BEGIN; SELECT 1 FROM sqlite_schema')
    return createSource(db, path, { fingerprint, chunkBytes })
  } catch (error) {
    db?.close()
    const failure = toStorageError(error)
    if ((error as { code?: string }).code === 'SQLITE_CANTOPEN')
      throw new StorageError(
        'storage_error',
        `${path} cannot be opened: SQLite makes a log beside the file that it reads, so its folder must be writable; move a copy where it is not`,
        { cause: error },
      )
    throw failure
  }
}

function assertMovable(db: Database.Database, path: string, now: Date): void {
  const refuse = (why: string) => new StorageError('storage_error', `${path}: ${why}`)
  const schema = lookAtSchema(db)
  const [found] = schema.findings.filter(({ severity }) => severity !== 'ok')
  if (found?.severity === 'error') throw refuse(`${found.found}. ${found.advice ?? ''}`.trim())
  if (found !== undefined)
    throw refuse(
      `it is ${found.found}. Open it once with this version (\`veridict status\` with VERIDICT_DATABASE, or the service), which migrates it; or do that with a copy, and move the copy`,
    )
  if (livingProcesses(db, now).size > 0 || isHeldByOthers(path))
    throw new StorageError(
      'storage_busy',
      `${path} is in use by a living process: stop the service and its commands first (one that was killed on another machine counts as living for a minute)`,
    )
  const undescribed = findUndescribed('sqlite', columnsOf(db))
  if (undescribed.length > 0) throw refuse(`nobody has said how to move ${undescribed.join(', ')}`)
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

/** Rows between two turns of the event loop. */
const ROWS_A_TURN = 500

function createSource(
  db: Database.Database,
  path: string,
  { fingerprint, chunkBytes }: { readonly fingerprint: string; readonly chunkBytes: number },
): Source {
  const read = (table: MovedTable, after: readonly Value[] | null): SourceChunk => {
    const { sourceKey } = table
    const rows: Row[] = []
    let [bytes, last] = [0, null as readonly Value[] | null]
    const statement = db.prepare<unknown[], Record<string, Value>>(renderSelect(table, after !== null))
    for (const raw of statement.iterate(...(after ?? []))) {
      const row = toRow(table, raw)
      const size = sizeOf(row)
      // With others it would be sent as a text that is twice as long, with more copies; by itself its bytes are sent as they are.
      if (rows.length > 0 && size >= chunkBytes) return { rows, next: last }
      last = sourceKey.map((name) => raw[`key_${name}`] ?? null)
      rows.push(row)
      bytes += size
      if (bytes >= chunkBytes || rows.length >= CHUNK_ROWS) return { rows, next: last }
    }
    return { rows, next: null }
  }
  return {
    path,
    read,
    async survey(onTable) {
      const found: Record<string, Totals> = {}
      for (const table of MOVED) {
        const adder = createAdder(table)
        let since = 0
        let after: readonly Value[] | null = null
        do {
          const chunk: SourceChunk = read(table, after)
          for (const row of chunk.rows) adder.add(row)
          after = chunk.next
          since += chunk.rows.length
          if (since < ROWS_A_TURN && after !== null) continue
          await onTable(table.name, adder.totals().rows)
          since = 0
        } while (after !== null)
        found[table.name] = adder.totals()
      }
      return found
    },
    fingerprint,
    changed: () => fingerprintOf(path) !== fingerprint,
    close: () => db.close(),
  }
}

const quote = (name: string): string => `"${name}"`

function renderSelect(table: MovedTable, goesOn: boolean): string {
  const { columns, renamed, made, sourceKey, without } = table
  const kept = Object.keys(columns).filter((name) => made[name] === undefined)
  const terms = [
    ...(without === null ? [] : [`NOT (${without})`]),
    ...(goesOn ? [`(${sourceKey.map(quote).join(', ')}) > (${sourceKey.map(() => '?').join(', ')})`] : []),
  ]
  const list = [
    ...sourceKey.map((name) => `${quote(name)} AS ${quote(`key_${name}`)}`),
    ...kept.map((name) => `${quote(renamed[name] ?? name)} AS ${quote(name)}`),
  ]
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')} ` : ''
  return `SELECT ${list.join(', ')} FROM ${quote(table.name)} ${where}ORDER BY ${sourceKey.map(quote).join(', ')}`
}

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
