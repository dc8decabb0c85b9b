import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { DEFAULT_PROJECT } from '../../access/access.ts'
import { count } from '../../domain/count.ts'
import type { RestoreOptions } from '../../ports/upkeep-ports.ts'
import { projectFiles } from '../../storage/backup.ts'
import { CliError } from '../client/cli-error.ts'
import { inert } from '../results/terminal-text.ts'

interface FolderPlan {
  /** Every file of the folder, and its place. */
  readonly restores: readonly Pick<RestoreOptions, 'from' | 'to' | 'project' | 'new_project'>[]
  /** Databases of projects that the folder has nothing for. */
  readonly kept: readonly string[]
}

/** What a folder of `backup --all-projects` puts where. Throws where it is none. */
export function planFolder(folder: string, main: string): FolderPlan {
  const mainBackup = mainOf(folder, main)
  const projects = projectFiles(mainBackup).map((from) => ({
    from,
    to: join(dirname(main), relative(folder, from)),
    project: basename(from, '.sqlite'),
    new_project: true,
  }))
  const places = new Set(projects.map(({ to }) => to))
  return {
    restores: [{ from: mainBackup, to: main, project: DEFAULT_PROJECT }, ...projects],
    kept: projectFiles(main).filter((path) => !places.has(path)),
  }
}

/** The file of that name, or the only one that there is: the database may have another name here. */
function mainOf(folder: string, main: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(`there is no folder ${inert(folder)}`, [
      '--all-projects takes what `veridict backup --all-projects` made.',
    ])
  const same = join(folder, basename(main))
  if (existsSync(same)) return same
  const files = readdirSync(folder).filter((name) => name.endsWith('.sqlite'))
  if (files.length === 1 && files[0] !== undefined) return join(folder, files[0])
  throw new CliError(
    `${inert(folder)} has no ${inert(basename(main))}, and ${count(files.length, 'other file')} that could be the main database`,
    ['Give the folder that `veridict backup --all-projects` made.'],
  )
}
