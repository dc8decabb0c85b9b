import { isSettled } from '../../client/persist.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import type { RegradeRequest } from '../../schemas/regrade.ts'
import { GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, strictCode } from '../errors.ts'
import { finishBatch, isEnded, watchBatch } from '../follow.ts'
import * as o from '../options.ts'
import { estimateAnswer } from '../output/results-format.ts'
import { tally } from '../output/text.ts'
import { sessionCommand } from '../session.ts'
import { countsText, openTrials, requireNames } from '../trials.ts'

const CANARY = o.option(
  '--canary <set>',
  'first grade canaries (a file, or `examples`), and begin only where the judge answers as before',
)

export const batch = sessionCommand<o.Options & { readonly canary?: string }, [paths: string[]]>(
  'batch',
  {
    args: o.TRIAL_PATHS,
    options: [...o.TRIALS, ...o.GRADING, CANARY, o.DETACH, ...o.ITEMS, o.STRICT],
    database: 'make',
  },
  async (session, options, paths) => {
    const { veridict, view, signal } = session
    const request = { ...o.settingsOf(options), signal }
    await requireNames(session, options)
    const { counts, send } = openTrials(session, paths, options)
    if (options.dry_run) {
      const estimate = await send((items) => veridict.estimateBatch(items, request))
      view.note(countsText(counts))
      const code = strictCode(EXIT.graded, options, counts.skipped + counts.unread)
      return { ...(await estimateAnswer(session, estimate, options.judge)), code }
    }
    if (options.canary !== undefined)
      await (await import('./canary-command.ts')).requireCanaries(session, options, options.canary)
    const begun = await send((items) => veridict.createBatch(items, request))
    view.note(`${begun.id}: ${countsText(counts)}`)
    return finishBatch(session, begun, { ...options, skipped: counts.skipped })
  },
)

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

export const regrade = sessionCommand<RegradeOptions>(
  'regrade',
  { options: [...STORED, ...o.GRADING, o.DETACH, ...o.ITEMS, RECHECK] },
  async (session, options) => {
    const { veridict, view, flag, json } = session
    const request = regradeRequest(options)
    if (options.dry_run) return estimateAnswer(session, await veridict.estimateRegrade(request), options.judge)
    const begun = await veridict.regrade(request)
    view.note(`${begun.id}: ${count(begun.counts.total, 'item')}; items without a grade and equal items are left out`)
    const answer = await finishBatch(session, begun, options)
    if (json || options.detach || answer.code === EXIT.parked) return answer
    return { ...answer, notes: [...(answer.notes ?? []), `What changed: veridict compare ${begun.id}${flag}`] }
  },
)

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

const BATCH = { '<batch>': 'its id or name' }

export const resume = sessionCommand<o.Options, [id: string]>(
  'resume',
  { args: BATCH, options: [...o.ITEMS, o.DETACH, o.STRICT_UNREAD] },
  async (session, options, id) => {
    const { veridict, view, local } = session
    const before = await veridict.batch(id)
    const isParked = before.status === 'parked'
    // A running service goes on with its open batches by itself.
    const goesOn = isParked || (local !== null && !isSettled(before))
    const now = goesOn ? await veridict.resume(id) : before
    session.batch = now
    if (!isParked) view.note(`${id} is not parked: it is ${before.status}`)
    return finishBatch(session, now, options)
  },
)

export const cancel = sessionCommand<o.Options, [id: string]>(
  'cancel',
  { args: BATCH },
  async (session, _options, id) => {
    const { veridict } = session
    const before = await veridict.batch(id)
    if (isEnded(before))
      throw new CliError(`${id} has ended already: it is ${before.status}`, [`Its results: veridict results ${id}`])
    const ended = await watchBatch(session, await veridict.cancel(id))
    const { total, ...counts } = ended.counts
    return { data: ended, text: `${id} is ${ended.status}: ${count(total, 'item')} · ${tally(counts)}\n` }
  },
)
