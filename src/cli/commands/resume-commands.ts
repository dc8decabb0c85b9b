import type { Command } from 'commander'
import { ServiceError } from '../../client/errors.ts'
import { isSettled } from '../../client/persist.ts'
import { count } from '../../domain/words.ts'
import { CliError, EXIT, type ExitCode, requireBatchId } from '../errors.ts'
import { finishBatch, requireServer, watchBatch } from '../follow.ts'
import { CANCEL_HELP, RESUME_HELP } from '../input/command-help.ts'
import { jsonCommand, type Options, withDetach, withItems, withServer, withStrict } from '../input/command-options.ts'
import { tally } from '../output/text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

export const resumeCommand = (shell: Shell): Command =>
  withStrict(withDetach(withItems(jsonCommand('resume', 'go on with a parked or interrupted batch, and follow it'))))
    .argument('<batch>', 'its id')
    .addHelpText('after', RESUME_HELP)
    .action((id: string, options: Options) =>
      inSession(shell, { ...options, database: 'read' }, (session) => resume(session, id, options)),
    )

async function resume(session: Session, id: string, options: Options): Promise<ExitCode> {
  const { veridict, view, local } = session
  if (options.detach) requireServer(session)
  requireBatchId(id)
  const before = await veridict.batch(id)
  const isParked = before.status === 'parked'
  // A running service goes on with its open batches by itself.
  const goesOn = isParked || (local !== null && !isSettled(before))
  const batch = goesOn ? await veridict.resume(id).catch(rereadEnded(session, id, isParked)) : before
  session.batch = batch
  if (!isParked) view.note(`${id} is not parked: it is ${before.status}`)
  return finishBatch(session, batch, options)
}

/** Reads a batch that ended before it could be resumed. */
const rereadEnded =
  ({ veridict }: Session, id: string, wasParked: boolean) =>
  (error: unknown) => {
    if (wasParked || !(error instanceof ServiceError) || error.status !== 409) throw error
    return veridict.batch(id)
  }

export const cancelCommand = (shell: Shell): Command =>
  withServer(jsonCommand('cancel', 'end a batch; its grades stay'))
    .argument('<batch>', 'its id')
    .addHelpText('after', CANCEL_HELP)
    .action((id: string, options: Options) =>
      inSession(shell, { ...options, database: 'read' }, (session) => cancel(session, id)),
    )

async function cancel(session: Session, id: string): Promise<ExitCode> {
  const { veridict, target } = session
  requireBatchId(id)
  const before = await veridict.batch(id)
  if (before.status === 'done' || before.status === 'cancelled')
    throw new CliError(`${id} has ended already: it is ${before.status}`, [`Its results: veridict results ${id}`])
  const batch = await watchBatch(session, await veridict.cancel(id))
  const { total, ...counts } = batch.counts
  await target.write(`${id} is ${batch.status}: ${count(total, 'item')} · ${tally(counts)}\n`)
  session.data = batch
  return EXIT.graded
}
