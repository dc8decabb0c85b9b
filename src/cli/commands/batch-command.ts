import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Batch, BatchOptions } from '../../schemas/batch.ts'
import { absolutePaths, batchKey, commandKey, digestTruths, isKeyOf } from '../client/batch-key.ts'
import { EXIT, type ExitCode, STRICT_HELP, type Strictness, strictCode } from '../client/exit-codes.ts'
import { findKnownBatch, findOpenBatch, requireServer, takeUpBatch, tellDetached } from '../client/known-batch.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { askedKey } from '../client/standing.ts'
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
import { digestContent } from '../input/path-content.ts'
import { checkGrading, unlessBroken } from '../input/sent-trials.ts'
import { countsText, isTrial, openTrialStream, skippedText } from '../input/trial-lines.ts'
import { openTrials, pathsCommand, type TrialsOptions } from '../input/trials-options.ts'
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
  const command = await commandOf(shell, paths, options)
  const asked = await askedKey(session.client, command)
  const key = batchKey(asked, await contentOf(session, paths, options))
  const known = options.new ? null : await findBatch(session, { command, asked, key })
  const { batch, skipped } =
    known === null
      ? await begin(session, paths, { ...batchOptions(options), key }, options)
      : { batch: await takeUpBatch(session, known), skipped: null }
  session.batch = batch
  if (options.detach) return tellDetached(session, batch)
  const code = await finishBatch(session, batch, options)
  return strictCode(code, options, skipped ?? (options.strict ? await nameSkipped(session, paths, options) : 0))
}

/**
 * The command’s batch over what its paths hold now; else one over what they held that has not ended. One that asked others is reported and left: the
 * rest of its grades would be another model’s.
 */
async function findBatch(
  { client, view, connection }: Session,
  { command, asked, key }: Readonly<Record<'command' | 'asked' | 'key', string>>,
): Promise<Batch | null> {
  const same = await findKnownBatch(client, key)
  if (same !== null) return same
  const older = await findOpenBatch(client, (other) => isKeyOf(command, other))
  if (older === null) return null
  if (isKeyOf(asked, older.key ?? '')) {
    view.note(
      `${older.id}: the paths have changed since this batch was begun, and it has not ended; the same command grades what they hold now once it has, or at once with --new`,
    )
    return older
  }
  view.note(
    `${older.id}: this batch of the same command has not ended, and was begun with other judges or rubrics than are configured now; another is begun. To finish that one, configure them as they were: veridict resume ${older.id}${connection.flag}`,
  )
  return null
}

/** What the paths hold, but for what this command writes itself. */
async function contentOf(
  { shell, signal }: Session,
  paths: readonly string[],
  options: BatchCommandOptions,
): Promise<string> {
  const out = options.out === undefined ? null : resolve(shell.cwd, options.out)
  const database = resolve(shell.cwd, shell.env['VERIDICT_DATABASE'] || './data/veridict.sqlite')
  const ignores = (path: string) => path === out || path === `${out}.partial` || path.startsWith(database)
  return await digestContent(absolutePaths(paths, shell.cwd), { ignores, signal })
}

async function commandOf(shell: Shell, paths: readonly string[], options: BatchCommandOptions): Promise<string> {
  const truths = options.groundTruth === undefined ? null : await digestTruths(options.groundTruth)
  const { name: _name, ...graded } = batchOptions(options)
  return commandKey(
    { paths, truths, options: { ...graded, signals: options.signals, variant: options.variant } },
    shell.cwd,
  )
}

async function begin(
  session: Session,
  paths: readonly string[],
  sent: BatchOptions,
  options: BatchCommandOptions,
): Promise<{ batch: Batch; skipped: number }> {
  await checkGrading(session, batchOptions(options))
  const reader = (await session.connection.reader?.()) ?? null
  const stream = await openTrialStream(
    (warn) => openTrials(session, paths, options, warn, reader),
    session.view,
    options.groundTruth,
  )
  const batch = await unlessBroken(stream, session.client.createBatch(sent, stream.items(), session.signal))
  session.skipped = stream.counts.skipped
  session.view.note(`${batch.id}: ${countsText(stream.counts)}`)
  return { batch, skipped: stream.counts.skipped }
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

/** For `--strict` on a batch that an earlier run began: what that run skipped is found by reading again. */
async function nameSkipped(session: Session, paths: readonly string[], options: BatchCommandOptions): Promise<number> {
  let skipped = 0
  const warn = (text: string) => session.view.note(`warning  ${text}`)
  session.view.note('--strict: reading the paths again, to name what was skipped')
  for await (const item of openTrials(session, paths, options, warn)) {
    if (item.kind !== 'skipped' || !isTrial(item)) continue
    skipped++
    session.view.note(skippedText(item))
  }
  return skipped
}
