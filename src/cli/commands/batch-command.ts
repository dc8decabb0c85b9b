import type { Command } from 'commander'
import type { Batch } from '../../schemas/batch.ts'
import { EXIT, type ExitCode, STRICT_HELP, type Strictness, strictCode } from '../client/cli-error.ts'
import { requireServer, tellDetached } from '../client/known-batch.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { BATCH_HELP } from '../input/command-help.ts'
import {
  batchOptions,
  type GradingOptions,
  type OutputOptions,
  type ServerOption,
  withGrading,
  withOutput,
  withServer,
} from '../input/command-options.ts'
import {
  checkGrading,
  countsText,
  openTrialStream,
  openTrials,
  pathsCommand,
  type TrialsOptions,
  unlessBroken,
} from '../input/trial-lines.ts'
import { finishBatch } from '../output/batch-end.ts'
import { estimateText } from '../output/estimate-text.ts'
import { ITEM_FORMATS } from '../results/results-format.ts'

type BatchCommandOptions = TrialsOptions & GradingOptions & OutputOptions & ServerOption & Strictness

export const batchCommand = (shell: Shell): Command =>
  withServer(
    withOutput(withGrading(pathsCommand('batch', 'grade all trials of folders, files and archives')), ITEM_FORMATS),
  )
    .option('--strict', STRICT_HELP)
    .addHelpText('after', BATCH_HELP)
    .action((paths: string[], options: BatchCommandOptions) =>
      inSession(shell, { ...options, ...(options.dryRun && { database: 'look_any' }) }, (session) =>
        gradePaths(session, paths, options),
      ),
    )

async function gradePaths(session: Session, paths: readonly string[], options: BatchCommandOptions): Promise<ExitCode> {
  const { shell } = session
  await shell.checkPaths?.(paths)
  if (options.dryRun) return await estimatePaths(session, paths, options)
  if (options.detach) requireServer(session)
  const batch = await begin(session, paths, options)
  session.batch = batch
  if (options.detach) return tellDetached(session, batch)
  return strictCode(await finishBatch(session, batch, options), options, session.skipped)
}

/** Creates the batch of the trials in the paths, and prints its id. */
async function begin(session: Session, paths: readonly string[], options: BatchCommandOptions): Promise<Batch> {
  await checkGrading(session, batchOptions(options))
  const stream = await openTrialStream(
    (warn) => openTrials(session, paths, options, warn),
    session.view,
    options.groundTruth,
  )
  const batch = await unlessBroken(
    stream,
    session.client.createBatch(batchOptions(options), stream.items(), session.signal),
  )
  session.skipped = stream.counts.skipped
  session.view.note(`${batch.id}: ${countsText(stream.counts)}`)
  return batch
}

async function estimatePaths(
  session: Session,
  paths: readonly string[],
  options: BatchCommandOptions,
): Promise<ExitCode> {
  const { client, view, target, format, signal } = session
  await checkGrading(session, batchOptions(options))
  const stream = await openTrialStream((warn) => openTrials(session, paths, options, warn), view, options.groundTruth)
  const estimate = await unlessBroken(stream, client.estimateBatch(batchOptions(options), stream.items(), signal))
  view.note(countsText(stream.counts))
  view.end()
  await target.write(estimateText(estimate, format))
  await target.commit()
  return strictCode(EXIT.graded, options, stream.counts.skipped + stream.counts.unread)
}
