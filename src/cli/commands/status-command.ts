import { type Command, Option } from 'commander'
import { waitsForWorker } from '../../client/persist.ts'
import type { Batch } from '../../schemas/batch.ts'
import { BATCH_STATUSES, type BatchStatus } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode, exitOfCounts, requireBatchId } from '../errors.ts'
import { isOrphan, restsFor, stateOf, tellRest, watchBatch } from '../follow.ts'
import { STATUS_HELP } from '../input/command-help.ts'
import { jsonCommand, type Options, parseCount, withList, withServer } from '../input/command-options.ts'
import { doneOf, roundText } from '../output/progress.ts'
import { summary } from '../output/results-format.ts'
import { tableOf } from '../output/table.ts'
import { clip, costCell, line, oneLine, paintFor } from '../output/text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

interface StatusOptions extends Options {
  readonly status?: BatchStatus
  readonly limit: number
  readonly follow?: boolean
}

export const statusCommand = (shell: Shell): Command =>
  withList(withServer(jsonCommand('status', 'list batches, or show the state of a batch')))
    .argument('[batch]', 'its id')
    .option('-f, --follow', 'show the batch until it ends')
    .addOption(new Option('--status <status>', 'list only batches of this status').choices([...BATCH_STATUSES]))
    .option('--limit <n>', 'the number of batches to list', parseCount, 20)
    .addHelpText('after', STATUS_HELP)
    .action((id: string | undefined, options: StatusOptions) =>
      inSession(shell, { ...options, database: 'read' }, (session) =>
        id === undefined ? list(session, options) : look(session, id, options),
      ),
    )

async function list(session: Session, { status, limit, follow }: StatusOptions): Promise<ExitCode> {
  const { veridict, target, format, shell } = session
  if (follow)
    throw new CliError('which batch? --follow shows one until it ends', [
      'Give its id: `veridict status` lists the batches.',
    ])
  const table = batchTable(session)
  const batches: Batch[] = []
  let cursor: string | null = null
  do {
    const page = await veridict.batches({
      ...{ limit: Math.min(limit - batches.length, 200) },
      ...(status !== undefined && { status }),
      ...(cursor !== null && { cursor }),
    })
    if (format === 'table' && cursor === null) await target.write(table.head(paintFor(shell.out, shell.env)))
    const items = page.items.slice(0, limit - batches.length)
    for (const batch of items) await target.write(format === 'table' ? table.row(batch) : line(batch))
    batches.push(...items)
    cursor = page.next_cursor
  } while (cursor !== null && batches.length < limit)
  if (cursor !== null) shell.err.write('There are more: --limit shows them.\n')
  session.data = batches
  return EXIT.graded
}

const batchTable = (session: Session) =>
  tableOf<Batch>([
    ['batch', 30, ({ id }) => id],
    ['status', 11, (batch) => stateOf(session, batch)],
    ['done', 13, ({ counts }) => `${doneOf(counts)}/${counts.total}`],
    ['failed', 6, ({ counts }) => String(counts.failed)],
    ['cost', 15, costCell],
    ['created', 24, ({ created_at }) => created_at],
    ['kind', 7, ({ kind }) => kind],
    ['name', 0, ({ name }) => clip(name ?? '', 40)],
  ])

async function look(session: Session, id: string, { follow = false }: StatusOptions): Promise<ExitCode> {
  const { veridict, target, format, shell, signal } = session
  requireBatchId(id)
  const first = await veridict.batch(id, { signal })
  session.follows = true
  const batch = follow && !isOrphan(session, first) ? await watchBatch(session, first) : first
  const name = batch.name === null ? '' : ` ${oneLine(batch.name)}`
  const begun = isOrphan(session, batch) ? 'begun' : 'created'
  // The time of a state before the end is not stored.
  const since = batch.finished_at === null ? `, ${begun} ${batch.created_at}` : ` since ${batch.finished_at}`
  const wait = waitsForWorker(batch) ? ` (${oneLine(batch.parked_reason ?? '')})` : ''
  const rows = [
    `${batch.id}${name}: ${stateOf(session, batch)}${wait}${since}`,
    summary(batch, paintFor(shell.out, shell.env)),
    ...(batch.round === undefined ? [] : [roundText(batch)]),
  ]
  await target.write(format === 'table' ? `${rows.join('\n')}\n` : line(batch))
  session.data = batch
  tellRest(session, batch)
  return restsFor(session, batch, follow) ? EXIT.parked : exitOfCounts(batch.counts)
}
