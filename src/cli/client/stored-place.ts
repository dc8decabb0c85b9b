import { existsSync } from 'node:fs'
import { DEFAULT_PROJECT } from '../../access/access.ts'
import type { StorePool } from '../../boot/store-pool.ts'
import type { Config } from '../../config/config.ts'
import { CliError } from './cli-error.ts'

/** Throws for a missing file: an empty database under a mistyped name would look like an empty store. */
export function assertDatabase({ database, postgres }: Pick<Config, 'database' | 'postgres'>): void {
  if (postgres !== null || database === ':memory:' || existsSync(database)) return
  throw new CliError(`there is no database ${database}`, [
    'VERIDICT_DATABASE names the one of your service; `veridict grade` and `veridict batch` make one.',
  ])
}

/** Throws for a missing project. The configuration has checked the name. */
export async function assertProject(project: string, pool: Pick<StorePool, 'shown' | 'list'>): Promise<void> {
  if (project === DEFAULT_PROJECT || pool.shown === ':memory:') return
  const others = await pool.list()
  if (others.includes(project)) return
  throw new CliError(`there is no project ${project} in ${pool.shown}`, [
    `VERIDICT_PROJECT names it; there are: ${shownNames([DEFAULT_PROJECT, ...others])}.`,
  ])
}

/**
 * Throws where opening the project would create or migrate a database. Every project opens the main database, too; a dry run changes
 * nothing.
 */
export async function assertMigrated(project: string, pool: Pick<StorePool, 'shown' | 'isMigrated'>): Promise<void> {
  for (const name of new Set([DEFAULT_PROJECT, project])) {
    if (await pool.isMigrated(name)) continue
    throw new CliError(`${pool.shown} is not of this version, and a dry run does not migrate it`, [
      'Back it up, then migrate it: `veridict status` does, and so does a start of the service.',
    ])
  }
}

const MOST_NAMES = 20

/** Joins names of projects on one line. */
export const shownNames = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ')
