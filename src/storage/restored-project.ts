import { existsSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { DEFAULT_PROJECT } from '../access/access.ts'
import type { RestoreOptions } from '../ports/upkeep-ports.ts'
import { placedProject } from './project-files.ts'
import { readProject } from './project-mark.ts'
import { hasTable, readFrom } from './read-file.ts'
import { refusal } from './storage-error.ts'

interface Marks {
  /** By its own row, else by its place; null: unknown. */
  readonly project: string | null
  readonly keys: number
}

/**
 * Of which project the restored database is; null: not known. Throws a StorageError where the backup is another project’s than the
 * database that it would replace, and where it would make a project that is not asked for.
 */
export function projectOfRestored(options: RestoreOptions, path: string): string | null {
  const { from, as_project: forced, new_project: mayBeNew = false } = options
  const there = existsSync(path)
  const backup = marksOf(from)
  const old = there ? marksOf(path) : { project: placedProject(path), keys: 0 }
  const project = forced ?? options.project ?? old.project
  if (!there && !mayBeNew && project !== null && project !== DEFAULT_PROJECT)
    throw refusal(`there is no project ${project} yet (${path}): --new-project makes it from the backup`)
  if (forced !== undefined) return forced
  if (project === null) return backup.project
  if (backup.project !== null && backup.project !== project)
    throw refusal(
      `${from} is the database of project ${backup.project}, and ${path} is that of ${project}: ${otherPlace(backup.project)}; --as-project ${project} makes its grades those of ${project} all the same`,
    )
  if (backup.project === null && project === DEFAULT_PROJECT && old.keys > 0 && backup.keys === 0)
    throw refusal(
      `${from} has no keys, and ${path} has ${old.keys}: it may be the database of another project. Where it is the main one (from before there were keys), say --as-project ${DEFAULT_PROJECT}`,
    )
  return project
}

const otherPlace = (project: string): string =>
  project === DEFAULT_PROJECT
    ? 'without --database it takes the place of the main one'
    : `--as-project ${project}, without --database, puts it in its own place`

/** Of which project a file says that it is, by its own row or by its place; null: unknown. */
export const projectOfFile = (path: string): string | null => marksOf(path).project

/** Only a main database has keys that count: a file with some is one, whatever its name. What cannot be read says nothing. */
function marksOf(path: string): Marks {
  try {
    return readFrom(path, (db) => {
      const keys = countKeys(db)
      return { project: readProject(db) ?? (keys > 0 ? DEFAULT_PROJECT : placedProject(path)), keys }
    })
  } catch {
    return { project: placedProject(path), keys: 0 }
  }
}

const countKeys = (db: Database.Database): number =>
  hasTable(db, 'api_keys') ? (db.prepare('SELECT count(*) FROM api_keys').pluck().get() as number) : 0

const IS_OUTSIDE = `
  SELECT 1 FROM trajectories WHERE outside_bytes IS NOT NULL
  UNION ALL SELECT 1 FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`

const OF_ANOTHER = /^(.*?)(?: \(project ([a-z0-9-]+)\))?$/

/**
 * A database that is made another project's: its large data lies in the folder of the first, where it is looked for no more. That is
 * written down as another place, so that it is not opened before a sample is found in the new folder.
 */
export function leaveFolder(db: Database.Database, from: string | null, to: string, since: string): void {
  if (!hasTable(db, 'blob_places') || from === null || from === to) return
  if (db.prepare(IS_OUTSIDE).get() === undefined) return
  const last = db.prepare('SELECT place FROM blob_places ORDER BY rowid DESC LIMIT 1').pluck().get()
  if (typeof last !== 'string') return
  // One that was made another's before and never opened since: the folder is still that of the first.
  const [, place = last, owner = from] = OF_ANOTHER.exec(last) ?? []
  const next = owner === to ? place : `${place} (project ${owner})`
  if (next !== last) db.prepare('INSERT INTO blob_places (place, since) VALUES (?, ?)').run(next, since)
}
