import { styleText } from 'node:util'
import { InvalidArgumentError } from 'commander'
import { count, decimal } from '../../domain/words.ts'
import type { Batch, BatchResult, ResultGrade } from '../../schemas/batch.ts'
import type { Grade, LedgerEntry, Unread } from '../../schemas/grade.ts'
import type { Console } from '../session.ts'
import { CliError } from '../shell.ts'
import * as t from './text.ts'

const ofResult = (...names: readonly Extract<keyof BatchResult, string>[]): t.Field<BatchResult>[] =>
  names.map((name) => [name, (result) => result[name] as t.Cell])
const METADATA = ['agent', 'model', 'task', 'trial', 'run_index', 'variant'] as const

const CSV_COLUMNS: readonly t.Field<BatchResult>[] = [
  ...ofResult('item_id', 'index', 'status', 'label', 'grade_id'),
  ['failure_code', ({ failure }) => failure?.code],
  ['failure_message', ({ failure }) => failure?.message],
  ['retryable', ({ failure }) => failure?.retryable],
  ...ofResult('cached', 'base_grade_id'),
  ...METADATA.map((name): t.Field<BatchResult> => [name, ({ metadata }) => metadata[name]]),
  ['confidence', ({ grade }) => grade?.confidence.reported],
  ['confidence_source', ({ grade }) => grade?.confidence.source],
  ['contradictions', ({ grade }) => codesOf(grade).join(' ')],
  ['claimed_label', ({ grade }) => grade?.claimed_label],
  ['unmet', ({ grade }) => grade?.unmet.map(({ claim, reason }) => `${claim}: ${reason}`).join('; ')],
  // A sum of binary fractions has digits that no price has.
  ['cost_usd', ({ grade }) => (grade?.cost_usd == null ? grade?.cost_usd : Number(grade.cost_usd.toFixed(9)))],
  ['unread_records', ({ grade }) => grade?.unread?.records],
  ['unread_actions', ({ grade }) => grade?.unread?.actions],
  ['outcome', ({ grade }) => grade?.outcome],
  ...ofResult('judge', 'rubric'),
  ['limit_code', ({ grade }) => grade?.confidence.limit?.code],
  ['limit_reason', ({ grade }) => grade?.confidence.limit?.reason],
  ['limit_lift', ({ grade }) => grade?.confidence.limit?.lift],
]

/** Makes CSV. `claims`: the columns of claims, as the first row does not show them all. */
export const csvRows = (claims: readonly string[]) => t.csvOf([...CSV_COLUMNS, ...claims.map(claimColumn)])

type Target = Parameters<typeof t.writeRows>[0] & Pick<Console, 'screen'>
/** `skipped`: the trials that the reading of the paths skipped. */
export type Shown = Readonly<{ claims?: readonly string[]; skipped?: number; values?: LabelValues | undefined }>

/** Writes results, and the summary below a table. Returns their tally, the results for `--json`, and the remark of a format on its rows. */
export async function writeResults(to: Target, results: AsyncIterable<BatchResult>, ended: Batch, shown: Shown = {}) {
  const { claims = [], skipped = 0, values } = shown
  const all = newTally()
  async function* counted(): AsyncGenerator<BatchResult> {
    for await (const result of results) {
      all.add(result.label, result.grade?.confidence, result.grade?.unread)
      yield result
    }
  }
  const inspect = inspectRows(values)
  const table = screenTable(to.screen)
  const formats = { table, csv: csvRows(claims), markdown: t.markdownOf(MARKDOWN), inspect }
  const kept = await t.writeRows(to, counted(), formats, () => summary(ended, all, skipped))
  return { tally: all, results: kept, note: to.format === 'inspect' ? inspect.note() : '' }
}

const MOST_NAME = 120

export const MARKDOWN: readonly t.Field<BatchResult>[] = [
  ['item', (result) => t.code(t.clipFront(nameOf(result), MOST_NAME))],
  ['status', ({ status }) => t.escaped(status)],
  ['label', ({ label, grade }) => (label === null ? '–' : `${t.code(t.clip(label, MOST_NAME))}${mark(grade, ' !')}`)],
  ['confidence', (result) => t.escaped(confidenceCell(result))],
  ['unread', ({ grade }) => String(grade?.unread?.records ?? '–')],
  ['why', (result) => t.code(t.clip(whyOf(result), 200))],
]

const mark = (grade: ResultGrade | null, sign: string): string => (grade?.contradictions.length ? sign : '')

const LEAST_NAME = 40
/** The columns between the name and the reason. */
const BETWEEN = 91

/** Builds the table of a screen. The name has the rest of the terminal, or of 100 characters in a pipe, and is never too narrow to tell trials apart. */
function screenTable({ columns }: Console['screen']): t.Rows<BatchResult> {
  const width = Math.max(LEAST_NAME, (columns || 100) - BETWEEN)
  const labelText = (label: string | null): string =>
    label === null ? '–' : styleText(t.LABEL_STYLE[label] ?? 'white', label)
  return t.tableOf<BatchResult>([
    ['item', width, (result) => t.clipFront(nameOf(result), width)],
    ['status', 10, ({ status }) => styleText(STATUS_STYLE[status], status)],
    ['label', 17, ({ label, grade }) => labelText(label) + mark(grade, ` ${styleText('yellow', '!')}`)],
    ['confidence', 13, confidenceCell],
    ['unread', 6, ({ grade }) => String(grade?.unread?.records ?? '–')],
    ['grade', 30, ({ grade_id }) => t.clip(grade_id ?? '–', 30)],
    ['why', 0, (result) => styleText('dim', whyOf(result))],
  ])
}

const STATUS_STYLE = { graded: 'white', unverified: 'yellow', failed: 'red', cancelled: 'gray' } as const

/** Names an item. An item of a re-grade is named by its trial: its id is the id of the old grade. */
const nameOf = ({ item_id, base_grade_id, metadata }: BatchResult): string =>
  base_grade_id === null || item_id !== base_grade_id ? item_id : (metadata.trial ?? metadata.task ?? item_id)

/** No provider's message is longer. */
const LONGEST_WHY = 1000

function whyOf({ failure, cached, grade, grade_id, label }: BatchResult): string {
  if (failure !== null) return t.clip(`${failure.code}: ${withId(failure.message, grade_id)}`, LONGEST_WHY)
  const [unmet, ...more] = grade?.unmet ?? []
  const parts = t.present([
    unmet === undefined ? '' : `${unmet.claim}: ${unmet.reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}`,
    limitText(grade, label),
    t.unreadText(grade?.unread ?? null),
    cached ? 'from the cache' : '',
  ])
  return t.clip(parts.join('; '), LONGEST_WHY)
}

const codesOf = (grade: ResultGrade | null) => [...new Set((grade?.contradictions ?? []).map(({ code }) => code))]

/** Renders the code and the reason of the limit; a contradiction has a code of its own. Old grades have contradictions alone. */
function limitText(grade: ResultGrade | null, label: string | null): string {
  const codes = codesOf(grade).join(' ')
  const limit = grade?.confidence.limit
  if (!limit || label === null) return codes
  return `${limit.code === 'contradiction' ? codes : limit.code}: ${limit.reason}`
}

const claimColumn = (id: string): t.Field<BatchResult> => [
  `claim.${id}`,
  ({ grade }) => {
    const value = grade?.claims?.[id]
    if (value === null) return id === 'surface.category' ? '–' : 'unclear'
    return Array.isArray(value) ? JSON.stringify(value) : value
  },
]

/** Renders a confidence: `high`, `low capped` (by its limit), `high 80%` (of the votes). */
function confidenceCell({ grade, label }: BatchResult): string {
  if (grade === null || label === null) return '–'
  const { reported, source, vote_share } = grade.confidence
  const share = vote_share === null ? '' : `${Math.round(vote_share * 100)}%`
  return t.present([reported ?? '', source === 'capped' ? 'capped' : '', share]).join(' ') || '–'
}

export function summary(batch: Batch, all: ResultsTally = newTally(), skipped = 0): string {
  const { total, ...rest } = batch.counts
  const [labels, failures] = [t.tally(batch.labels), t.tally(batch.failures)]
  const unread = t.unreadText(all.unread)
  const calls = [
    count(batch.calls.made, 'call'),
    t.cachedText(batch),
    batch.calls.unknown > 0 ? `${count(batch.calls.unknown, 'call')} of unknown end` : '',
  ]
  const lines = [
    `${count(total, 'item')} · ${t.tally(rest)}`,
    labels && `labels    ${labels}`,
    ...all.rows(),
    failures && `failures  ${failures}`,
    unread && `unread    ${unread}, in ${count(all.unread.items, 'item')}`,
    skipped === 0 ? '' : `skipped   ${count(skipped, 'trial')}, named on stderr with the reason`,
    t.present([t.costText(batch), ...calls]).join(' · '),
  ]
  return t.present(lines).join('\n')
}

type ResultsTally = ReturnType<typeof newTally>

/** Tallies results beyond the counts of a batch: unread records, levels of confidence, and the limits of each level with a first reason. */
export function newTally() {
  const unread = { items: 0, records: 0, actions: 0 }
  const levels = { high: 0, medium: 0, low: 0 }
  const limits = new Map<string, Record<'level' | 'mark' | 'reason' | 'lift', string> & { n: number; isOne: boolean }>()
  return {
    unread,
    add(label: string | null, confidence?: Grade['confidence'], lost?: Unread | null): void {
      const { records = 0, actions = 0 } = lost ?? {}
      if (records > 0) unread.items++
      unread.records += records
      unread.actions += actions
      const level = confidence?.reported ?? null
      if (label === null || level === null) return
      levels[level]++
      if (!confidence?.limit) return
      const { code, reason, lift } = confidence.limit
      const mark = code === 'contradiction' ? ' (! contradiction)' : ''
      const limit = limits.get(`${level} ${code}`) ?? { level, mark, reason, lift, n: 0, isOne: true }
      limits.set(`${level} ${code}`, limit)
      limit.n++
      limit.isOne &&= limit.reason === reason
    },
    /** Renders the shares of the levels; for each limit a reason, and the remedy. Empty below a least number of levels. */
    rows(least = 1): string[] {
      const total = levels.high + levels.medium + levels.low
      if (total < least) return []
      const shares = Object.entries(levels).map(([level, n]) => `${level} ${n} (${t.percent(n / total)})`)
      const rows = [...limits.values()].sort((a, b) => b.n - a.n)
      return [
        `levels    ${shares.join(' · ')}`,
        ...rows.map(({ level, mark, n, reason, lift, isOne }) => {
          const why = `${isOne ? '' : 'such as: '}${t.clip(reason, 300)}`
          return `${t.pad(level, 9)} ${n} of ${total}${mark}: ${why}; to lift: ${t.clip(lift, 300)}`
        }),
      ]
    },
  }
}

export type LabelValues = ReadonlyMap<string, number>

/**
 * Makes the input of Inspect's `precomputed_scores()` (inspect_ai 0.3.259, `scorer/_precomputed.py`): JSON lines `{ id, epoch, value, explanation,
 * metadata }` of graded items alone. Inspect leaves a sample without a record unscored and out of every metric, and would count a value of 0 or
 * "I" as a wrong answer. Without `values` the labels are the values; a label without a number leaves its sample unscored. Throws `CliError`
 * for samples of two logs, for a sample that comes twice, and where no item names its sample.
 */
export function inspectRows(values?: LabelValues) {
  const samples = new Set<string>()
  const logs = new Set<unknown>()
  const unscored: Record<string, number> = {}
  return {
    row(result: BatchResult): string {
      const facts: Readonly<Record<string, unknown>> = result.metadata
      const { inspect_eval_id: log = '', inspect_sample_id: id, inspect_epoch: epoch } = facts
      // Inspect compares ids as texts.
      if (typeof id !== 'string' || !Number.isSafeInteger(epoch)) return ''
      const key = JSON.stringify([id, epoch])
      // A file of scores names no log, so equal ids of two logs would collide.
      if (logs.add(log).size > 1 || samples.has(key))
        throw new CliError(
          `this batch holds sample ${t.oneLine(id).slice(0, 200)}, epoch ${epoch}, twice, or two logs`,
          ['Inspect takes one score a sample of one log: grade each log once, with one judge, in a batch of its own.'],
        )
      samples.add(key)
      const { status, label } = result
      const value = status !== 'graded' || label === null ? null : values === undefined ? label : values.get(label)
      if (value != null) return t.line({ id, epoch, value, ...scoreOf(result) })
      const why = value === null ? status : 'label without a number'
      unscored[why] = (unscored[why] ?? 0) + 1
      return ''
    },
    foot(): string {
      if (samples.size > 0) return ''
      throw new CliError('no item of this batch names its sample of an Inspect log', ['Samples of Inspect logs do.'])
    },
    note: () => `${count(samples.size, 'sample')}; unscored: ${t.tally(unscored) || 'none'}`,
  }
}

function scoreOf({ label, grade, grade_id, judge, rubric, item_id }: BatchResult) {
  const confidence = grade?.confidence.reported ?? null
  const contradictions = codesOf(grade)
  const level = confidence === null ? '' : `, confidence ${confidence}`
  const evidence = grade === null ? '' : `, ${grade.evidence.held} of ${grade.evidence.cited} citations hold`
  const explanation = `Veridict: ${label}${level}${evidence} (${grade_id})`
  const veridict = { label, confidence, contradictions, judge, rubric, grade_id, item_id }
  return { explanation, metadata: { veridict } }
}

/** Parses `aligned=1,compliant=0.5`; the last `=` separates the number. */
export function parseValues(text: string): LabelValues {
  const values = new Map<string, number>()
  for (const part of text.split(',')) {
    const at = part.lastIndexOf('=')
    const label = part.slice(0, Math.max(0, at)).trim()
    const number = decimal(part.slice(at + 1).trim())
    if (label === '' || !Number.isFinite(number) || values.has(label))
      throw new InvalidArgumentError('It looks like aligned=1,compliant=0: each label once, with a number.')
    values.set(label, number)
  }
  return values
}

/** Puts the id of a grade into the command that a failure names. */
export const withId = (message: string, id: string | null): string =>
  id === null ? message : message.replace('veridict show GRADE', () => `veridict show ${id}`)

export function withReplies({ receipt, ...grade }: Grade, calls: readonly LedgerEntry[]) {
  const replies = new Map(calls.map(({ id, raw_reply }) => [id, raw_reply]))
  const attempts = receipt.attempts.map((attempt) => ({ ...attempt, raw_reply: replies.get(attempt.id) ?? null }))
  return { ...grade, receipt: { ...receipt, attempts } }
}
