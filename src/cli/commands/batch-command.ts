import type { Command } from 'commander'
import { EXIT, type ExitCode, strictCode } from '../errors.ts'
import { finishBatch, requireServer } from '../follow.ts'
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
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

const DESCRIPTION = 'grade all trials of folders, files and archives'

export const batchCommand = (shell: Shell): Command =>
  withStrict(withItems(withDetach(withGrading(pathsCommand('batch', DESCRIPTION)))), { skips: true })
    .addHelpText('after', BATCH_HELP)
    .action((paths: string[], options: Options) =>
      inSession(shell, options, (session) => gradePaths(session, paths, options)),
    )

async function gradePaths(session: Session, paths: readonly string[], options: Options): Promise<ExitCode> {
  const { shell, veridict, view, signal } = session
  const request = { ...batchOptions(options), signal }
  await shell.checkPaths?.(paths)
  if (options.detach && !options.dryRun) requireServer(session)
  const stream = await openTrials(session, paths, options)
  if (options.dryRun) {
    const estimate = await stream.send((items) => veridict.estimateBatch(items, request))
    view.note(countsText(stream.counts))
    await writeEstimate(session, estimate)
    return strictCode(EXIT.graded, options, stream.counts.skipped + stream.counts.unread)
  }
  const batch = await stream.send((items) => veridict.createBatch(items, request))
  session.skipped = stream.counts.skipped
  view.note(`${batch.id}: ${countsText(stream.counts)}`)
  const code = await finishBatch(session, batch, options)
  return options.detach ? code : strictCode(code, options, session.skipped)
}
