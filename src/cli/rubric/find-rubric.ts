import { existsSync, statSync } from 'node:fs'
import { readEnvironment } from '../../config/environment.ts'
import { type LoadedRubric, loadConfiguredRubrics, loadRubrics } from '../../config/rubrics.ts'
import { CliError } from '../client/cli-error.ts'
import type { Shell } from '../client/shell.ts'

/** Loads the shipped rubrics and the rubrics of VERIDICT_RUBRICS. */
export const knownRubrics = ({ env }: Pick<Shell, 'env'>): LoadedRubric[] =>
  loadConfiguredRubrics(readEnvironment(env).rubrics ?? [])

export function isFolder(typed: string): boolean {
  if (!existsSync(typed)) return false
  if (!statSync(typed).isDirectory()) throw new CliError(`${typed} is a file: name the folder that it is in`)
  return true
}

/** Finds typed rubrics: a folder of one or several, `id@version`, or an id for its newest version. */
export function findRubrics(shell: Shell, typed: string): LoadedRubric[] {
  if (isFolder(typed)) return loadRubrics(typed)
  const known = knownRubrics(shell)
  const versions = known.filter(({ rubric }) => rubric.name === typed || rubric.id === typed)
  const newest = versions.sort((a, b) => b.rubric.version - a.rubric.version)[0]
  if (newest !== undefined) return [newest]
  throw new CliError(`there is no folder and no rubric ${typed}`, [
    `Rubrics: ${known.map(({ rubric }) => rubric.name).join(', ')}; VERIDICT_RUBRICS adds folders of others.`,
    'Begin one of your own: veridict rubric new ID',
  ])
}
