import { Command } from 'commander'
import type { AttemptSummary, Grade } from '../schemas/grade.ts'
import { SHOW_HELP } from './command-help.ts'
import { type ServerOption, withServer } from './command-options.ts'
import { runCommand } from './error-text.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { line } from './ndjson.ts'
import { printGrade } from './print-grade.ts'
import { type Session, withSession } from './session.ts'
import type { Shell } from './shell.ts'
import { clip, dollars, pad } from './terminal-text.ts'

interface ShowOptions extends ServerOption {
  readonly json?: boolean
  readonly attempts?: boolean
}

export const showCommand = (shell: Shell): Command =>
  withServer(new Command('show'))
    .description('show one stored grade with its evidence')
    .argument('<grade>', 'its id, as `veridict results` gives it')
    .option('--json', 'print the grade as one JSON line')
    .option('--attempts', 'list the calls of the judge, too')
    .addHelpText('after', SHOW_HELP)
    .action((id: string, options: ShowOptions) =>
      runCommand(shell, () =>
        withSession(shell, { ...options, database: 'read' }, (session) => show(session, id, options)),
      ),
    )

async function show({ client, target, signal }: Session, id: string, options: ShowOptions): Promise<ExitCode> {
  const grade = await client.readGrade(id, signal)
  // The receipt of the JSON holds the attempts already.
  if (options.json) await target.write(line(grade))
  else await target.write(printGrade(nameOf(grade), grade) + (options.attempts ? attemptsText(grade) : ''))
  return exitOfGrade(grade)
}

const nameOf = ({ metadata }: Grade): string => metadata.trial ?? metadata.task ?? ''

export const exitOfGrade = ({ status }: Grade): ExitCode =>
  status === 'graded' ? EXIT.graded : status === 'unverified' ? EXIT.unverified : EXIT.failed

function attemptsText({ receipt }: Grade): string {
  if (receipt.attempts.length === 0) return '  no call was made\n'
  return `${receipt.attempts.map(attemptRow).join('\n')}\n`
}

function attemptRow(attempt: AttemptSummary): string {
  const { sample, round, purpose, outcome, latency_ms, usage, cost_usd, message, replayed } = attempt
  const tokens = usage === null ? '–' : `${usage.input_tokens} in, ${usage.output_tokens} out`
  const cost = cost_usd === null ? '?' : dollars(cost_usd)
  const cells = [
    pad(`sample ${sample} round ${round}`, 17),
    pad(purpose, 7),
    pad(outcome, 14),
    pad(`${latency_ms} ms`, 9),
    pad(tokens, 20),
    pad(cost, 8),
    replayed ? 'replayed ' : '',
    message === null ? '' : clip(message, 200),
  ]
  return `  ${cells.filter((cell) => cell !== '').join('  ')}`.trimEnd()
}
