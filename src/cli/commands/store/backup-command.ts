import { existsSync, mkdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { count } from '../../../domain/count.ts'
import { fileFault } from '../../../domain/file-fault.ts'
import type { CopyReport } from '../../../ports/upkeep-ports.ts'
import { backUpDatabase, projectFiles } from '../../../storage/backup.ts'
import { CliError } from '../../client/cli-error.ts'
import { EXIT, type ExitCode } from '../../client/exit-codes.ts'
import { asTyped } from '../../client/program-name.ts'
import type { Shell } from '../../client/shell.ts'
import {
  type DatabaseOption,
  existingDatabase,
  statOf,
  withCopying,
  withDatabase,
} from '../../input/doctor-database.ts'
import { runCommand } from '../../output/error-text.ts'
import { inert } from '../../results/terminal-text.ts'

interface BackupOptions extends DatabaseOption {
  readonly force?: boolean
  readonly allProjects?: boolean
}

const BACKUP_HELP = `
Copies the database beside a running service, which goes on reading and writing. The copy is one state of it, checked (pages,
references, rows of every table), on the disk, and has its name only then. It is readable by you alone, and holds what the
database holds: trajectories, grades, and the digests of keys. Where the configuration and the keys of providers lie is yours to
back up.

FILE holds the main database alone: the project default, and the keys of all projects. What other projects have graded is not in
it. With --all-projects, FILE is a folder: the main database and those of all projects, laid out as they are.

Exit codes: 0 the backup is whole; 1 it is not there; 130 interrupted, and nothing is left of it.

Examples:
  veridict backup /backups/veridict-2026-11-21.sqlite
  veridict backup --all-projects /backups/2026-11-21
Then, once: restore it somewhere and look (docs/operations.md).`

export const backupCommand = (shell: Shell): Command =>
  withDatabase(new Command('backup'))
    .description('copy the database beside a running service, checked')
    .argument('<file>', 'where the copy goes; with --all-projects, a folder')
    .option('--force', 'replace what is there, where it is a database of Veridict')
    .option('--all-projects', 'the databases of all projects, too')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, options: BackupOptions) => runCommand(shell, () => backUpAll(shell, file, options)))

async function backUpAll(shell: Shell, file: string, options: BackupOptions): Promise<ExitCode> {
  const main = existingDatabase(shell, options)
  const targets = options.allProjects === true ? inFolder(main, projectFiles(main), file) : [{ from: main, to: file }]
  const replace = options.force === true
  assertFolder(options.allProjects === true ? file : (targets[0]?.to ?? file))
  // Before anything is copied: the last of many must not be the first that is told.
  const taken = replace ? undefined : targets.find(({ to }) => existsSync(to))
  if (taken !== undefined)
    throw new CliError(`${inert(taken.to)} is there already`, ['Give another name, or --force to replace it.'])
  return await withCopying(shell, async (sayTo) => {
    let failed = 0
    for (const { from, to } of targets) {
      if (options.allProjects === true) makeFolder(resolve(to, '..'))
      try {
        const report = await backUpDatabase({ from, to, replace, onProgress: sayTo(to) })
        shell.out.write(reportText(report))
        tellOutside(shell, report)
      } catch (error) {
        if (targets.length === 1 || error instanceof CliError || !(error instanceof Error)) throw error
        // One that is damaged does not keep the others from being backed up.
        failed += 1
        shell.err.write(`${inert(from)}: not backed up: ${inert(error.message.replace(`${from}: `, ''))}\n`)
      }
    }
    if (options.allProjects !== true) tellMissing(shell, projectFiles(main))
    if (failed === 0) return EXIT.graded
    throw new CliError(
      `${failed} of ${count(targets.length, 'database')} ${failed === 1 ? 'is' : 'are'} not backed up`,
      ['`veridict doctor` says more.'],
    )
  })
}

/** The same layout in another folder: each can then be put back by its name. */
function inFolder(main: string, projects: readonly string[], folder: string) {
  const root = resolve(main, '..')
  return [
    { from: main, to: join(folder, basename(main)) },
    ...projects.map((from) => ({ from, to: join(folder, relative(root, from)) })),
  ]
}

/** What an operator who backs up one file may believe to have. */
function tellMissing(shell: Shell, projects: readonly string[]): void {
  if (projects.length === 0) return
  const names = projects.map((path) => basename(path, '.sqlite'))
  const shown = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), `… (${names.length})`] : names
  shell.err.write(
    `${asTyped(shell, `not in it: what other projects have graded (${shown.join(', ')}); \`veridict backup --all-projects FOLDER\` copies all`)}\n`,
  )
}

function tellOutside(shell: Shell, { to, rows }: CopyReport): void {
  if ((rows['blob_places'] ?? 0) > 0) shell.err.write(`${inert(to)}: ${OUTSIDE}\n`)
}

const OUTSIDE = 'not in it: large data that lies in a blob store (VERIDICT_BLOBS); copy that, too (docs/blobs.md)'

const MOST_NAMES = 10

/** Made by itself, the folder of a disk that is not mounted would fill the one below it. */
function assertFolder(file: string): void {
  const folder = resolve(file, '..')
  const known = statOf(folder)
  if (known === undefined)
    throw new CliError(`there is no folder ${inert(folder)}`, ['Make it first; is its disk mounted?'])
  if (!known.isDirectory()) throw new CliError(`${inert(folder)} is no folder`)
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CliError(`${inert(folder)} cannot be made: ${fileFault(error)}`)
  }
}

/** Rows that a person asks after. */
const TOLD: readonly (readonly [string, string])[] = [
  ['grades', 'grade'],
  ['trajectories', 'trajectory'],
  ['batches', 'batch'],
  ['reviews', 'review'],
  ['attempts', 'judge call'],
]

export const reportText = ({ to, bytes, rows }: CopyReport): string => {
  const told = TOLD.map(([table, one]) => count(rows[table] ?? 0, one, MANY[one] ?? `${one}s`))
  return `${inert(to)}: ${count(bytes, 'byte')}, ${told.join(', ')}; checked\n`
}

const MANY: Readonly<Record<string, string>> = { trajectory: 'trajectories', batch: 'batches' }
