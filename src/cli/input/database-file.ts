import { type Stats, statSync } from 'node:fs'
import type { Command } from 'commander'
import { fileFault } from '../../domain/file-fault.ts'
import { CliError } from '../client/cli-error.ts'
import { configurationOf } from '../client/configuration.ts'
import type { Shell } from '../client/shell.ts'
import { inert } from '../results/terminal-text.ts'

export interface DatabaseOption {
  readonly database?: string
}

export const withDatabase = (command: Command): Command =>
  command.option('--database <file>', 'the database file; VERIDICT_DATABASE where it is not given')

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
    throw new CliError(`${inert(path)} cannot be looked at: ${fileFault(error)}`)
  }
}

const GIVE = 'Name the file with --database, or set VERIDICT_DATABASE.'

function configuredFile(shell: Shell): string {
  const { config } = configurationOf(shell.env)
  if (config.postgres !== null)
    throw new CliError('VERIDICT_DATABASE_URL is set, and this command is for an SQLite file alone', [
      'For PostgreSQL use its own tools: pg_dump and pg_restore (docs/postgres.md).',
      'For a file all the same, name it with --database.',
    ])
  return config.database
}
