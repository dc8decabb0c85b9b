import { Command } from 'commander'
import type { Grade } from '../../schemas/grade.ts'
import { EXIT, type ExitCode, requireGradeId, runCommand } from '../client/errors.ts'
import { type Session, withSession } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { SHOW_HELP } from '../input/command-help.ts'
import { type Options, withServer } from '../input/command-options.ts'
import { fullGrade, printGrade, receiptText } from '../output/grade-text.ts'
import { line } from '../output/text.ts'

interface ShowOptions extends Options {
  readonly json?: boolean
  readonly attempts?: boolean
  readonly raw?: boolean
}

export const showCommand = (shell: Shell): Command =>
  withServer(new Command('show'))
    .description('show one stored grade with its evidence')
    .argument('<grade>', 'its id, as `veridict results` gives it')
    .option('--json', 'print the grade with its whole receipt as one JSON line; unknown fields are null')
    .option('--attempts', 'show the settings of the grade and the calls of the judge')
    .option('--raw', 'with --attempts or --json: the digests and the raw reply of each call')
    .addHelpText('after', SHOW_HELP)
    .action((id: string, options: ShowOptions) =>
      runCommand(shell, () => {
        requireGradeId(id)
        return withSession(shell, { ...options, database: 'read' }, (session) => show(session, id, options))
      }),
    )

async function show({ client, target, signal }: Session, id: string, options: ShowOptions): Promise<ExitCode> {
  const grade = await client.readGrade(id, signal)
  const panel = await client.readPanel(id, signal)
  const calls = options.raw ? await client.readCalls(id, signal) : null
  const { metadata, receipt } = grade
  const name = metadata.trial || metadata.task || receipt.trajectory
  const listed = options.attempts || options.raw ? receiptText(grade, calls) : ''
  await target.write(
    options.json ? line({ ...fullGrade(grade, calls), panel }) : printGrade(name, grade, panel) + listed,
  )
  return exitOfGrade(grade)
}

export const exitOfGrade = ({ status }: Grade): ExitCode =>
  status === 'graded' ? EXIT.graded : status === 'unverified' ? EXIT.unverified : EXIT.failed
