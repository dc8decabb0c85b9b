import type { Command } from 'commander'
import { isUploaded } from '../../archives/trials/request-lines.ts'
import type { BatchItem } from '../../schemas/batch.ts'
import { EXIT, type ExitCode, STRICT_HELP, type Strictness, strictCode } from '../client/exit-codes.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { IMPORT_HELP } from '../input/command-help.ts'
import { type ServerOption, withServer } from '../input/command-options.ts'
import { inOrder } from '../input/in-order.ts'
import { line } from '../input/ndjson.ts'
import { countsText, itemOf, openTrialStream, type Trial } from '../input/trial-lines.ts'
import { openTrials, pathsCommand, type TrialsOptions } from '../input/trials-options.ts'

/** How many uploads are out at once; their lines are written in the order of the trials all the same. */
const AT_ONCE = 4

interface ImportOptions extends TrialsOptions, ServerOption, Strictness {
  readonly out?: string
}

export const importCommand = (shell: Shell): Command =>
  withServer(pathsCommand('import', 'upload trajectories once, and write grade requests that name them by id'))
    .option('--out <file>', 'write the requests there instead of to stdout')
    .option('--strict', STRICT_HELP)
    .addHelpText('after', IMPORT_HELP)
    .action((paths: string[], options: ImportOptions) =>
      inSession(shell, options, (session) => importPaths(session, paths, options)),
    )

async function importPaths(session: Session, paths: readonly string[], options: ImportOptions): Promise<ExitCode> {
  const { shell, view, target, signal } = session
  const stream = await openTrialStream((warn) => openTrials(session, paths, options, warn), view, options.groundTruth)
  const begin = async (trial: Trial) => {
    signal.throwIfAborted()
    return await upload(session, trial)
  }
  for await (const item of inOrder(stream.trials(), AT_ONCE, begin)) await target.write(line(item))
  await target.commit()
  view.end()
  shell.err.write(`imported ${countsText(stream.counts)}\n`)
  return strictCode(EXIT.graded, options, stream.counts.skipped + stream.counts.unread)
}

/** The request with the trajectory’s id; one that names an uploaded trajectory already stays as it is. */
async function upload({ client, signal }: Session, trial: Trial): Promise<BatchItem> {
  const item = itemOf(trial)
  if (isUploaded(item.trajectory)) return item
  const { id } = await client.uploadTrajectory(item.trajectory, signal)
  return { ...item, trajectory: { id } }
}
