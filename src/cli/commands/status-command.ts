import { Command, Option } from 'commander'
import { waitsForYou } from '../../client/persist.ts'
import type { Batch } from '../../schemas/batch.ts'
import { BATCH_STATUSES, type BatchStatus } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode, exitOfCounts } from '../client/cli-error.ts'
import { isOrphan, stateOf, tellRest } from '../client/known-batch.ts'
import { type Session, withSession } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { STATUS_HELP } from '../input/command-help.ts'
import { parseCount, type ServerOption, withServer } from '../input/command-options.ts'
import { line } from '../input/ndjson.ts'
import { watchBatch } from '../output/batch-end.ts'
import { runCommand } from '../output/error-text.ts'
import { doneOf, roundText } from '../output/progress.ts'
import { summary } from '../results/results-format.ts'
import { clip, columns, costCell, oneLine, paintFor } from '../results/terminal-text.ts'

interface StatusOptions extends ServerOption {
  readonly status?: BatchStatus
  readonly limit: number
  readonly follow?: boolean
  readonly output?: 'table' | 'ndjson'
}

export const statusCommand = (shell: Shell): Command =>
  withServer(new Command('status'))
    .description('list batches, or show the state of a batch')
    .argument('[batch]', 'its id')
    .option('-f, --follow', 'show the batch until it ends')
    .addOption(new Option('--status <status>', 'list only batches of this status').choices([...BATCH_STATUSES]))
    .option('--limit <n>', 'the number of batches to list', parseCount, 20)
    .addOption(new Option('-o, --output <format>', 'a table, or a JSON object a batch').choices(['table', 'ndjson']))
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
  let left = options.limit
  let cursor: string | null = null
  const paint = paintFor(shell.out, shell.env)
  let begun = false
  do {
    const page = await client.findBatches({ ...status, limit: Math.min(left, 200), ...(cursor !== null && { cursor }) })
    if (format === 'table' && !begun) await target.write(`${paint('bold', columns(HEAD, WIDTHS))}\n`)
    begun = true
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

/** Renders the time of the state. The time of a state before the end is not stored. */
const timeOf = (session: Session, { finished_at, ...batch }: Batch): string => {
  if (finished_at !== null) return ` since ${finished_at}`
  return `, ${isOrphan(session, { finished_at, ...batch }) ? 'begun' : 'created'} ${batch.created_at}`
}

async function tell(session: Session, id: string, options: StatusOptions): Promise<ExitCode> {
  const { client, target, format, shell, signal } = session
  const first = await client.readBatch(id, signal)
  const batch = options.follow && !isOrphan(session, first) ? await watchBatch(session, first) : first
  const name = batch.name === null ? '' : ` ${oneLine(batch.name)}`
  const text = `${batch.id}${name}: ${stateOf(session, batch)}${timeOf(session, batch)}\n${summary(batch, paintFor(shell.out, shell.env))}\n`
  const round = batch.round === undefined ? '' : `${roundText(batch)}\n`
  await target.write(format === 'table' ? text + round : line(batch))
  tellRest(session, batch)
  const isUnseen = options.follow === true && isOrphan(session, batch)
  return isUnseen || waitsForYou(batch) ? EXIT.parked : exitOfCounts(batch.counts)
}
