import { basename } from 'node:path'
import { Command, Option } from 'commander'
import { DEFAULT_PROJECT } from '../../../access/access.ts'
import { openConfiguredBlobs } from '../../../blobs/open-blobs.ts'
import { type Finding, SEVERITIES, type Severity } from '../../../ports/upkeep-ports.ts'
import { examineDatabase } from '../../../storage/examine/examine.ts'
import { listProjects, projectPath } from '../../../storage/project-files.ts'
import type { ExitCode } from '../../client/exit-codes.ts'
import type { Shell } from '../../client/shell.ts'
import { type DatabaseOption, existingDatabase, sayProgress, withDatabase } from '../../input/doctor-database.ts'
import { line } from '../../input/ndjson.ts'
import { findingLine, summaryLine } from '../../output/doctor-table.ts'
import { runCommand } from '../../output/error-text.ts'
import { inert, paintFor } from '../../results/terminal-text.ts'

interface DoctorOptions extends DatabaseOption {
  readonly full?: boolean
  readonly output: 'table' | 'json'
}

interface Diagnosis {
  readonly database: string
  readonly worst: Severity
  readonly findings: readonly Finding[]
}

const DOCTOR_EXIT: Readonly<Record<Severity, ExitCode>> = { ok: 0, note: 0, warning: 2, error: 3 }

const DOCTOR_HELP = `
Looks at the database, and at those of other projects beside it. It reads only: it migrates nothing, and works beside a running
service and on a copy. What is paid for and waits, what a crash left, what is damaged: each with what to do.

Exit codes: 0 healthy (notes ask for nothing); 1 no such file, or bad usage; 2 warnings; 3 errors.

Examples:
  veridict doctor
  veridict doctor --full -o json         every page and every stored document; takes as long as reading the whole file
  veridict doctor --database copy.sqlite`

export const doctorCommand = (shell: Shell): Command =>
  withDatabase(new Command('doctor'))
    .description('look whether the database is well; changes nothing')
    .option('--full', 'every page and every stored document, instead of a sample')
    .addOption(new Option('-o, --output <format>', 'how it is told').choices(['table', 'json']).default('table'))
    .addHelpText('after', DOCTOR_HELP)
    .action((options: DoctorOptions) => runCommand(shell, () => examineAll(shell, options)))

async function examineAll(shell: Shell, options: DoctorOptions): Promise<ExitCode> {
  const main = existingDatabase(shell, options)
  const diagnoses: Diagnosis[] = []
  const room = openConfiguredBlobs(shell.env)
  for (const path of [main, ...listProjects(main).map((name) => projectPath(main, name))]) {
    if (options.output === 'table') shell.out.write(`${inert(path)}\n`)
    const findings: Finding[] = []
    const onProgress = sayProgress(shell, path)
    const project = path === main ? DEFAULT_PROJECT : basename(path, '.sqlite')
    const blobs = room.of(project)
    const full = options.full === true
    for await (const finding of examineDatabase({ path, full, now: new Date(), blobs, onProgress })) {
      findings.push(finding)
      if (options.output === 'table') shell.out.write(findingLine(finding, shell, paintFor(shell.out, shell.env)))
    }
    diagnoses.push({ database: path, worst: worstOf(findings), findings })
  }
  room.close()
  const all = diagnoses.flatMap(({ findings }) => findings)
  const worst = worstOf(all)
  if (options.output === 'table') shell.out.write(summaryLine(all))
  else shell.out.write(line({ worst, databases: diagnoses }))
  return DOCTOR_EXIT[worst]
}

const worstOf = (findings: readonly Pick<Finding, 'severity'>[]): Severity =>
  SEVERITIES[Math.max(0, ...findings.map(({ severity }) => SEVERITIES.indexOf(severity)))] ?? 'ok'
