import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_PROJECT } from '../../../access/access.ts'
import { given } from '../../../domain/given.ts'
import type { RestoreOptions, RestoreReport } from '../../../ports/upkeep-ports.ts'
import { restoreDatabase, restoreDatabases } from '../../../storage/restore.ts'
import { CliError } from '../../client/cli-error.ts'
import { EXIT, type ExitCode } from '../../client/exit-codes.ts'
import { asTyped } from '../../client/program-name.ts'
import type { Shell } from '../../client/shell.ts'
import { type DatabaseOption, databasePath, withCopying, withDatabase } from '../../input/doctor-database.ts'
import { parseProject } from '../../input/keys-options.ts'
import { planFolder } from '../../input/restore-folder.ts'
import { runCommand } from '../../output/error-text.ts'
import { inert } from '../../results/terminal-text.ts'
import { reportText } from './backup-command.ts'

const RESTORE_HELP = `
Puts a backup in the place of the database. The backup is copied and checked first; the file that was there is kept beside it as
…before-restore-<time>. Refused while any process has the database open: stop the service first.

What was done after the backup is not in it: its grades are made again (or come from the file that was kept), its reviews are
gone, and keys that were revoked since then are good again. Batches that were sent to a provider since then are unknown to the
restored database: their ids are named, so that you can cancel them there.

A database says of which project it is. The backup of one project is refused in the place of another: --as-project NAME makes it
NAME's all the same (without --database, in the place of NAME). A project that is not there is made with --new-project alone.

With --all-projects, FILE is a folder of \`veridict backup --all-projects\`: every file goes to its place, and all of them are
checked before the first is replaced. Projects that the folder does not have stay as they are.

Exit codes: 0 restored; 1 refused, 130 interrupted, and nothing was changed.

Examples:
  veridict restore /backups/veridict-2026-11-21.sqlite
  veridict restore /backups/2026-11-21/projects/team-a.sqlite --as-project team-a
  veridict restore --all-projects /backups/2026-11-21`

interface RestoreCommandOptions extends DatabaseOption {
  readonly allProjects?: boolean
  readonly asProject?: string
  readonly newProject?: boolean
}

export const restoreCommand = (shell: Shell): Command =>
  withDatabase(new Command('restore'))
    .description('put a backup in the place of the database')
    .argument('<file>', 'a backup, as `veridict backup` makes it; with --all-projects, a folder of them')
    .option('--all-projects', 'every file of the folder to its place')
    .option('--new-project', 'make the project where there is none')
    .option('--as-project <name>', 'as the database of that project, whatever the backup is of', parseProject)
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, options: RestoreCommandOptions) =>
      runCommand(shell, () =>
        options.allProjects === true ? restoreFolder(shell, file, options) : restoreOne(shell, file, options),
      ),
    )

async function restoreOne(shell: Shell, from: string, options: RestoreCommandOptions): Promise<ExitCode> {
  const { to, project } = targetOf(shell, options)
  const plan: RestoreOptions = {
    ...{ from, to, now: new Date() },
    ...given({ project, as_project: options.asProject, new_project: options.newProject }),
  }
  const report = await withCopying(shell, (sayTo) => restoreDatabase({ ...plan, onProgress: sayTo(to) }))
  shell.out.write(restoredText(report, shell))
  return EXIT.graded
}

/** Without --database it is the main one, or the file beside it of the project that is named. */
function targetOf(shell: Shell, options: RestoreCommandOptions): { readonly to: string; readonly project?: string } {
  const { database, asProject: project = DEFAULT_PROJECT } = options
  const main = databasePath(shell, options)
  if (database !== undefined) return { to: main }
  return { to: project === DEFAULT_PROJECT ? main : join(dirname(main), 'projects', `${project}.sqlite`), project }
}

async function restoreFolder(shell: Shell, folder: string, options: RestoreCommandOptions): Promise<ExitCode> {
  if (options.asProject !== undefined)
    throw new CliError('--as-project is for one file', [
      'With --all-projects each file has the place that its name says.',
    ])
  const { restores, kept } = planFolder(folder, databasePath(shell, options))
  const now = new Date()
  await withCopying(shell, (sayTo) =>
    restoreDatabases(
      restores.map((one) => ({ ...one, now, onProgress: sayTo(one.to) })),
      (report) => shell.out.write(restoredText(report, shell, [])),
    ),
  )
  for (const path of kept)
    shell.err.write(`${inert(path)}: no backup of it is in ${inert(folder)}; it stays as it is\n`)
  shell.out.write(`${asTyped(shell, NEXT)}\n`)
  return EXIT.graded
}

/** What was done, what is lost by it, and what to do next. */
function restoredText(
  report: RestoreReport,
  program: { readonly program?: string },
  next: readonly string[] = [NEXT],
): string {
  const { aside, lost, forgotten_submissions: forgotten } = report
  const fewer = Object.entries(lost ?? {}).map(([table, n]) => `${n} of ${table}`)
  const keys = (report.rows['api_keys'] ?? 0) > 0
  const lines = [
    reportText(report).trimEnd(),
    report.project === null || report.project === DEFAULT_PROJECT
      ? ''
      : `It is the database of project ${report.project}.`,
    aside === null ? '' : `The file that was there is kept: ${inert(aside)}`,
    aside !== null && lost === null ? 'It could not be read: what it had more than the backup is unknown.' : '',
    fewer.length > 0 ? `Rows that it had more than the backup: ${fewer.join(', ')}.` : '',
    forgotten.length > 0
      ? `At a provider, and unknown to the backup: ${forgotten.map(inert).join(' ')}. Cancel them there: their questions are sent again.`
      : '',
    keys ? 'Keys that were revoked after the backup are good again: `veridict keys list`, and revoke them again.' : '',
    ...next,
  ]
  return lines
    .filter((text) => text !== '')
    .map((text) => `${asTyped(program, text)}\n`)
    .join('')
}

const NEXT =
  'Next: `veridict doctor`, then `veridict serve`; batches go on by themselves, what is graded since is graded again.'
