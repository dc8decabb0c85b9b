import { Command, Option } from 'commander'
import type { RubricView } from '../../schemas/rubric-view.ts'
import { EXIT, type ExitCode } from '../client/cli-error.ts'
import { SERVER_HELP } from '../client/service-connection.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { type ServerOption, withServer } from '../input/command-options.ts'
import { line } from '../input/ndjson.ts'
import { judgeText, unconfiguredText } from '../output/judge-table.ts'
import { clip, pad } from '../results/terminal-text.ts'

interface CatalogueOptions extends ServerOption {
  readonly output?: 'table' | 'ndjson'
}

const catalogueCommand = (
  shell: Shell,
  name: 'judges' | 'rubrics',
  description: string,
  list: (session: Session) => Promise<ExitCode>,
): Command =>
  withServer(new Command(name))
    .description(description)
    .addOption(new Option('-o, --output <format>', 'a table, or a JSON object each').choices(['table', 'ndjson']))
    .addHelpText(
      'after',
      `\n${SERVER_HELP}\n\nExit codes: 0 listed; 1 no service; 130 interrupted.\n\nExample:\n  veridict ${name} -o ndjson`,
    )
    .action((options: CatalogueOptions) => inSession(shell, { ...options, database: 'none' }, list))

export const judgesCommand = (shell: Shell): Command =>
  catalogueCommand(shell, 'judges', 'list the judges that --judge can name', async (session) => {
    const { client, target, format } = session
    const columns = shell.out.columns ?? 80
    const { items, not_configured = [] } = await client.listJudges()
    for (const judge of items) await target.write(format === 'table' ? judgeText(judge, columns) : line(judge))
    // NDJSON lists the judges that can be asked.
    for (const judge of not_configured)
      (format === 'table' ? shell.out : shell.err).write(unconfiguredText(judge, columns))
    return EXIT.graded
  })

export const rubricsCommand = (shell: Shell): Command =>
  catalogueCommand(shell, 'rubrics', 'list the rubrics that --rubric can name', async (session) => {
    const { client, target, format } = session
    const { items } = await client.listRubrics()
    for (const rubric of items) await target.write(format === 'table' ? rubricRow(rubric) : line(rubric))
    return EXIT.graded
  })

const rubricRow = ({ name, title }: RubricView): string => `${pad(clip(name, 30), 30)}  ${clip(title, 120)}\n`
