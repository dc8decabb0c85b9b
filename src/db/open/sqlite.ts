import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { closed, createSql, type Db, type Rows, Undo, type Work } from '../db.ts'
import { refusal, toStorageError } from '../errors.ts'
import { migrateSqlite } from './migrate.ts'

export const MEMORY = ':memory:'
/** The log is written back every 4 MiB; only a reader that stays lets it grow beyond that. */
const LONGEST_LOG_BYTES = 8 * 1024 * 1024
/** A connection waits so many milliseconds for a lock. */
const WAITING = { timeout: 5000 }

/** Opens a database file, which is made and, without `keeps`, migrated where needed. Throws a StorageError for an unusable file. */
export function openSqlite(path: string, keeps = false): Db {
  // SQLite takes a blank name for a temporary database, which would lose everything at the end.
  if (path.trim() === '') throw refusal('the path of the database is empty')
  if (path !== MEMORY) makeFile(path)
  let writer: Database.Database | undefined
  try {
    writer = new Database(path, WAITING)
    setPragmas(writer)
    migrateSqlite(writer, undefined, keeps)
    // A second connection reads what is committed, whatever unit of work is open.
    return databaseOver(path, writer, writer.memory ? writer : new Database(path, WAITING))
  } catch (error) {
    writer?.close()
    throw toStorageError(error)
  }
}

function databaseOver(path: string, writer: Database.Database, reader: Database.Database): Db {
  const units = createUnits(writer)
  return {
    kind: 'sqlite',
    process: `prc_${crypto.randomUUID()} ${process.pid} ${hostname()}`,
    read: createSql('sqlite', prepareOn(reader)),
    write: units.write,
    async snapshot(work) {
      const db = new Database(path, { ...WAITING, readonly: true })
      try {
        db.exec('BEGIN')
        await work((text) => db.prepare<[], never>(text).iterate())
      } catch (error) {
        throw toStorageError(error)
      } finally {
        db.close()
      }
    },
    async close() {
      await units.settled()
      // The connection that closes last writes the log back: the file alone is the whole database again.
      reader.close()
      writer.close()
    },
  }
}

/** Statements of different text that stay prepared. */
const MOST_STATEMENTS = 500

/** Runs statements on one connection; each text is prepared once. */
function prepareOn(db: Database.Database, isOfUnit = false) {
  const memoMethod = (text: string) => db.prepare(text)
  const statements = new LRUCache<string, Database.Statement>({ max: MOST_STATEMENTS, memoMethod })
  return async <R>(text: string, values: readonly unknown[] = []): Promise<Rows<R>> => {
    if (!db.open) throw closed()
    // Behind an earlier statement that ended the whole transaction, this one would be committed at once.
    if (isOfUnit && !db.inTransaction) throw refusal('the transaction has ended')
    try {
      const statement = statements.memo(text)
      if (statement.reader) return { rows: statement.all(values) as R[], changes: 0 }
      return { rows: [], changes: statement.run(values).changes }
    } catch (error) {
      throw toStorageError(error)
    }
  }
}

/** More units of work than this do not wait for one commit. */
const MOST_IN_GROUP = 200

type WaitingUnit = Omit<PromiseWithResolvers<unknown>, 'promise'> & { readonly work: Work<unknown> }

/** Runs units of work, one after the other. Those of one turn of the event loop share one commit, or fail together where a full disk ends it. */
function createUnits(db: Database.Database) {
  const sql = createSql('sqlite', prepareOn(db, true))
  const queue: WaitingUnit[] = []
  let running: Promise<void> | null = null

  /** Runs units of work; returns their ends, which are told behind the common commit. */
  async function runGroup(units: readonly WaitingUnit[]): Promise<readonly (() => void)[]> {
    const ends: (() => void)[] = []
    try {
      // A transaction that begins by reading cannot wait for the write lock, whatever the busy timeout.
      db.exec('BEGIN IMMEDIATE')
      for (const { work, resolve, reject } of units) {
        // A unit that fails takes none of its neighbours with it.
        db.exec('SAVEPOINT unit')
        try {
          const value = await work(sql)
          ends.push(() => resolve(value))
        } catch (error) {
          if (!db.inTransaction) throw error
          db.exec('ROLLBACK TO unit')
          ends.push(() => (error instanceof Undo ? resolve(error.cause) : reject(toStorageError(error))))
        }
        db.exec('RELEASE unit')
      }
      db.exec('COMMIT')
      return ends
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      return units.map((unit) => () => unit.reject(toStorageError(error)))
    }
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await new Promise(setImmediate)
      for (const tell of await runGroup(queue.splice(0, MOST_IN_GROUP))) tell()
    }
    running = null
  }

  return {
    write<T>(work: Work<T>): Promise<T> {
      if (!db.open) return Promise.reject(closed())
      const done = new Promise<unknown>((resolve, reject) => queue.push({ work, resolve, reject }))
      running ??= flush()
      return done as Promise<T>
    },
    async settled(): Promise<void> {
      // A caller may write again in the turn in which its unit ends.
      do {
        await running
        await new Promise(setImmediate)
      } while (running !== null)
    },
  }
}

/** Makes the file for its owner alone, in its folder; the files that SQLite makes beside it get the same mode. An existing file keeps its own. */
function makeFile(path: string): void {
  const folder = dirname(resolve(path))
  try {
    makeFolder(folder)
  } catch (error) {
    throw refusal(`the folder of the database cannot be made: ${folder}`, { cause: error })
  }
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // SQLite meets the same fault and names it.
  }
}

/** Makes folders one by one: `recursive` never ends where a file system answers ENOENT for a folder whose parent exists (/proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

function setPragmas(db: Database.Database): void {
  const mode = db.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal' && !db.memory)
    throw refusal(`the database cannot use WAL (journal mode ${String(mode)}): use a local disk`)
  // better-sqlite3 is built with NORMAL for WAL, which may lose the last commits at a power loss, and paid replies with them.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  // Without a limit a log that a long reader made grow keeps its size until the last process closes the file.
  db.pragma(`journal_size_limit = ${LONGEST_LOG_BYTES}`)
}
