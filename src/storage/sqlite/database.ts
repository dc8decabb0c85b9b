import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { hasAllMigrations } from '../read-file.ts'
import { inUse, StorageError, toStorageError } from '../storage-error.ts'
import { migrate } from './migrate.ts'
import { livesElsewhere } from './processes.ts'
import { isRun } from './run-lock.ts'

const MEMORY = ':memory:'
/** The log is written back every 4 MiB; only a reader that stays lets it grow beyond that. */
const LONGEST_LOG_BYTES = 8 * 1024 * 1024

/** Opens (and makes, with its folder, and migrates) the database file. Throws a StorageError that says what to do. */
export function openDatabase(path: string): Database.Database {
  // SQLite takes a blank name for a temporary database, which would lose everything at the end.
  if (path.trim() === '') throw new StorageError('storage_error', 'the path of the database is empty')
  if (path !== MEMORY) makeFolder(dirname(resolve(path)))
  let db: Database.Database | undefined
  try {
    if (path !== MEMORY) makeFile(path)
    db = new Database(path, { timeout: 5000 })
    assertSafeVersion((db.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version)
    setPragmas(db)
    // A process of an older version would go on writing as it knows the tables.
    if (!hasAllMigrations(db) && (livesElsewhere(db) || (!db.memory && isRun(path)))) throw inUse(path)
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    throw toStorageError(error)
  }
}

/** For its owner alone; the files that SQLite makes beside it get the same mode. One that is there keeps its own. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // SQLite meets the same and says what it is.
  }
}

/**
 * Versions with the WAL-reset bug can lose committed pages: 3.7.0 to 3.51.2, but for the two branches that have the
 * fix.
 */
export function assertSafeVersion(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const fixed =
    minor > 51 || (minor === 51 && patch >= 3) || (minor === 50 && patch >= 7) || (minor === 44 && patch >= 6)
  if (!(major > 3 || (major === 3 && fixed)))
    throw new StorageError(
      'storage_error',
      `SQLite ${version} can corrupt a database in WAL mode; 3.51.3 or newer is needed (or 3.50.7, 3.44.6)`,
    )
}

function setPragmas(db: Database.Database): void {
  db.pragma('busy_timeout = 5000')
  const mode = db.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal' && !db.memory)
    throw new StorageError(
      'storage_error',
      `the database cannot use WAL (journal mode ${String(mode)}): use a local disk`,
    )
  // better-sqlite3 is built with NORMAL for WAL, which may lose the last commits at a power loss: paid replies
  // among them.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  // Without it a log that a long reader made grow keeps its size until the last process closes the file.
  db.pragma(`journal_size_limit = ${LONGEST_LOG_BYTES}`)
}

/** One by one: `recursive` never ends where a file system answers ENOENT for a folder whose parent is there (/proc). */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  makeFolders(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder)
  } catch (error) {
    throw new StorageError('storage_error', `the folder of the database cannot be made: ${folder}`, { cause: error })
  }
}
