import { type Stats, statSync } from 'node:fs'
import type { Command } from 'commander'
import { fileFault } from '../../domain/file-fault.ts'
import type { UpkeepProgress } from '../../ports/upkeep-ports.ts'
import { CliError } from '../client/cli-error.ts'
import { configurationOf } from '../client/configuration.ts'
import type { Shell } from '../client/shell.ts'
import { inert } from '../results/terminal-text.ts'

export interface DatabaseOption {
  readonly database?: string
}

export const withDatabase = (command: Command): Command =>
  command.option('--database <file>', 'the database file; VERIDICT_DATABASE where it is not given')

/** The file that a command for operators works on. With --database no other configuration is looked at. */
export function databasePath(shell: Shell, { database }: DatabaseOption): string {
  const path = database ?? configured(shell)
  if (path.trim() === '' || path === ':memory:')
    throw new CliError(`there is no database file "${inert(path)}"`, [GIVE])
  return path
}

/** The same, where the file must be there. */
export function existingDatabase(shell: Shell, options: DatabaseOption): string {
  const path = databasePath(shell, options)
  const file = statOf(path)
  if (file?.isDirectory() === true) throw new CliError(`${inert(path)} is a folder`, [`Name the file in it. ${GIVE}`])
  if (file?.isFile() !== true) throw new CliError(`there is no database file ${inert(path)}`, [GIVE])
  return path
}

/** Undefined where nothing has the name. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new CliError(`${inert(path)} cannot be looked at: ${fileFault(error)}`)
  }
}

const GIVE = 'Name the file with --database, or set VERIDICT_DATABASE.'

function configured(shell: Shell): string {
  const { config } = configurationOf(shell.env)
  if (config.postgres !== null)
    throw new CliError('VERIDICT_DATABASE_URL is set, and this command is for an SQLite file alone', [
      'For PostgreSQL use its own tools: pg_dump and pg_restore (docs/postgres.md).',
      'For a file all the same, name it with --database.',
    ])
  return config.database
}

/** Milliseconds between two words about the same step. */
const QUIET_MS = 2000

/** Says on stderr how far a long step is: at its begin where it lasts, and then now and then. */
export function sayProgress(shell: Shell, name: string): (progress: UpkeepProgress) => void {
  const begun = Date.now()
  let said = begun
  let last = ''
  return ({ step, done, total }) => {
    const now = Date.now()
    if (now - said < QUIET_MS && !(total === null && step !== last && now - begun > QUIET_MS)) return
    said = now
    last = step
    const far = total === null ? '…' : ` ${done}/${total} (${Math.floor((100 * done) / Math.max(1, total))}%)`
    shell.err.write(`${inert(name)}: ${step}${far}\n`)
  }
}
