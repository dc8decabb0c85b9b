import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import type { Command } from 'commander'
import type { Store } from '../../boot/open-store.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { fileFault } from '../../domain/file-fault.ts'
import { inert } from '../output/text.ts'
import { CliError } from './errors.ts'
import type { Shell } from './shell.ts'

/** Loads the configuration of an environment. Throws `CliError` for a missing file. */
export function configurationOf(env: NodeJS.ProcessEnv): ReturnType<typeof loadConfig> {
  const file = env['VERIDICT_CONFIG']
  if (file && !existsSync(file)) throw new CliError(`VERIDICT_CONFIG: there is no file ${file}`)
  return loadConfig(env, (path) => readFileSync(path, 'utf8'))
}

export const hasDatabase = ({ database, postgres }: Pick<Config, 'database' | 'postgres'>): boolean =>
  postgres !== null || database === ':memory:' || existsSync(database)

/** Throws for a missing file: an empty database under a mistyped name would look like an empty store. */
export function assertDatabase(config: Pick<Config, 'database' | 'postgres'>): void {
  if (hasDatabase(config)) return
  throw new CliError(`there is no database ${config.database}`, [
    'VERIDICT_DATABASE names the database of your service; `veridict grade` and `veridict batch` make a missing database.',
  ])
}

/** Throws where opening the database would make or migrate it: a dry run changes nothing. */
export async function assertMigrated(store: Pick<Store, 'shown' | 'isMigrated'>): Promise<void> {
  if (await store.isMigrated()) return
  throw new CliError(`${store.shown} is not of this version, and a dry run does not migrate it`, [
    'Back the database up, then migrate it: `veridict status` and a start of the service migrate.',
  ])
}

export interface DatabaseOption {
  readonly database?: string
}

export const withDatabase = (command: Command): Command =>
  command.option('--database <file>', 'the database file (default: VERIDICT_DATABASE)')

/** Finds the SQLite file of a command for operators. Throws a CliError where there is no file, and for a PostgreSQL without `--database`. */
export function existingDatabase(shell: Shell, { database }: DatabaseOption): string {
  const path = database ?? configuredFile(shell)
  if (path.trim() === '' || path === ':memory:')
    throw new CliError(`there is no database file "${inert(path)}"`, [GIVE])
  const file = statOf(path)
  if (file?.isDirectory() === true) throw new CliError(`${inert(path)} is a folder`, [`Name the file in it. ${GIVE}`])
  if (file?.isFile() !== true) throw new CliError(`there is no database file ${inert(path)}`, [GIVE])
  return path
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new CliError(`${inert(path)} cannot be examined: ${fileFault(error)}`)
  }
}

const GIVE = 'Name the file with --database, or set VERIDICT_DATABASE.'

function configuredFile(shell: Shell): string {
  const { config } = configurationOf(shell.env)
  if (config.postgres !== null)
    throw new CliError('VERIDICT_DATABASE_URL is set, and this command is for an SQLite file alone', [
      'For PostgreSQL use its own tools: pg_dump, pg_restore and pg_amcheck (docs/postgres.md).',
      'To use a file in spite of that, name the file with --database.',
    ])
  return config.database
}
