import { Command } from 'commander'
import type { RestoreReport, Upkeep } from '../grading/upkeep-ports.ts'
import { reportText } from './backup-command.ts'
import { type DatabaseOption, databasePath, withCopying, withDatabase } from './doctor-database.ts'
import { runCommand } from './error-text.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { asTyped } from './program-name.ts'
import type { Shell } from './shell.ts'
import { inert } from './terminal-text.ts'

const RESTORE_HELP = `
Puts a backup in the place of the database. The backup is copied and checked first; the file that was there is kept beside it as
…before-restore-<time>. Refused while any process has the database open: stop the service first.

What was done after the backup is not in it: its grades are made again (or come from the file that was kept), its reviews are
gone, and keys that were revoked since then are good again. Batches that were sent to a provider since then are unknown to the
restored database: their ids are named, so that you can cancel them there.

Exit codes: 0 restored; 1 refused, 130 interrupted, and nothing was changed.

Examples:
  veridict restore /backups/veridict-2026-11-21.sqlite
  veridict restore /backups/2026-11-21/projects/team-a.sqlite --database data/projects/team-a.sqlite`

export const restoreCommand = (shell: Shell, { restore }: Pick<Upkeep, 'restore'>): Command =>
  withDatabase(new Command('restore'))
    .description('put a backup in the place of the database')
    .argument('<file>', 'a backup, as `veridict backup` makes it')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, options: DatabaseOption) =>
      runCommand(shell, async (): Promise<ExitCode> => {
        const to = databasePath(shell, options)
        const now = new Date()
        const report = await withCopying(shell, (sayTo) => restore({ from: file, to, now, onProgress: sayTo(to) }))
        shell.out.write(restoredText(report, shell))
        return EXIT.graded
      }),
    )

/** What was done, what is lost by it, and what to do next. */
export function restoredText(report: RestoreReport, program: { readonly program?: string }): string {
  const { aside, lost, forgotten_submissions: forgotten } = report
  const fewer = Object.entries(lost ?? {}).map(([table, n]) => `${n} of ${table}`)
  const keys = (report.rows['api_keys'] ?? 0) > 0
  const lines = [
    reportText(report).trimEnd(),
    aside === null ? '' : `The file that was there is kept: ${inert(aside)}`,
    aside !== null && lost === null ? 'It could not be read: what it had more than the backup is unknown.' : '',
    fewer.length > 0 ? `Rows that it had more than the backup: ${fewer.join(', ')}.` : '',
    forgotten.length > 0
      ? `At a provider, and unknown to the backup: ${forgotten.map(inert).join(' ')}. Cancel them there: their questions are sent again.`
      : '',
    keys ? 'Keys that were revoked after the backup are good again: `veridict keys list`, and revoke them again.' : '',
    'Next: `veridict doctor`, then `veridict serve`; batches go on by themselves, what is graded since is graded again.',
  ]
  return lines
    .filter((text) => text !== '')
    .map((text) => `${asTyped(program, text)}\n`)
    .join('')
}
