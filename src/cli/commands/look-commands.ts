import { waitsForWorker } from '../../client/persist.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import type { JudgeView } from '../../schemas/views.ts'
import { BATCH_STATUSES, type BatchStatus } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, exitOfCounts, exitOfGrade } from '../errors.ts'
import { isOrphan, lookAt, restsFor, restText, stateOf, writeEnds } from '../follow.ts'
import { choice, type Options, option, output, RESULTS_FORMATS, STRICT_UNREAD, wholeNumber } from '../options.ts'
import { writeBundle } from '../output/bundle.ts'
import { jsonText, printGrade, withReplies } from '../output/grade-text.ts'
import { type LabelValues, parseValues } from '../output/inspect-scores.ts'
import { doneOf, roundText } from '../output/progress.ts'
import { summary } from '../output/results-format.ts'
import { clip, costCell, oneLine, present, tableOf, writeRows } from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'

type StatusOptions = Options & { readonly status?: BatchStatus; readonly limit: number; readonly follow?: boolean }

/** The service lists no more at once. */
const MOST_LISTED = 200

export const status = sessionCommand<StatusOptions, [id?: string]>(
  'status',
  {
    args: { '[batch]': 'its id or name' },
    options: [
      option('-f, --follow', 'show the batch until it ends'),
      choice('--status <status>', 'list only batches of this status', BATCH_STATUSES),
      option('--limit <n>', `the number of batches to list, at most ${MOST_LISTED}`, wholeNumber(MOST_LISTED), 20),
    ],
  },
  (session, options, id) => (id === undefined ? listBatches(session, options) : showBatch(session, id, options)),
)

async function listBatches(session: Session, { status, limit, follow }: StatusOptions): Promise<Answer> {
  if (follow)
    throw new CliError('which batch? --follow shows one until it ends', [
      'Give its id: `veridict status` lists the batches.',
    ])
  const { items, next_cursor } = await session.veridict.batches({ limit, ...defined({ status }) })
  const table = tableOf<Batch>([
    ['batch', 30, ({ id }) => id],
    ['status', 11, (batch) => stateOf(session, batch)],
    ['done', 13, ({ counts }) => `${doneOf(counts)}/${counts.total}`],
    ['failed', 6, ({ counts }) => String(counts.failed)],
    ['cost', 15, costCell],
    ['created', 24, ({ created_at }) => created_at],
    ['kind', 7, ({ kind }) => kind],
    ['name', 0, ({ name }) => clip(name ?? '', 40)],
  ])
  await writeRows(session, items, { table })
  return { data: items, notes: next_cursor === null ? [] : ['There are more: --limit shows them.'] }
}

async function showBatch(session: Session, id: string, { follow = false }: StatusOptions): Promise<Answer> {
  const batch = await lookAt(session, id, follow)
  const name = batch.name === null ? '' : ` ${oneLine(batch.name)}`
  const begun = isOrphan(session, batch) ? 'begun' : 'created'
  // The time of a state before the end is not stored.
  const since = batch.finished_at === null ? `, ${begun} ${batch.created_at}` : ` since ${batch.finished_at}`
  const wait = waitsForWorker(batch) ? ` (${oneLine(batch.parked_reason ?? '')})` : ''
  const state = `${batch.id}${name}: ${stateOf(session, batch)}${wait}${since}`
  const text = present([state, summary(batch), roundText(batch)]).join('\n')
  const code = restsFor(session, batch, follow) ? EXIT.parked : exitOfCounts(batch.counts)
  return { data: batch, text: `${text}\n`, notes: present([restText(session, batch)]), code }
}

type ResultsOptions = Options & { readonly wait?: boolean; readonly values?: LabelValues }

export const results = sessionCommand<ResultsOptions, [id: string]>(
  'results',
  {
    args: { '<batch>': 'its id or name, as `veridict status` lists them' },
    options: [
      ...[...output(RESULTS_FORMATS), STRICT_UNREAD],
      option('-w, --wait', 'follow the batch to its end first'),
      option('--values <label=number,…>', 'with -o inspect: numbers of labels; others stay unscored', parseValues),
    ],
  },
  async (session, { out, ...options }, id) => {
    const { format } = session
    if (options.values !== undefined && format !== 'inspect') throw new CliError('--values is for --output inspect')
    if (format === 'inspect' && out?.toLowerCase().endsWith('.jsonl') === false)
      throw new CliError('Inspect reads JSON lines from a file whose name ends in .jsonl')
    const batch = await lookAt(session, id, options.wait)
    if (format !== 'bundle') return writeEnds(session, batch, options, options.wait === true)
    const folder = out ?? `bundle-${batch.id}`
    await writeBundle(session, batch, folder)
    const items = count(batch.counts.total, 'item')
    return { data: { batch, folder }, text: `${oneLine(folder)}: ${items}; manifest.json lists its files\n` }
  },
)

export const show = sessionCommand<Options & { readonly attempts?: boolean; readonly raw?: boolean }, [id: string]>(
  'show',
  {
    args: { '<grade>': 'its id, as `veridict results` gives it' },
    options: [
      option('--attempts', 'print the receipt: settings of the judge, versions, digests, calls'),
      option('--raw', 'with --attempts or --json: the raw reply of each call'),
    ],
  },
  async ({ veridict, signal }, { attempts, raw }, id) => {
    const grade = await veridict.readGrade(id, { signal })
    const panel = await veridict.panel(id, { signal })
    const whole = raw ? withReplies(grade, await veridict.calls(id, { signal })) : grade
    const { metadata, receipt } = whole
    const name = metadata.trial || metadata.task || receipt.trajectory
    const text = printGrade(name, grade, panel) + (attempts || raw ? jsonText(receipt) : '')
    return { data: { ...whole, panel }, text, code: exitOfGrade(grade) }
  },
)

type Judge = Pick<JudgeView, 'name' | 'default' | 'description'> & Partial<JudgeView>

const JUDGES = tableOf<Judge>([
  ['judge', 20, ({ name, default: isDefault }) => `${clip(name, 200)}${isDefault ? ' (default)' : ''}`],
  ['model', 28, ({ model }) => clip(model ?? '–', 100)],
  ['window', 9, ({ window_tokens }) => String(window_tokens ?? '–')],
  ['$ in/out a million tokens', 25, ({ kind, price }) => (kind === 'model' ? priceText(price ?? null) : '–')],
  [
    'about',
    0,
    ({ description, images, base_url }) =>
      clip(present([description, images ? 'sees pictures' : '', base_url ?? '']).join(' · '), 1000),
  ],
])

export const judges = sessionCommand('judges', { database: 'none' }, async (session) => {
  const data = await session.veridict.listJudges()
  const unready = (data.not_configured ?? []).map(({ reason, ...judge }) => {
    return { ...judge, description: `not configured: ${reason}` }
  })
  await writeRows<Judge>(session, [...data.items, ...unready], { table: JUDGES })
  return { data }
})

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: no cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok } = price
  return `${input_per_mtok}/${output_per_mtok}, cache ${cache_read_per_mtok}/${cache_write_per_mtok}`
}

export const rubrics = sessionCommand('rubrics', { database: 'none' }, async (session) => {
  const items = await session.veridict.listRubrics()
  const table = tableOf<RubricView>([
    ['rubric', 30, ({ name }) => clip(name, 30)],
    ['asks', 0, ({ title }) => clip(title, 120)],
  ])
  await writeRows(session, items, { table })
  return { data: { items } }
})
