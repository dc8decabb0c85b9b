import { Command, Option } from 'commander'
import { waitsForWorker, waitsForYou } from '../../client/persist.ts'
import type { Batch } from '../../schemas/batch.ts'
import { BATCH_STATUSES, type BatchStatus } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode, exitOfCounts, requireBatchId, runCommand } from '../client/errors.ts'
import { type Session, withSession } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { STATUS_HELP } from '../input/command-help.ts'
import { type Options, parseCount, withList, withServer } from '../input/command-options.ts'
import { isOrphan, stateOf, tellRest, watchBatch } from '../output/follow-batch.ts'
import { doneOf, roundText } from '../output/progress.ts'
import { summary } from '../output/results-format.ts'
import { clip, columns, costCell, line, oneLine, paintFor } from '../output/text.ts'

interface StatusOptions extends Options {
  readonly status?: BatchStatus
  readonly limit: number
  readonly follow?: boolean
}

export const statusCommand = (shell: Shell): Command =>
  withList(withServer(new Command('status')))
    .description('list batches, or show the state of a batch')
    .argument('[batch]', 'its id')
    .option('-f, --follow', 'show the batch until it ends')
    .addOption(new Option('--status <status>', 'list only batches of this status').choices([...BATCH_STATUSES]))
    .option('--limit <n>', 'the number of batches to list', parseCount, 20)
    .addHelpText('after', STATUS_HELP)
    .action((id: string | undefined, options: StatusOptions) =>
      runCommand(shell, () => {
        if (id === undefined && options.follow)
          throw new CliError('which batch? --follow shows one until it ends', [
            'Give its id: `veridict status` lists the batches.',
          ])
        return withSession(shell, { ...options, database: 'read' }, (session) =>
          id === undefined ? list(session, options) : tell(session, id, options),
        )
      }),
    )

async function list(session: Session, options: StatusOptions): Promise<ExitCode> {
  const { client, target, format, shell } = session
  const status = options.status === undefined ? {} : { status: options.status }
  const head = `${paintFor(shell.out, shell.env)('bold', columns(HEAD, WIDTHS))}\n`
  let left = options.limit
  let cursor: string | null = null
  do {
    const page = await client.findBatches({ ...status, limit: Math.min(left, 200), ...(cursor !== null && { cursor }) })
    if (format === 'table' && cursor === null) await target.write(head)
    for (const batch of page.items.slice(0, left))
      await target.write(format === 'table' ? `${columns(cells(session, batch), WIDTHS)}\n` : line(batch))
    left -= page.items.length
    cursor = page.next_cursor
  } while (cursor !== null && left > 0)
  if (cursor !== null) shell.err.write('There are more: --limit shows them.\n')
  return EXIT.graded
}

const HEAD = ['batch', 'status', 'done', 'failed', 'cost', 'created', 'kind', 'name']
/** An id is a prefix and 26 digits. */
const WIDTHS = [30, 11, 13, 6, 15, 24, 7, 0]

const cells = (session: Session, batch: Batch): string[] => [
  batch.id,
  stateOf(session, batch),
  `${doneOf(batch.counts)}/${batch.counts.total}`,
  String(batch.counts.failed),
  costCell(batch),
  batch.created_at,
  batch.kind,
  clip(batch.name ?? '', 40),
]

async function tell(session: Session, id: string, options: StatusOptions): Promise<ExitCode> {
  const { client, target, format, shell, signal } = session
  requireBatchId(id)
  const first = await client.readBatch(id, signal)
  session.follows = true
  const batch = options.follow && !isOrphan(session, first) ? await watchBatch(session, first) : first
  const rests = isOrphan(session, batch)
  const name = batch.name === null ? '' : ` ${oneLine(batch.name)}`
  // The time of a state before the end is not stored.
  const since =
    batch.finished_at === null ? `, ${rests ? 'begun' : 'created'} ${batch.created_at}` : ` since ${batch.finished_at}`
  const rows = [
    `${batch.id}${name}: ${stateOf(session, batch)}${since}`,
    summary(batch, paintFor(shell.out, shell.env)),
    ...(batch.round === undefined ? [] : [roundText(batch)]),
  ]
  await target.write(format === 'table' ? `${rows.join('\n')}\n` : line(batch))
  tellRest(session, batch)
  return (options.follow && (rests || waitsForWorker(batch))) || waitsForYou(batch)
    ? EXIT.parked
    : exitOfCounts(batch.counts)
}
