import type { Command } from 'commander'
import { EXIT, type ExitCode, strictCode } from '../client/errors.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { BATCH_HELP } from '../input/command-help.ts'
import {
  batchOptions,
  type Options,
  pathsCommand,
  withDetach,
  withGrading,
  withItems,
  withStrict,
} from '../input/command-options.ts'
import { countsText, openTrials } from '../input/trial-stream.ts'
import { writeEstimate } from '../output/estimate-text.ts'
import { finishBatch, requireServer, tellDetached } from '../output/follow-batch.ts'

export const batchCommand = (shell: Shell): Command =>
  withStrict(
    withItems(withDetach(withGrading(pathsCommand('batch', 'grade all trials of folders, files and archives')))),
    {
      skips: true,
    },
  )
    .addHelpText('after', BATCH_HELP)
    .action((paths: string[], options: Options) =>
      inSession(shell, options, (session) => gradePaths(session, paths, options)),
    )

async function gradePaths(session: Session, paths: readonly string[], options: Options): Promise<ExitCode> {
  const { shell, client, view, signal } = session
  const request = batchOptions(options)
  await shell.checkPaths?.(paths)
  if (options.detach && !options.dryRun) requireServer(session)
  const stream = await openTrials(session, paths, options)
  if (options.dryRun) {
    const estimate = await stream.send((items) => client.estimateBatch(request, items, signal))
    view.note(countsText(stream.counts))
    await writeEstimate(session, estimate)
    return strictCode(EXIT.graded, options, stream.counts.skipped + stream.counts.unread)
  }
  const batch = await stream.send((items) => client.createBatch(request, items, signal))
  session.skipped = stream.counts.skipped
  view.note(`${batch.id}: ${countsText(stream.counts)}`)
  session.batch = batch
  if (options.detach) return tellDetached(session, batch)
  return strictCode(await finishBatch(session, batch, options), options, session.skipped)
}
