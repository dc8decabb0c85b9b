import type { Command } from 'commander'
import type { Grade } from '../../schemas/grade.ts'
import { EXIT, type ExitCode, requireGradeId } from '../errors.ts'
import { SHOW_HELP } from '../input/command-help.ts'
import { jsonCommand, type Options, withServer } from '../input/command-options.ts'
import { fullGrade, printGrade, receiptText } from '../output/grade-text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

interface ShowOptions extends Options {
  readonly attempts?: boolean
  readonly raw?: boolean
}

export const showCommand = (shell: Shell): Command =>
  withServer(jsonCommand('show', 'show one stored grade with its evidence'))
    .argument('<grade>', 'its id, as `veridict results` gives it')
    .option('--attempts', 'show the settings of the grade and the calls of the judge')
    .option('--raw', 'with --attempts or --json: the digests and the raw reply of each call')
    .addHelpText('after', SHOW_HELP)
    .action((id: string, options: ShowOptions) =>
      inSession(shell, { ...options, database: 'read' }, (session) => show(session, id, options)),
    )

async function show(session: Session, id: string, { attempts, raw }: ShowOptions): Promise<ExitCode> {
  const { veridict, target, signal } = session
  requireGradeId(id)
  const grade = await veridict.readGrade(id, { signal })
  const panel = await veridict.panel(id, { signal })
  const calls = raw ? await veridict.calls(id, { signal }) : null
  const { metadata, receipt } = grade
  const name = metadata.trial || metadata.task || receipt.trajectory
  await target.write(printGrade(name, grade, panel) + (attempts || raw ? receiptText(grade, calls) : ''))
  session.data = { ...fullGrade(grade, calls), panel }
  return exitOfGrade(grade)
}

export const exitOfGrade = ({ status }: Grade): ExitCode =>
  status === 'graded' ? EXIT.graded : status === 'unverified' ? EXIT.unverified : EXIT.failed
