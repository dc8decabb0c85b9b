import { Command } from 'commander'
import { type ExitCode, STRICT_UNREAD_HELP, type Strictness } from '../client/exit-codes.ts'
import { goOn, requireServer, tellDetached } from '../client/known-batch.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { RESUME_HELP } from '../input/command-help.ts'
import { type OutputOptions, type ServerOption, withOutput, withServer } from '../input/command-options.ts'
import { finishBatch } from '../output/batch-end.ts'
import { ITEM_FORMATS } from '../results/results-format.ts'

interface ResumeOptions extends OutputOptions, ServerOption, Strictness {
  readonly detach?: boolean
}

export const resumeCommand = (shell: Shell): Command =>
  withServer(withOutput(new Command('resume'), ITEM_FORMATS))
    .description('let a parked batch go on, and follow it')
    .argument('<batch>', 'its id')
    .option('--detach', 'return once the batch runs; with --server only')
    .option('--strict', STRICT_UNREAD_HELP)
    .addHelpText('after', RESUME_HELP)
    .action((id: string, options: ResumeOptions) =>
      inSession(shell, { ...options, database: 'read' }, (session) => resume(session, id, options)),
    )

async function resume(session: Session, id: string, options: ResumeOptions): Promise<ExitCode> {
  const { client, view } = session
  if (options.detach) requireServer(session)
  const before = await client.readBatch(id)
  const batch = before.status === 'parked' ? await client.resumeBatch(id) : await goOn(session, before)
  session.batch = batch
  if (before.status !== 'parked') view.note(`${id} is not parked: it is ${before.status}`)
  return options.detach ? tellDetached(session, batch) : await finishBatch(session, batch, options)
}
