import { Command, Option } from 'commander'
import { DATABASE_URL } from '../../../config/settings.ts'
import { examineFile, examineServer, type Finding, SEVERITIES, type Severity } from '../../../storage/examine.ts'
import { SCHEMA } from '../../../storage/postgres/connection/schemas.ts'
import { configurationOf, type DatabaseOption, existingDatabase, withDatabase } from '../../client/database.ts'
import { type ExitCode, runCommand } from '../../client/errors.ts'
import { asTyped } from '../../client/program-name.ts'
import type { Shell } from '../../client/shell.ts'
import { inert, line, type Paint, pad, paintFor, type Style } from '../../output/text.ts'

interface DoctorOptions extends DatabaseOption {
  readonly full?: boolean
  readonly output: 'table' | 'json'
}

const DOCTOR_EXIT: Readonly<Record<Severity, ExitCode>> = { ok: 0, note: 0, warning: 2, error: 3 }
const STYLE: Readonly<Record<Severity, Style>> = { ok: 'green', note: 'cyan', warning: 'yellow', error: 'red' }

const DOCTOR_HELP = `
Examines the database: schema, damage, space, and unfinished work, each with its next step. The command only reads, and works beside a
running service. On PostgreSQL (VERIDICT_DATABASE_URL), damage is what the checksums of the server show.

Exit codes: 0 healthy (notes ask for nothing); 1 no such file, or bad usage; 2 warnings; 3 errors.

Examples:
  veridict doctor
  veridict doctor --full -o json         also compare the indexes with their tables; as long as reading the whole file
  veridict doctor --database copy.sqlite`

export const doctorCommand = (shell: Shell): Command =>
  withDatabase(new Command('doctor'))
    .description('examine the database; changes nothing')
    .option('--full', 'also compare the indexes of an SQLite file with their tables')
    .addOption(new Option('-o, --output <format>', 'table or json').choices(['table', 'json']).default('table'))
    .addHelpText('after', DOCTOR_HELP)
    .action((options: DoctorOptions) => runCommand(shell, () => examine(shell, options)))

async function examine(shell: Shell, options: DoctorOptions): Promise<ExitCode> {
  const { database, examined } = examination(shell, options)
  const isTable = options.output === 'table'
  if (isTable) shell.out.write(`${inert(database)}\n`)
  const findings: Finding[] = []
  for await (const finding of examined) {
    findings.push(finding)
    if (isTable) shell.out.write(findingText(finding, shell, paintFor(shell.out, shell.env)))
  }
  const counts = SEVERITIES.map((severity) => findings.filter((finding) => finding.severity === severity).length)
  const worst = SEVERITIES.findLast((_, index) => counts[index] !== 0) ?? 'ok'
  if (isTable) shell.out.write(`${SEVERITIES.map((severity, index) => `${counts[index]} ${severity}`).join(', ')}\n`)
  else shell.out.write(line({ database, worst, findings }))
  return DOCTOR_EXIT[worst]
}

function examination(shell: Shell, options: DoctorOptions) {
  const now = new Date()
  if (options.database === undefined) {
    const { config, secrets } = configurationOf(shell.env)
    const url = secrets.key(DATABASE_URL)
    if (config.postgres !== null && url !== undefined) {
      const { shown, ...settings } = config.postgres
      return { database: shown, examined: examineServer(url, SCHEMA, settings, now) }
    }
  }
  const path = existingDatabase(shell, options)
  return { database: path, examined: examineFile(path, options.full === true, now) }
}

/** Renders a finding with its next step below it. Names come from the database, so they are made inert. */
function findingText(
  { severity, check, found, advice, ids }: Finding,
  program: { readonly program?: string },
  paint: Paint,
) {
  const more = [...(advice === null ? [] : [asTyped(program, advice)]), ...(ids.length === 0 ? [] : [ids.join(' ')])]
  const lines = more.map((text) => `${' '.repeat(11)}${inert(text)}\n`)
  return `  ${pad(paint(STYLE[severity], severity), 8)} ${pad(check, 17)} ${inert(found)}\n${lines.join('')}`
}
