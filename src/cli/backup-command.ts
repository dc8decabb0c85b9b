import { existsSync, mkdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import type { CopyReport, Upkeep } from '../grading/upkeep-ports.ts'
import { CliError } from './cli-error.ts'
import { type DatabaseOption, existingDatabase, withCopying, withDatabase } from './doctor-database.ts'
import { runCommand } from './error-text.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import type { Shell } from './shell.ts'
import { count, inert } from './terminal-text.ts'

interface BackupOptions extends DatabaseOption {
  readonly force?: boolean
  readonly allProjects?: boolean
}

const BACKUP_HELP = `
Copies the database beside a running service, which goes on reading and writing. The copy is one state of it, checked (pages,
references, rows of every table), on the disk, and has its name only then. It is readable by you alone, and holds what the
database holds: trajectories, grades, and the digests of keys. Where the configuration and the keys of providers lie is yours to
back up.

With --all-projects, FILE is a folder: the main database and those of all projects, laid out as they are.

Exit codes: 0 the backup is whole; 1 it is not there; 130 interrupted, and nothing is left of it.

Examples:
  veridict backup /backups/veridict-2026-11-21.sqlite
  veridict backup --all-projects /backups/2026-11-21
Then, once: restore it somewhere and look (docs/operations.md).`

export const backupCommand = (shell: Shell, upkeep: Pick<Upkeep, 'backUp' | 'projectFiles'>): Command =>
  withDatabase(new Command('backup'))
    .description('copy the database beside a running service, checked')
    .argument('<file>', 'where the copy goes; with --all-projects, a folder')
    .option('--force', 'replace what is there')
    .option('--all-projects', 'the databases of all projects, too')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, options: BackupOptions) => runCommand(shell, () => backUpAll(shell, upkeep, file, options)))

async function backUpAll(
  shell: Shell,
  { backUp, projectFiles }: Pick<Upkeep, 'backUp' | 'projectFiles'>,
  file: string,
  options: BackupOptions,
): Promise<ExitCode> {
  const main = existingDatabase(shell, options)
  const targets = options.allProjects === true ? inFolder(main, projectFiles(main), file) : [{ from: main, to: file }]
  const replace = options.force === true
  // Before anything is copied: the last of many must not be the first that is told.
  const taken = replace ? undefined : targets.find(({ to }) => existsSync(to))
  if (taken !== undefined)
    throw new CliError(`${inert(taken.to)} is there already`, ['Give another name, or --force to replace it.'])
  return await withCopying(shell, async (sayTo) => {
    let failed = 0
    for (const { from, to } of targets) {
      makeFolder(resolve(to, '..'))
      try {
        shell.out.write(reportText(await backUp({ from, to, replace, onProgress: sayTo(to) })))
      } catch (error) {
        if (targets.length === 1 || error instanceof CliError || !(error instanceof Error)) throw error
        // One that is damaged keeps nobody from a backup of the others.
        failed += 1
        shell.err.write(`${inert(from)}: not backed up: ${inert(error.message)}\n`)
      }
    }
    if (failed === 0) return EXIT.graded
    throw new CliError(`${failed} of ${targets.length} databases are not backed up`, ['`veridict doctor` says more.'])
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

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CliError(`${inert(folder)} cannot be made: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
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
  return `${inert(to)}: ${bytes} bytes, ${told.join(', ')}; checked\n`
}

const MANY: Readonly<Record<string, string>> = { trajectory: 'trajectories', batch: 'batches' }
