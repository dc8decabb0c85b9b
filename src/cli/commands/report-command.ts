import { Command } from 'commander'
import { NO_FIELD } from '../../schemas/audit/report.ts'
import { CliError, EXIT, type ExitCode } from '../client/cli-error.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { REPORT_HELP } from '../input/command-help.ts'
import { type OutputOptions, type ServerOption, withOutput, withServer } from '../input/command-options.ts'
import { line } from '../input/ndjson.ts'
import { nothingFits } from '../output/nothing-fits.ts'
import { reportText } from '../results/report-text.ts'
import { oneLine } from '../results/terminal-text.ts'

interface ReportOptions extends OutputOptions, ServerOption {
  readonly groupBy?: string
  readonly judge?: string
  readonly rubric?: string
  readonly batch?: string
  readonly agent?: string
  readonly model?: string
  readonly task?: string
  readonly variant?: string
  readonly pairBy?: string
  readonly base?: string
  readonly head?: string
}

export const reportCommand = (shell: Shell): Command =>
  withServer(withOutput(new Command('report')))
    .description('show the shares of outcomes and claims of stored grades, with intervals and denominators')
    .option('--group-by <field>', 'a field of the metadata, judge, surface or none (default: agent)')
    .option('-j, --judge <name>', 'needed where several judges graded what is selected')
    .option(
      '-r, --rubric <id>',
      'id@version, or an id for all of its versions; needed where several were used on what is selected',
    )
    .option('-b, --batch <id>', 'the trials of this batch, as they ended in it')
    .option('--agent <name>', 'only this agent')
    .option('--model <name>', 'only this model')
    .option('--task <name>', 'only this task')
    .option('--variant <name>', 'only this variant')
    .option('--pair-by <name>', 'variant, agent or model: compare --base with --head, trial by trial')
    .option('--base <value>', 'a value of --pair-by')
    .option('--head <value>', 'a value of --pair-by')
    .addHelpText('after', REPORT_HELP)
    .action((options: ReportOptions) =>
      inSession(shell, { ...options, database: 'read' }, (session) => write(session, options)),
    )

async function write({ client, target, format }: Session, options: ReportOptions): Promise<ExitCode> {
  const { groupBy: group_by, pairBy: pair_by, judge, rubric, batch, agent, model, task, variant, base, head } = options
  const query = { group_by, judge, rubric, batch, agent, model, task, variant, pair_by, base, head }
  if (format === 'csv') await target.write(await client.reportCsv(query))
  else {
    const report = await client.report(query)
    if (format === 'table' && report.judges.length === 0) throw await nothingFits(client, query)
    const noField = report.notes.find((note) => note.startsWith(NO_FIELD))
    if (format === 'table' && noField !== undefined && group_by !== undefined && group_by !== 'surface')
      throw new CliError(oneLine(noField))
    await target.write(format === 'table' ? reportText(report) : line(report))
  }
  await target.commit()
  return EXIT.graded
}
