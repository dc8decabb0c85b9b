import { Command } from 'commander'
import { count } from '../domain/count.ts'
import { watchBatch } from './batch-end.ts'
import { CliError } from './cli-error.ts'
import { CANCEL_HELP } from './command-help.ts'
import { type ServerOption, withServer } from './command-options.ts'
import { runCommand } from './error-text.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { type Session, withSession } from './session.ts'
import type { Shell } from './shell.ts'
import { tally } from './terminal-text.ts'

export const cancelCommand = (shell: Shell): Command =>
  withServer(new Command('cancel'))
    .description('end a batch; what is graded stays')
    .argument('<batch>', 'its id')
    .addHelpText('after', CANCEL_HELP)
    .action((id: string, options: ServerOption) =>
      runCommand(shell, () => withSession(shell, { ...options, database: 'read' }, (session) => cancel(session, id))),
    )

async function cancel(session: Session, id: string): Promise<ExitCode> {
  const { client, shell } = session
  const before = await client.readBatch(id)
  if (before.status === 'done' || before.status === 'cancelled')
    throw new CliError(`${id} has ended already: it is ${before.status}`, [`Its results: veridict results ${id}`])
  const batch = await watchBatch(session, await client.cancelBatch(id))
  const { total, ...counts } = batch.counts
  shell.out.write(`${id} is ${batch.status}: ${count(total, 'item')} · ${tally(counts)}\n`)
  return EXIT.graded
}
