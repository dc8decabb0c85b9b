import { chownSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { RestoreOptions, RestoreReport, RowCounts } from '../grading/upkeep-ports.ts'
import { backUpDatabase, countRows, openToRead, syncPath } from './backup.ts'
import { StorageError, toStorageError } from './storage-error.ts'
import { assertUnused, LOG_ENDINGS } from './unused-file.ts'

/**
 * Puts a backup in the place of a database that nobody uses. The backup is copied and checked first, then the old file goes aside,
 * and the copy takes its name: at no moment there is no database. Throws a StorageError, and changes nothing, where the backup is
 * damaged or newer than this program, or where a process has the database open.
 */
export async function restoreDatabase({ from, to, now, onProgress }: RestoreOptions): Promise<RestoreReport> {
  const path = targetOf(from, to)
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
 * Where the database lies, a link followed: it is the file that is replaced, on its own disk. Throws where the backup is no file, where
 * something that is no file has the name, and where there is no folder.
 */
function targetOf(from: string, to: string): string {
  if (!isFile(from)) throw new StorageError('storage_error', `there is no backup ${from}`)
  const path = existsSync(to) ? realpathSync(to) : resolve(to)
  if (existsSync(path) && !isFile(path))
    throw new StorageError('storage_error', `${path} is no file: name the database, not its folder`)
  if (!existsSync(dirname(path)))
    throw new StorageError(
      'storage_error',
      `there is no folder ${dirname(path)}: make it first, for the user that the service runs as`,
    )
  return path
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Root restores for whoever the service runs as: to root’s own file it would have no access. */
function giveTo(file: string, model: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(model)
  chownSync(file, uid, gid)
}

/** The old file under another name, with a log that could not be written back: beside the new file it would be taken for its own. */
function putAside(path: string, now: Date): string | null {
  const aside = freeName(`${path}.before-restore-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`)
  for (const end of LOG_ENDINGS) if (existsSync(path + end)) renameSync(path + end, aside + end)
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
