import { chownSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { RestoreOptions, RestoreReport, RowCounts } from '../ports/upkeep-ports.ts'
import { backUpDatabase, countRows, removeFile, syncPath } from './backup.ts'
import { placedProject } from './project-files.ts'
import { readProject, writeProject } from './project-mark.ts'
import { readFrom } from './read-file.ts'
import { leaveFolder, projectOfRestored } from './restored-project.ts'
import { refusal, toFileError } from './storage-error.ts'
import { assertUnused, LOG_ENDINGS } from './unused-file.ts'

/**
 * Puts a backup in the place of a database that is not in use. The backup is copied and checked first, then the old file goes aside,
 * and the copy takes its name: at no moment there is no database. Throws a StorageError, and changes nothing, where the backup is
 * damaged, newer than this program or of another project, or where a process has the database open.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<RestoreReport> {
  const prepared = await prepare(options)
  try {
    return prepared.commit()
  } finally {
    prepared.discard()
  }
}

/** The same for several: each is copied and checked before the first takes its place. */
export async function restoreDatabases(
  all: readonly RestoreOptions[],
  onRestored: (report: RestoreReport) => void,
): Promise<void> {
  const prepared: Prepared[] = []
  try {
    for (const options of all) prepared.push(await prepare(options))
    for (const one of prepared) one.assertUnused()
    for (const one of prepared) onRestored(one.commit())
  } finally {
    for (const one of prepared) one.discard()
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** A checked copy beside the database that it is for. */
async function prepare(options: RestoreOptions) {
  const { from, now, onProgress } = options
  const { path, project } = placeOf(options)
  const old = existsSync(path)
  if (old) assertUnused(path, now)
  const ready = `${path}.restoring`
  /** Removes the copy; nothing where it has its place. */
  const discard = () => removeFile(ready)
  try {
    const report = await backUpDatabase({ from, to: ready, replace: true, ...(onProgress && { onProgress }) })
    if (project !== null) markAs(ready, project, now)
    return {
      // Copying may have taken long: another process may have opened it meanwhile.
      assertUnused: () => old && assertUnused(path, now),
      commit: (): RestoreReport => ({ ...report, project, to: path, ...takePlace(ready, path, now) }),
      discard,
    }
  } catch (error) {
    discard()
    throw toFileError(error)
  }
}

/** Where the restored database will be, and whose; nothing but the folder of the first project is made. */
function placeOf(options: RestoreOptions) {
  try {
    const path = targetOf(options.from, options.to)
    const project = projectOfRestored(options, path)
    assertFolder(path, options.new_project === true)
    return { path, project }
  } catch (error) {
    throw toFileError(error)
  }
}

function takePlace(ready: string, path: string, now: Date) {
  try {
    const old = existsSync(path)
    const difference = old ? compare(path, ready) : null
    if (old) assertUnused(path, now)
    giveTo(ready, old ? path : dirname(path))
    const aside = putAside(path, now)
    renameSync(ready, path)
    syncPath(dirname(path))
    return { aside, lost: difference?.lost ?? null, forgotten_submissions: difference?.forgotten ?? [] }
  } catch (error) {
    throw toFileError(error)
  }
}

function markAs(path: string, project: string, now: Date): void {
  const db = new Database(path, { fileMustExist: true })
  try {
    leaveFolder(db, readProject(db), project, now.toISOString())
    writeProject(db, project)
  } finally {
    db.close()
  }
  syncPath(path)
}

/**
 * Where the database lies, a link followed: it is the file that is replaced, on its own disk. Throws where the backup is no file, and
 * where something that is no file has the name.
 */
function targetOf(from: string, to: string): string {
  const backup = statSync(from, { throwIfNoEntry: false })
  if (backup === undefined) throw refusal(`there is no backup ${from}`)
  if (!backup.isFile()) throw refusal(`${from} is no file: --all-projects restores a folder of backups`)
  const path = existsSync(to) ? realpathSync(to) : resolve(to)
  if (existsSync(path) && !isFile(path)) throw refusal(`${path} is no file: name the database, not its folder`)
  return path
}

/** A new project may be the first one; any other folder that is not there may be a disk that is not mounted. */
function assertFolder(path: string, mayBeNew: boolean): void {
  const folder = dirname(path)
  if (existsSync(folder)) return
  if (!mayBeNew || placedProject(path) === null || !existsSync(dirname(folder)))
    throw refusal(`there is no folder ${folder}: make it first, for the user that the service runs as`)
  mkdirSync(folder)
  giveTo(folder, dirname(folder))
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Root restores for the user that the service runs as: to root’s own file it would have no access. */
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

const readState = (path: string) =>
  readFrom(path, (db) => {
    const rows = countRows(db)
    const has = 'provider_batches' in rows
    const known = has ? (db.prepare('SELECT id FROM provider_batches').pluck().all() as string[]) : []
    return { rows, open: has ? (db.prepare(OPEN_SUBMISSIONS).all() as Submission[]) : [], known: new Set(known) }
  })
