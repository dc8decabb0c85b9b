import type Database from 'better-sqlite3'
import { DEFAULT_PROJECT } from '../access/access.ts'
import { placedProject } from './project-files.ts'
import { refusal } from './storage-error.ts'

/** Of which project the database says that it is; null: it was last opened by a version that did not write that down. */
export function readProject(db: Database.Database): string | null {
  const name: unknown = db.prepare("SELECT CAST(value AS TEXT) FROM settings WHERE name = 'project'").pluck().get()
  return typeof name === 'string' ? name : null
}

/** Writes down of which project the database is. */
export function writeProject(db: Database.Database, project: string): void {
  db.prepare(
    `INSERT INTO settings VALUES ('project', CAST(? AS BLOB))
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ).run(project)
}

/**
 * Opened as another project, a database would give what is one’s to another, and the keys of nobody. Throws a StorageError where it
 * says another name; writes this one down where it says none, unless its place does.
 */
export function claimProject(db: Database.Database, path: string, project: string): void {
  const placed = placedProject(path)
  const known = readProject(db)
  if (known === null && (placed === null || placed === project)) writeProject(db, project)
  if (known === null || known === project) return
  const place = project === DEFAULT_PROJECT ? 'as the main database' : `as that of project ${project}`
  throw refusal(`${path} is the database of project ${known}, and is opened ${place}: put the right file there`)
}
