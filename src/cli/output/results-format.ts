import { count } from '../../domain/words.ts'
import type { Batch, BatchResult, ResultGrade } from '../../schemas/batch.ts'
import { withId } from './grade-text.ts'
import { code, escaped, markdownOf } from './markdown-rows.ts'
import type { OutputTarget } from './output-target.ts'
import { cachedText } from './progress.ts'
import { type Cell, csvOf, type Field, tableOf } from './table.ts'
import {
  clip,
  clipFront,
  costText,
  LABEL_STYLE,
  limitRows,
  line,
  newTally,
  type Paint,
  type ResultsTally,
  roundUsd,
  tally,
  tallyLimit,
  unknownCalls,
  unreadText,
} from './text.ts'

export const OUTPUT_FORMATS = ['table', 'ndjson', 'csv'] as const
/** Formats of commands that write the items of a batch. */
export const ITEM_FORMATS = [...OUTPUT_FORMATS, 'markdown'] as const
/** Formats of `results`: scores for Inspect and bundles belong to this command alone. */
export const RESULTS_FORMATS = [...ITEM_FORMATS, 'inspect', 'bundle'] as const
export type OutputFormat = (typeof RESULTS_FORMATS)[number]

type Column = Field<BatchResult>

const ofResult = (...names: readonly Extract<keyof BatchResult, string>[]): Column[] =>
  names.map((name) => [name, (result) => result[name] as Cell])
const ofMetadata = (...names: readonly Extract<keyof BatchResult['metadata'], string>[]): Column[] =>
  names.map((name) => [name, ({ metadata }) => metadata[name]])

/** The columns of CSV, in order. */
const COLUMNS: readonly Column[] = [
  ...ofResult('item_id', 'index', 'status', 'label', 'grade_id'),
  ['failure_code', ({ failure }) => failure?.code],
  ['failure_message', ({ failure }) => failure?.message],
  ['retryable', ({ failure }) => failure?.retryable],
  ...ofResult('cached', 'base_grade_id'),
  ...ofMetadata('agent', 'model', 'task', 'trial', 'run_index', 'variant'),
  ['confidence', ({ grade }) => grade?.confidence.reported],
  ['confidence_source', ({ grade }) => grade?.confidence.source],
  ['contradictions', ({ grade }) => codesOf(grade)],
  ['claimed_label', ({ grade }) => grade?.claimed_label],
  ['unmet', ({ grade }) => grade?.unmet.map(({ claim, reason }) => `${claim}: ${reason}`).join('; ')],
  ['cost_usd', ({ grade }) => (grade?.cost_usd == null ? grade?.cost_usd : roundUsd(grade.cost_usd))],
  ['unread_records', ({ grade }) => grade?.unread?.records],
  ['unread_actions', ({ grade }) => grade?.unread?.actions],
  ['outcome', ({ grade }) => grade?.outcome],
  ...ofResult('judge', 'rubric'),
  ['limit_code', ({ grade }) => grade?.confidence.limit?.code],
  ['limit_reason', ({ grade }) => grade?.confidence.limit?.reason],
  ['limit_lift', ({ grade }) => grade?.confidence.limit?.lift],
]
const CSV_COLUMNS = COLUMNS.map(([name]) => name)

export const OUTPUT_HELP = `Output (--output, to stdout or --out FILE; progress goes to stderr):
  table   a row an item (an item of a re-grade by its trial), then the counts; \`!\` after a label: a signal or the agent's
          own steps contradict it; \`capped\`: the evidence allows no higher confidence; why: of a low or medium confidence
          the reason; unread: records of the trajectory that could not be read
  ndjson  a JSON object an item, as GET /v1/batches/{id}/results gives it, names as they are; \`grade\` has the judge, confidence,
          contradictions, unmet claims, claimed_label, evidence, cost_usd and unread (null without a grade)
  csv     ${CSV_COLUMNS.slice(0, 10).join(', ')},
          ${CSV_COLUMNS.slice(10, 16).join(', ')},
          ${CSV_COLUMNS.slice(16).join(', ')},
          claim.<id> for each claim of the rubrics of the batch (unclear: the judge could not tell; –: does not apply; a list as JSON)
          (limit_*: why the confidence is not higher, and what would lift it; contradictions: codes, one or more; unmet: what a claim lacks; unread_actions: of the unread records, those
          that may hold acts of the agent);
          an absent value is empty; control characters are shown escaped, and a text that a spreadsheet would take
          for a formula (it begins with = + - @) gets a leading apostrophe
  markdown  the table for a pull request: everything of a run is text there, no link and no mention; it ends before a
          comment's 65,536 characters and says how many rows are missing`

/**
 * Writes results in their order, and the summary below a table. Returns the tally of the results. `claims`: claim columns of a CSV, from
 * all rubrics of the batch, since the first row does not show them all.
 */
export async function writeResults(
  target: Pick<OutputTarget, 'screen' | 'write'>,
  format: OutputFormat,
  results: AsyncIterable<BatchResult>,
  ended: Batch,
  paint: Paint,
  claims: readonly string[],
  skipped = 0,
): Promise<ResultsTally> {
  const markdown = markdownOf(MARKDOWN)
  const rows = {
    ...{ markdown, table: screenTable(target.screen, paint), ndjson: { head: () => '', row: line } },
    csv: csvOf([...COLUMNS, ...claims.map(claimColumn)]),
  }[format as (typeof ITEM_FORMATS)[number]]
  await target.write(rows.head(paint))
  const all = newTally()
  for await (const result of results) {
    const { records = 0, actions = 0 } = result.grade?.unread ?? {}
    if (records > 0) all.items++
    all.records += records
    all.actions += actions
    tallyLimit(all, result)
    if (!result.cached) all.known_usd += result.grade?.cost_usd ?? 0
    await target.write(rows.row(result))
  }
  if (format === 'table') await target.write(`\n${summary(ended, paint, all, skipped)}\n`)
  if (format === 'markdown') await target.write(markdown.foot(summary(ended, (_style, text) => text, all, skipped)))
  return all
}

const MOST_NAME = 120

/** The cells of a pull request. */
export const MARKDOWN: Parameters<typeof markdownOf<BatchResult>>[0] = [
  ['item', (result) => code(clipFront(nameOf(result), MOST_NAME))],
  ['status', ({ status }) => escaped(status)],
  ['label', ({ label, grade }) => (label === null ? '–' : `${code(clip(label, MOST_NAME))}${mark(grade, ' ⚠')}`)],
  ['confidence', (result) => escaped(confidenceCell(result))],
  ['unread', ({ grade }) => String(grade?.unread?.records ?? '–')],
  ['why', (result) => code(clip(whyOf(result), 200))],
]

/** Marks a contradicted grade. */
const mark = (grade: ResultGrade | null, sign: string): string => (grade?.contradictions.length ? sign : '')

const LEAST_NAME = 40
/** The columns between the name and the reason. */
const BETWEEN = 91

/**
 * Builds the table of a screen. The name has the rest of the terminal, or of 100 characters in a pipe, and is never too narrow to tell trials apart;
 * where the output is no terminal, long reasons stay whole.
 */
function screenTable({ columns, isTTY }: OutputTarget['screen'], paint: Paint) {
  const width = Math.max(LEAST_NAME, (columns || 100) - BETWEEN)
  return tableOf<BatchResult>([
    ['item', width, (result) => clipFront(nameOf(result), width)],
    ['status', 10, ({ status }) => paint(STATUS_STYLE[status], status)],
    ['label', 17, ({ label, grade }) => labelText(label, paint) + mark(grade, ` ${paint('yellow', '!')}`)],
    ['confidence', 13, confidenceCell],
    ['unread', 6, ({ grade }) => unreadCell(grade, paint)],
    ['grade', 30, ({ grade_id }) => clip(grade_id ?? '–', 30)],
    ['why', 0, (result) => paint('dim', shownWhy(whyOf(result), result, isTTY !== true))],
  ])
}

const labelText = (label: string | null, paint: Paint): string =>
  label === null ? '–' : paint(LABEL_STYLE[label] ?? 'white', label)

const STATUS_STYLE = { graded: 'white', unverified: 'yellow', failed: 'red', cancelled: 'gray' } as const

/** Names an item. An item of a re-grade is named by its trial: its id is the id of the old grade. */
const nameOf = ({ item_id, base_grade_id, metadata }: BatchResult): string =>
  base_grade_id === null || item_id !== base_grade_id ? item_id : (metadata.trial ?? metadata.task ?? item_id)

/** Renders the failure of an item; else unmet claims, the limit of the confidence, and whether the grade came from the cache. */
function whyOf({ failure, cached, grade, grade_id, label }: BatchResult): string {
  if (failure !== null) return safeLine(`${failure.code}: ${withId(failure.message, grade_id)}`)
  const [unmet, ...more] = grade?.unmet ?? []
  const parts = [
    unmet === undefined ? '' : `${unmet.claim}: ${unmet.reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}`,
    limitText(grade, label),
    unreadText(grade?.unread ?? null),
    cached ? 'a grade of another item or of before' : '',
  ]
  return safeLine(parts.filter((part) => part !== '').join('; '))
}

/** No provider's message is longer. */
const LONGEST_WHY = 1000
const safeLine = (text: string): string => clip(text, LONGEST_WHY)

/** A terminal shows a cut reason and its command; a pipe shows the whole reason. */
const LONGEST_SHOWN = 160
function shownWhy(why: string, { grade_id }: BatchResult, whole: boolean): string {
  if (whole || why.length <= LONGEST_SHOWN) return why
  return `${clip(why, LONGEST_SHOWN)} (all of it: ${grade_id === null ? '-o ndjson' : 'veridict show GRADE'})`
}

const codesOf = (grade: ResultGrade | null): string =>
  [...new Set((grade?.contradictions ?? []).map(({ code }) => code))].join(' ')

/** Renders the code and the reason of the limit; a contradiction has a code of its own. Old grades have contradictions alone. */
function limitText(grade: ResultGrade | null, label: string | null): string {
  const codes = codesOf(grade)
  const limit = grade?.confidence.limit
  if (!limit || label === null) return codes
  return `${limit.code === 'contradiction' ? codes : limit.code}: ${limit.reason}`
}

function unreadCell(grade: ResultGrade | null, paint: Paint): string {
  const records = grade?.unread?.records
  if (records === undefined) return '–'
  return records === 0 ? '0' : paint('yellow', String(records))
}

/** Renders the summary of a batch: counts, labels, failures, skipped trials, cost. */
export function summary(batch: Batch, paint: Paint, all: ResultsTally = newTally(), skipped = 0): string {
  const { total, ...rest } = batch.counts
  const unknown = unknownCalls(batch)
  const calls = [
    count(batch.calls.made, 'call'),
    ...(batch.cached > 0 ? [cachedText(batch)] : []),
    ...(unknown === '' ? [] : [unknown]),
  ]
  const rows = [
    `${paint('bold', count(total, 'item'))} · ${tally(rest)}`,
    tally(batch.labels) === '' ? '' : `labels    ${tally(batch.labels)}`,
    ...limitRows(all),
    tally(batch.failures) === '' ? '' : `failures  ${tally(batch.failures)}`,
    all.items === 0 ? '' : `unread    ${unreadText(all)}, in ${count(all.items, 'item')}`,
    skipped === 0 ? '' : `skipped   ${count(skipped, 'trial')}, named on stderr with the reason`,
    [costText(batch, all.known_usd), ...calls].join(' · '),
  ]
  return rows.filter((row) => row !== '').join('\n')
}

const claimColumn = (id: string): Column => [`claim.${id}`, ({ grade }) => claimCell(id, grade?.claims?.[id])]

const claimCell = (id: string, value: NonNullable<ResultGrade['claims']>[string] | undefined): Cell =>
  value === null ? (id === 'surface.category' ? '–' : 'unclear') : Array.isArray(value) ? JSON.stringify(value) : value

/** Renders a confidence: `high`, `low capped` (by its limit), `high 80%` (of the votes). */
function confidenceCell({ grade, label }: BatchResult): string {
  if (grade === null || label === null) return '–'
  const { reported, source, vote_share } = grade.confidence
  const share = vote_share === null ? '' : `${Math.round(vote_share * 100)}%`
  return [reported ?? '', source === 'capped' ? 'capped' : '', share].filter((part) => part !== '').join(' ') || '–'
}
