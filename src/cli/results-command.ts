import { Command } from 'commander'
import { finishBatch, printResults } from './batch-end.ts'
import { RESULTS_HELP } from './command-help.ts'
import { type OutputOptions, type ServerOption, withOutput, withServer } from './command-options.ts'
import { runCommand } from './error-text.ts'
import { EXIT, type ExitCode, exitOfCounts } from './exit-codes.ts'
import { goOn } from './known-batch.ts'
import { doneOf } from './progress-meter.ts'
import { type Session, withSession } from './session.ts'
import type { Shell } from './shell.ts'

interface ResultsOptions extends OutputOptions, ServerOption {
  readonly wait?: boolean
}

export const resultsCommand = (shell: Shell): Command =>
  withServer(withOutput(new Command('results')))
    .description('write the results of a batch')
    .argument('<batch>', 'its id, as `veridict status` lists it')
    .option('-w, --wait', 'follow the batch to its end first')
    .addHelpText('after', RESULTS_HELP)
    .action((id: string, options: ResultsOptions) =>
      runCommand(shell, () => withSession(shell, options, (session) => results(session, id, options))),
    )

async function results(session: Session, id: string, options: ResultsOptions): Promise<ExitCode> {
  const { client, shell, connection, signal } = session
  const batch = await client.readBatch(id, signal)
  if (options.wait) return await finishBatch(session, await goOn(session, batch))
  await printResults(session, batch)
  const open = batch.counts.total - doneOf(batch.counts)
  if (open > 0)
    shell.err.write(
      `${open} of ${batch.counts.total} items have not ended (${batch.status}); wait for them: veridict results ${id}${connection.flag} --wait\n`,
    )
  return batch.status === 'parked' ? EXIT.parked : exitOfCounts(batch.counts)
}
