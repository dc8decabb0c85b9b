import type { Command } from 'commander'
import { examineFile, type Finding, SEVERITIES, type Severity } from '../../../db/files/file.ts'
import { type DatabaseOption, existingDatabase, withDatabase } from '../../database.ts'
import type { ExitCode } from '../../errors.ts'
import { jsonCommand } from '../../input/command-options.ts'
import { inert, type Paint, pad, paintFor, type Style } from '../../output/text.ts'
import { asTyped } from '../../program-name.ts'
import { inConsole } from '../../session.ts'
import type { Shell } from '../../shell.ts'

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
  withDatabase(jsonCommand('doctor', 'examine the database; changes nothing'))
    .addHelpText('after', DOCTOR_HELP)
    .action((options: DatabaseOption) =>
      inConsole(shell, options, async (console): Promise<ExitCode> => {
        const path = existingDatabase(shell, options)
        const paint = paintFor(shell.out, shell.env)
        await console.target.write(`${inert(path)}\n`)
        const findings: Finding[] = []
        for (const finding of examineFile(path)) {
          findings.push(finding)
          await console.target.write(findingText(finding, shell, paint))
        }
        console.data = { database: path, findings }
        const worst = Math.max(...findings.map(({ severity }) => SEVERITIES.indexOf(severity)))
        return DOCTOR_EXIT[SEVERITIES[worst] ?? 'ok']
      }),
    )

/** Renders a finding with its next step below it. Names come from the database, so they are made inert. */
function findingText({ severity, check, found, advice }: Finding, shell: Shell, paint: Paint): string {
  const next = advice === null ? '' : `${' '.repeat(11)}${inert(asTyped(shell, advice))}\n`
  return `  ${pad(paint(STYLE[severity], severity), 8)} ${pad(check, 17)} ${inert(found)}\n${next}`
}
