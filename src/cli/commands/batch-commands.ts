import { isSettled, waitsForWorker } from '../../client/persist.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { RegradeRequest } from '../../schemas/regrade.ts'
import { BATCH_STATUSES, type BatchStatus, GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, exitOfCounts } from '../errors.ts'
import * as f from '../follow.ts'
import * as o from '../options.ts'
import { writeBundle } from '../output/bundle.ts'
import { doneOf, roundText } from '../output/progress.ts'
import { type LabelValues, parseValues, summary } from '../output/results-format.ts'
import * as t from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'

const BATCH = { '<batch>': 'its id or name, as `veridict status` lists them' }

type StatusOptions = o.Options & { readonly status?: BatchStatus; readonly limit: number; readonly follow?: boolean }

/** The service lists no more at once. */
const MOST_LISTED = 200

export const status = sessionCommand<StatusOptions, [id?: string]>('status', {
  args: { '[batch]': 'its id or name' },
  options: [
    o.option('-f, --follow', 'show the batch until it ends'),
    o.choice('--status <status>', 'list only batches of this status', BATCH_STATUSES),
    o.option('--limit <n>', `the number of batches to list, at most ${MOST_LISTED}`, o.wholeNumber(MOST_LISTED), 20),
  ],
  async work(session, { status, limit, follow }, id) {
    if (id !== undefined) return showBatch(session, id, follow)
    if (follow)
      throw new CliError('which batch? --follow shows one until it ends', [
        'Give its id: `veridict status` lists the batches.',
      ])
    const { items, next_cursor } = await session.veridict.batches({ limit, ...defined({ status }) })
    const table = t.tableOf<Batch>([
      ['batch', 30, ({ id }) => id],
      ['status', 11, (batch) => f.stateOf(session, batch)],
      ['done', 13, ({ counts }) => `${doneOf(counts)}/${counts.total}`],
      ['failed', 6, ({ counts }) => String(counts.failed)],
      ['cost', 15, costCell],
      ['created', 24, ({ created_at }) => created_at],
      ['kind', 7, ({ kind }) => kind],
      ['name', 0, ({ name }) => t.clip(name ?? '', 40)],
    ])
    await t.writeRows(session, items, { table })
    return { data: items, notes: [next_cursor === null ? '' : 'There are more: --limit shows them.'] }
  },
})

const costCell = ({ cost_usd, uncertain_usd }: Batch): string => {
  const shown = cost_usd === null ? '?' : t.dollars(cost_usd)
  return uncertain_usd > 0 ? `${shown} (+${t.dollars(uncertain_usd)}?)` : shown
}

async function showBatch(session: Session, id: string, follow = false): Promise<Answer> {
  const batch = await f.lookAt(session, id, follow)
  const name = batch.name === null ? '' : ` ${t.oneLine(batch.name)}`
  const begun = f.isOrphan(session, batch) ? 'begun' : 'created'
  // The time of a state before the end is not stored.
  const since = batch.finished_at === null ? `, ${begun} ${batch.created_at}` : ` since ${batch.finished_at}`
  const wait = waitsForWorker(batch) ? ` (${t.oneLine(batch.parked_reason ?? '')})` : ''
  const state = `${batch.id}${name}: ${f.stateOf(session, batch)}${wait}${since}`
  const text = t.present([state, summary(batch), roundText(batch)]).join('\n')
  const code = f.restsFor(session, batch, follow) ? EXIT.parked : exitOfCounts(batch.counts)
  return { data: batch, text: `${text}\n`, notes: [f.restText(session, batch)], code }
}

type ResultsOptions = o.Options & { readonly wait?: boolean; readonly values?: LabelValues }

export const results = sessionCommand<ResultsOptions, [id: string]>('results', {
  args: BATCH,
  options: [
    ...[...o.output(o.RESULTS_FORMATS), o.STRICT_UNREAD],
    o.option('-w, --wait', 'follow the batch to its end first'),
    o.option('--values <label=number,…>', 'with -o inspect: numbers of labels; others stay unscored', parseValues),
  ],
  async work(session, { out, ...options }, id) {
    const { format } = session
    if (options.values !== undefined && format !== 'inspect') throw new CliError('--values is for --output inspect')
    if (format === 'inspect' && out?.toLowerCase().endsWith('.jsonl') === false)
      throw new CliError('Inspect reads JSON lines from a file whose name ends in .jsonl')
    const batch = await f.lookAt(session, id, options.wait)
    if (format !== 'bundle') return f.writeEnds(session, batch, options, options.wait === true)
    const folder = out ?? `bundle-${batch.id}`
    await writeBundle(session, batch, folder)
    const items = count(batch.counts.total, 'item')
    return { data: { batch, folder }, text: `${t.oneLine(folder)}: ${items}; manifest.json lists its files\n` }
  },
})

export const resume = sessionCommand<o.Options, [id: string]>('resume', {
  args: BATCH,
  options: [...o.ITEMS, o.DETACH, o.STRICT_UNREAD],
  async work(session, options, id) {
    const { veridict, view, local } = session
    const before = await veridict.batch(id)
    const isParked = before.status === 'parked'
    // A running service goes on with its open batches by itself.
    const goesOn = isParked || (local !== null && !isSettled(before))
    const now = goesOn ? await veridict.resume(id) : before
    if (!isParked) view.note(`${id} is not parked: it is ${before.status}`)
    return f.finishBatch(session, now, options)
  },
})

export const cancel = sessionCommand<o.Options, [id: string]>('cancel', {
  args: BATCH,
  async work(session, _options, id) {
    const { veridict } = session
    const before = await veridict.batch(id)
    if (f.isEnded(before))
      throw new CliError(`${id} has ended already: it is ${before.status}`, [`Its results: veridict results ${id}`])
    const ended = await f.watchBatch(session, await veridict.cancel(id))
    const { total, ...counts } = ended.counts
    return { data: ended, text: `${id} is ${ended.status}: ${count(total, 'item')} · ${t.tally(counts)}\n` }
  },
})

type RegradeOptions = o.Options &
  Pick<RegradeRequest['query'], 'label' | 'status'> & {
    readonly grade?: string[]
    readonly judge_was?: string
    readonly rubric_was?: string
    readonly recheck?: boolean
  }

const STORED = [
  o.option('-b, --batch <id>', 'grades of this batch'),
  o.option('--grade <id>', 'this grade; may be repeated', o.collect),
  o.option('--label <label>', 'grades with this label of their rubric'),
  o.choice('--status <status>', 'grades of this status', GRADE_STATUSES),
  o.option('--judge-was <name>', 'grades of this judge'),
  o.option('--rubric-was <id>', 'grades under this rubric, id@version or an id for all of its versions'),
  ...o.filters('agent', 'model', 'task'),
]
const RECHECK = o.option('--recheck', 'check the stored replies again under today’s evidence rules; no judge is asked')

export const regrade = sessionCommand<RegradeOptions>('regrade', {
  options: [...STORED, ...o.GRADING, o.DETACH, ...o.ITEMS, RECHECK],
  async work(session, options) {
    const { veridict, view, flag, json } = session
    const request = regradeRequest(options)
    if (options.dry_run) return f.estimateAnswer(session, await veridict.estimateRegrade(request), options.judge)
    const begun = await veridict.regrade(request)
    view.note(`${begun.id}: ${count(begun.counts.total, 'item')}; items without a grade and equal items are left out`)
    const answer = await f.finishBatch(session, begun, options)
    if (json || options.detach || answer.code === EXIT.parked) return answer
    return { ...answer, notes: [...(answer.notes ?? []), `What changed: veridict compare ${begun.id}${flag}`] }
  },
})

/** Builds the request, of which the service refuses contradictory options. Throws where no option selects grades. */
function regradeRequest(options: RegradeOptions): RegradeRequest {
  const { grade: ids, judge_was, rubric_was, recheck } = options
  const query = {
    ...o.chosen(options, 'batch', 'label', 'status', 'agent', 'model', 'task'),
    ...defined({ ids, judge: judge_was, rubric: rubric_was }),
  }
  if (Object.keys(query).length === 0)
    throw new CliError('which grades? Nothing chooses them', [
      'Give --batch ID, or any of --grade --label --status --judge-was --rubric-was --agent --model --task.',
    ])
  return { query, ...o.settingsOf(options), ...(recheck && { recheck }) }
}
