import { Command } from 'commander'
import { count } from '../../domain/count.ts'
import { CliError } from '../client/cli-error.ts'
import { EXIT, type ExitCode } from '../client/exit-codes.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { CANCEL_HELP } from '../input/command-help.ts'
import { type ServerOption, withServer } from '../input/command-options.ts'
import { watchBatch } from '../output/batch-end.ts'
import { tally } from '../results/terminal-text.ts'

export const cancelCommand = (shell: Shell): Command =>
  withServer(new Command('cancel'))
    .description('end a batch; what is graded stays')
    .argument('<batch>', 'its id')
    .addHelpText('after', CANCEL_HELP)
    .action((id: string, options: ServerOption) =>
      inSession(shell, { ...options, database: 'read' }, (session) => cancel(session, id)),
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
