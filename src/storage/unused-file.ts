import { closeSync, openSync, readSync } from 'node:fs'
import Database from 'better-sqlite3'
import { livingProcesses } from './process-registry.ts'
import { hasTable, readFrom } from './read-file.ts'
import { StorageError } from './storage-error.ts'

/** What SQLite keeps beside a database: beside another file of that name it would be taken for that one’s. */
export const LOG_ENDINGS = ['-journal', '-wal', '-shm'] as const

/**
 * The file is not open in any process, by two signs: no living row in `processes`, and its lock is to be had. Writes the log back. A file that
 * is no database any more cannot be in use by a service.
 */
export function assertUnused(path: string, now: Date): void {
  let db: Database.Database | undefined
  try {
    db = new Database(path, { fileMustExist: true, timeout: 1000 })
    if (livingProcesses(db, now).size > 0) throw inUse(path)
    db.close()
    // In exclusive mode from the first access on: any other connection, of whatever program, is in its way.
    db = new Database(path, { fileMustExist: true, timeout: 1000 })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE; COMMIT')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (error instanceof StorageError) throw error
    const code = (error as { code?: string }).code ?? ''
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) throw inUse(path)
    // Damaged: that is why a backup is restored.
    if (!/^SQLITE_(CORRUPT|NOTADB|IOERR|CANTOPEN)/.test(code)) throw error
  } finally {
    db?.close()
  }
}

const MAGIC = 'SQLite format 3\0'

/** A database of Veridict, or what is left of a copy that broke off: of its pages, or nothing at all. */
export function isOurs(path: string): boolean {
  const head = readHead(path)
  if (head.length === 0) return true
  if (!MAGIC.startsWith(head.toString('latin1'))) return false
  try {
    return readFrom(path, (db) => countTables(db) === 0 || hasTable(db, 'schema_migrations'), 1000)
  } catch (error) {
    return /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test((error as { code?: string }).code ?? '')
  }
}

const countTables = (db: Database.Database): unknown =>
  db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get()

function readHead(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(MAGIC.length)
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

export const inUse = (path: string): StorageError =>
  new StorageError(
    'storage_busy',
    `${path} is in use by a living process: stop the service and its commands first (one that was killed on another machine counts as living for a minute)`,
  )
