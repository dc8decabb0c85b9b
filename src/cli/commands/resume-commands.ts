import { Command } from 'commander'
import { count } from '../../domain/count.ts'
import { CliError, EXIT, type ExitCode, requireBatchId } from '../client/errors.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { CANCEL_HELP, RESUME_HELP } from '../input/command-help.ts'
import { type Options, withDetach, withItems, withServer, withStrict } from '../input/command-options.ts'
import { finishBatch, goOn, requireServer, tellDetached, watchBatch } from '../output/follow-batch.ts'
import { tally } from '../output/text.ts'

export const resumeCommand = (shell: Shell): Command =>
  withStrict(withDetach(withItems(new Command('resume'))))
    .description('go on with a parked or interrupted batch, and follow it')
    .argument('<batch>', 'its id')
    .addHelpText('after', RESUME_HELP)
    .action((id: string, options: Options) =>
      inSession(shell, { ...options, database: 'read' }, (session) => resume(session, id, options)),
    )

async function resume(session: Session, id: string, options: Options): Promise<ExitCode> {
  const { client, view } = session
  if (options.detach) requireServer(session)
  requireBatchId(id)
  const before = await client.readBatch(id)
  const batch = before.status === 'parked' ? await client.resumeBatch(id) : await goOn(session, before)
  session.batch = batch
  if (before.status !== 'parked') view.note(`${id} is not parked: it is ${before.status}`)
  return options.detach ? tellDetached(session, batch) : await finishBatch(session, batch, options)
}

export const cancelCommand = (shell: Shell): Command =>
  withServer(new Command('cancel'))
    .description('end a batch; its grades stay')
    .argument('<batch>', 'its id')
    .addHelpText('after', CANCEL_HELP)
    .action((id: string, options: Options) =>
      inSession(shell, { ...options, database: 'read' }, (session) => cancel(session, id)),
    )

async function cancel(session: Session, id: string): Promise<ExitCode> {
  const { client, shell } = session
  requireBatchId(id)
  const before = await client.readBatch(id)
  if (before.status === 'done' || before.status === 'cancelled')
    throw new CliError(`${id} has ended already: it is ${before.status}`, [`Its results: veridict results ${id}`])
  const batch = await watchBatch(session, await client.cancelBatch(id))
  const { total, ...counts } = batch.counts
  shell.out.write(`${id} is ${batch.status}: ${count(total, 'item')} · ${tally(counts)}\n`)
  return EXIT.graded
}
