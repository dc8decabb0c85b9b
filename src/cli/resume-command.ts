import { Command } from 'commander'
import { finishBatch } from './batch-end.ts'
import { RESUME_HELP } from './command-help.ts'
import { type OutputOptions, type ServerOption, withOutput, withServer } from './command-options.ts'
import { runCommand } from './error-text.ts'
import { type ExitCode, STRICT_UNREAD_HELP, type Strictness } from './exit-codes.ts'
import { goOn, requireServer, tellDetached } from './known-batch.ts'
import { type Session, withSession } from './session.ts'
import type { Shell } from './shell.ts'

interface ResumeOptions extends OutputOptions, ServerOption, Strictness {
  readonly detach?: boolean
}

export const resumeCommand = (shell: Shell): Command =>
  withServer(withOutput(new Command('resume')))
    .description('let a parked batch go on, and follow it')
    .argument('<batch>', 'its id')
    .option('--detach', 'return once the batch runs; with --server only')
    .option('--strict', STRICT_UNREAD_HELP)
    .addHelpText('after', RESUME_HELP)
    .action((id: string, options: ResumeOptions) =>
      runCommand(shell, () =>
        withSession(shell, { ...options, database: 'read' }, (session) => resume(session, id, options)),
      ),
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
