import { Command } from 'commander'
import { examineFile, type Finding, SEVERITIES, type Severity } from '../../../db/files/examine.ts'
import { type DatabaseOption, existingDatabase, withDatabase } from '../../client/database.ts'
import { type ExitCode, runCommand } from '../../client/errors.ts'
import { asTyped } from '../../client/program-name.ts'
import type { Shell } from '../../client/shell.ts'
import { inert, type Paint, pad, paintFor, type Style } from '../../output/text.ts'

const DOCTOR_EXIT: Readonly<Record<Severity, ExitCode>> = { ok: 0, warning: 2, error: 3 }
const STYLE: Readonly<Record<Severity, Style>> = { ok: 'green', warning: 'yellow', error: 'red' }

const DOCTOR_HELP = `
Examines a database file: disk, schema, integrity and unfinished work, each with its next step. The command only reads, and works
beside a running service; it takes as long as reading the whole file.

Exit codes: 0 healthy; 1 no such file, or bad usage; 2 warnings; 3 errors.

Examples:
  veridict doctor
  veridict doctor --database copy.sqlite`

export const doctorCommand = (shell: Shell): Command =>
  withDatabase(new Command('doctor'))
    .description('examine the database; changes nothing')
    .addHelpText('after', DOCTOR_HELP)
    .action((options: DatabaseOption) =>
      runCommand(shell, async (): Promise<ExitCode> => {
        const path = existingDatabase(shell, options)
        const paint = paintFor(shell.out, shell.env)
        shell.out.write(`${inert(path)}\n`)
        let worst: Severity = 'ok'
        for (const finding of examineFile(path)) {
          if (SEVERITIES.indexOf(finding.severity) > SEVERITIES.indexOf(worst)) worst = finding.severity
          shell.out.write(findingText(finding, shell, paint))
        }
        return DOCTOR_EXIT[worst]
      }),
    )

/** Renders a finding with its next step below it. Names come from the database, so they are made inert. */
function findingText({ severity, check, found, advice }: Finding, shell: Shell, paint: Paint): string {
  const next = advice === null ? '' : `${' '.repeat(11)}${inert(asTyped(shell, advice))}\n`
  return `  ${pad(paint(STYLE[severity], severity), 8)} ${pad(check, 17)} ${inert(found)}\n${next}`
}
