import { chownSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { RestoreOptions, RestoreReport, RowCounts } from '../grading/upkeep-ports.ts'
import { backUpDatabase, countRows, openToRead, syncPath } from './backup.ts'
import { livingProcesses } from './examine-processes.ts'
import { StorageError, toStorageError } from './storage-error.ts'

/**
 * Puts a backup in the place of a database that nobody uses. The backup is copied and checked first, then the old file goes aside,
 * and the copy takes its name: at no moment there is no database. Throws a StorageError, and changes nothing, where the backup is
 * damaged or newer than this program, or where a process has the database open.
 */
export async function restoreDatabase({ from, to, now, onProgress }: RestoreOptions): Promise<RestoreReport> {
  const path = resolve(to)
  const old = existsSync(path)
  if (old) assertUnused(path, now)
  const ready = `${path}.restoring`
  try {
    const report = await backUpDatabase({ from, to: ready, replace: true, ...(onProgress && { onProgress }) })
    const difference = old ? compare(path, ready) : null
    // Copying may have taken long: somebody may have come meanwhile.
    if (old) assertUnused(path, now)
    giveTo(ready, old ? path : dirname(path))
    const aside = putAside(path, now)
    renameSync(ready, path)
    syncPath(dirname(path))
    return {
      ...report,
      to: path,
      aside,
      lost: difference?.lost ?? null,
      forgotten_submissions: difference?.forgotten ?? [],
    }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    rmSync(ready, { force: true })
  }
}

/**
 * Nobody has the file open, by two signs: no living row in `processes`, and its lock is to be had. Writes the log back. A file that
 * is no database any more cannot be in use by a service.
 */
function assertUnused(path: string, now: Date): void {
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
    // Damaged: that is why somebody restores a backup.
    if (!/^SQLITE_(CORRUPT|NOTADB|IOERR|CANTOPEN)/.test(code)) throw error
  } finally {
    db?.close()
  }
}

const inUse = (path: string): StorageError =>
  new StorageError(
    'storage_busy',
    `${path} is in use by a living process: stop the service and its commands first (one that was killed on another machine counts as living for a minute)`,
  )

/** Root restores for whoever the service runs as: to root’s own file it would have no access. */
function giveTo(file: string, model: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(model)
  chownSync(file, uid, gid)
}

/** The old file under another name, with a log that could not be written back: beside the new file it would be taken for its own. */
function putAside(path: string, now: Date): string | null {
  const aside = freeName(`${path}.before-restore-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`)
  for (const end of ['-wal', '-shm']) if (existsSync(path + end)) renameSync(path + end, aside + end)
  if (!existsSync(path)) return null
  try {
    linkSync(path, aside)
  } catch {
    // No hard links on this file system.
    renameSync(path, aside)
  }
  return aside
}

function freeName(name: string): string {
  let free = name
  for (let n = 2; existsSync(free); n++) free = `${name}-${n}`
  return free
}

interface Difference {
  readonly lost: RowCounts
  readonly forgotten: readonly string[]
}

const OPEN_SUBMISSIONS = `
  SELECT id, coalesce(provider_id, id) AS named FROM provider_batches WHERE status IN ('recorded', 'submitted')`

/** What the old file has that the new one has not. Null where it cannot be read. */
function compare(oldPath: string, newPath: string): Difference | null {
  try {
    const [before, after] = [readState(oldPath), readState(newPath)]
    const lost: Record<string, number> = {}
    for (const [table, n] of Object.entries(before.rows)) {
      const missing = n - (after.rows[table] ?? 0)
      if (missing > 0 && table !== 'processes') lost[table] = missing
    }
    return { lost, forgotten: before.open.filter(({ id }) => !after.known.has(id)).map(({ named }) => named) }
  } catch {
    return null
  }
}

interface Submission {
  readonly id: string
  /** As the provider names it, if it has it. */
  readonly named: string
}

function readState(path: string) {
  const db = openToRead(path)
  try {
    const rows = countRows(db)
    const has = 'provider_batches' in rows
    const known = has ? (db.prepare('SELECT id FROM provider_batches').pluck().all() as string[]) : []
    return { rows, open: has ? (db.prepare(OPEN_SUBMISSIONS).all() as Submission[]) : [], known: new Set(known) }
  } finally {
    db.close()
  }
}
