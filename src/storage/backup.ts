import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { fileFault } from '../domain/file-fault.ts'
import type { CopyOptions, CopyReport, RowCounts } from '../ports/upkeep-ports.ts'
import { readSchema } from './examine/examine-schema.ts'
import { listProjects, projectPath } from './project-files.ts'
import { openToRead } from './read-file.ts'
import { refusal, StorageError, toStorageError } from './storage-error.ts'
import { assertUnused, isOurs, LOG_ENDINGS } from './unused-file.ts'

/** Pages of 4 KiB for each turn of the event loop. */
const PAGES_AT_ONCE = 500

/**
 * A copy of a database that others may be writing to: one state of it, in steps. It is checked (pages, references, rows against
 * those of the source), on the disk, and has its name only then. Rows of `processes` are left out: no process uses a copy. The copy
 * needs no log beside it. Throws a StorageError where it cannot be made, and then leaves nothing behind.
 */
export async function backUpDatabase(options: CopyOptions): Promise<CopyReport> {
  const { to } = options
  const partial = `${to}.partial-${process.pid}`
  try {
    assertReplaceable(options)
    const rows = await copyChecked(options, partial)
    const bytes = statSync(partial).size
    syncPath(partial)
    // Once more: it may have come to be since the beginning, which was long ago.
    assertReplaceable(options)
    // Beside the new file, the log of the replaced one would be taken for its own, and damage it.
    for (const end of LOG_ENDINGS) rmSync(`${to}${end}`, { force: true })
    renameSync(partial, to)
    syncPath(dirname(resolve(to)))
    return { to, bytes, rows }
  } catch (error) {
    throw explainFailure(error, options)
  } finally {
    for (const end of ['', ...LOG_ENDINGS]) removeFile(partial + end)
  }
}

/** Behind another error, which is the one to tell: what could not be made cannot be removed either. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It stays, under a name that says what it is.
  }
}

/** What SQLite and the file system refuse, with the file that it is about. */
function explainFailure(error: unknown, { from, to }: CopyOptions): unknown {
  const failure = toStorageError(error)
  if (failure instanceof StorageError) {
    // The source is only read: it is the disk of the copy.
    if (failure.code === 'storage_full')
      return new StorageError('storage_full', `there is no room for ${to} on its disk`, { cause: error })
    return failure === error ? failure : new StorageError(failure.code, `${from}: ${failure.message}`, { cause: error })
  }
  const isOfFiles = error instanceof Error && 'syscall' in error
  return isOfFiles ? refusal(`${to} cannot be written: ${fileFault(error)}`, { cause: error }) : error
}

/** A name that is free, or that of a file which may be replaced: not a database in use, and no part of one. */
function assertReplaceable({ from, to, replace }: CopyOptions): void {
  if (basename(to) === '' || to.endsWith('/')) throw refusal(`${to} is no name of a file`)
  if (LOG_ENDINGS.some((end) => to.endsWith(end))) throw refusal(`${to} is a name for the log of a database`)
  const log = LOG_ENDINGS.map((end) => to + end).find((path) => existsSync(path))
  if (!replace && existsSync(to)) throw refusal(`${to} is there already`)
  if (!replace && log !== undefined) throw refusal(`${log} is there, which SQLite would take for a part of the copy`)
  if (!existsSync(to)) return
  if (!statSync(to).isFile()) throw refusal(`${to} is no file, and is not replaced`)
  if (isSameFile(from, to)) throw refusal('a database cannot be copied onto itself')
  if (!isOurs(to))
    throw refusal(
      `${to} is no database of Veridict, and is not replaced, --force or not: remove it, or give another name`,
    )
  assertUnused(to, new Date())
}

/** Makes the copy at `partial`, readable by its owner alone, and checks it. Answers its rows. */
async function copyChecked({ from, onProgress }: CopyOptions, partial: string): Promise<RowCounts> {
  const source = openToRead(from)
  try {
    const { fault } = readSchema(source)
    if (fault !== null) throw refusal(`${from}: ${fault}`)
    rmSync(partial, { force: true })
    closeSync(openSync(partial, 'wx', 0o600))
    // Without an open reading, every write of another process would begin the copy anew: beside a busy service it would never end.
    source.exec('BEGIN')
    const rows = countRows(source)
    await source.backup(partial, {
      progress({ totalPages, remainingPages }) {
        onProgress?.({ step: 'copy', done: totalPages - remainingPages, total: totalPages })
        return PAGES_AT_ONCE
      },
    })
    onProgress?.({ step: 'check', done: 0, total: null })
    checkCopy(partial, rows)
    return rows
  } finally {
    source.close()
  }
}

function checkCopy(path: string, expected: RowCounts): void {
  const db = new Database(path, { fileMustExist: true })
  try {
    const faults = db.pragma('integrity_check(3)', { simple: true })
    if (faults !== 'ok') throw refusal(`it is damaged: ${String(faults)}`)
    const dangling = db.pragma('foreign_key_check') as unknown[]
    if (dangling.length > 0) throw refusal(`it has ${dangling.length} references to no row`)
    const rows = countRows(db)
    for (const [table, n] of Object.entries(expected))
      if (rows[table] !== n) throw refusal(`the copy of ${table} has ${rows[table] ?? 0} rows instead of ${n}`)
    // The file alone is the database then; a service that opens it begins a log again.
    if (db.pragma('journal_mode = DELETE', { simple: true }) !== 'delete')
      throw refusal('the copy’s log cannot be closed')
    if ('processes' in rows) db.exec('DELETE FROM processes')
  } finally {
    db.close()
  }
}

/** Rows of every table, those of `processes` as they are. */
export function countRows(db: Database.Database): RowCounts {
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[]
  const count = (name: string): number =>
    db
      .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
      .pluck()
      .get() as number
  return Object.fromEntries(names.map((name) => [name, count(name)]))
}

/** The files of other projects beside a main database. */
export const projectFiles = (database: string): string[] =>
  listProjects(database).map((name) => projectPath(database, name))

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/** On the disk, a file or the names in a folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
