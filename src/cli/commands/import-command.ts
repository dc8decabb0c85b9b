import type { Command } from 'commander'
import { referenceIn } from '../../domain/trajectory/trajectory.ts'
import type { BatchItem } from '../../schemas/batch.ts'
import { CliError, EXIT, type ExitCode, strictCode } from '../errors.ts'
import { IMPORT_HELP } from '../input/command-help.ts'
import { type Options, pathsCommand, withNewFile, withServer, withStrict } from '../input/command-options.ts'
import { countsText, itemOf, openTrials, type Trial } from '../input/trial-stream.ts'
import { inOrder } from '../output/output-target.ts'
import { inert, line } from '../output/text.ts'
import { inConsole, type Session, withConnection } from '../session.ts'
import type { Shell } from '../shell.ts'
import { importExport, isExport } from './store/import-export.ts'

/** Uploads at once. Lines are written in the order of the trials. */
const AT_ONCE = 4

const DESCRIPTION =
  'read an export into the database; or upload trajectories, and write grade requests that name them by id'

export const importCommand = (shell: Shell): Command =>
  withStrict(withNewFile(withServer(pathsCommand('import', DESCRIPTION))), { skips: true })
    .addHelpText('after', IMPORT_HELP)
    .action((paths: string[], options: Options) =>
      inConsole(shell, options, async (console) => {
        const exported = await exportAmong(paths, options)
        if (exported !== null) return importExport(console, exported)
        return withConnection(console, options, (session) => importPaths(session, paths, options))
      }),
    )

/** Finds the one export among the paths; null where all paths hold trials. Throws where an export does not stand alone. */
async function exportAmong(paths: readonly string[], { server }: Options): Promise<string | null> {
  if (paths.includes('-'))
    throw new CliError('an import reads its file twice, and cannot read a pipe', ['Write the lines to a file first.'])
  const [found = null] = (await Promise.all(paths.map(async (path) => ((await isExport(path)) ? [path] : [])))).flat()
  if (found === null) return null
  if (paths.length > 1) throw new CliError(`${inert(found)} is an export: import it by itself`)
  if (server !== undefined)
    throw new CliError('an export is read into the database itself, and not through a service', [
      'Leave --server out; VERIDICT_DATABASE or VERIDICT_DATABASE_URL names the database.',
    ])
  return found
}

async function importPaths(session: Session, paths: readonly string[], options: Options): Promise<ExitCode> {
  const { shell, view, target, signal, json } = session
  const requests: BatchItem[] = []
  const stream = await openTrials(session, paths, options)
  const begin = async (trial: Trial) => {
    signal.throwIfAborted()
    return await upload(session, trial)
  }
  for await (const item of inOrder(stream.trials(), AT_ONCE, begin)) {
    if (json) requests.push(item)
    await target.write(line(item))
  }
  session.data = { counts: stream.counts, requests }
  await target.commit()
  view.end()
  shell.err.write(`imported ${countsText(stream.counts)}\n`)
  return strictCode(EXIT.graded, options, stream.counts.skipped + stream.counts.unread)
}

/** Uploads a trajectory, and returns the request with its id. A request that names an uploaded trajectory stays unchanged. */
async function upload({ veridict, signal }: Session, trial: Trial): Promise<BatchItem> {
  const item = itemOf(trial)
  if (referenceIn(item.trajectory) !== null) return item
  const { id } = await veridict.uploadTrajectory(item.trajectory, { signal })
  return { ...item, trajectory: { id } }
}
