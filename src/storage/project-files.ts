import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DEFAULT_PROJECT, isProjectName } from '../access/access.ts'
import { refusal } from './storage-error.ts'

const MEMORY = ':memory:'
const ENDING = '.sqlite'

/**
 * Where a project is stored: the default one in the main database, every other one in a file of its own beside it, or, where the
 * main one is in memory, in a memory of its own. Throws a StorageError for what is no name: a name becomes part of a path.
 */
export function projectPath(database: string, name: string): string {
  if (!isProjectName(name)) throw refusal('this is no name of a project')
  if (name === DEFAULT_PROJECT || database === MEMORY) return database
  return join(dirname(database), 'projects', name + ENDING)
}

/** The project whose place a path is: `projects/NAME.sqlite`. Null: it may be a main database, or a copy of any. */
export function placedProject(path: string): string | null {
  const name = basename(path, ENDING)
  const isPlace = basename(dirname(resolve(path))) === 'projects' && path.endsWith(ENDING)
  return isPlace && isProjectName(name) && name !== DEFAULT_PROJECT ? name : null
}

/** The other projects that have a file, by name. */
export function listProjects(database: string): string[] {
  if (database === MEMORY) return []
  return readFolder(join(dirname(database), 'projects'))
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .filter((name) => isProjectName(name) && name !== DEFAULT_PROJECT)
    .sort()
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw refusal(`the folder of the projects cannot be read: ${folder}`, { cause: error })
  }
}
