import { stringify } from 'csv-stringify/sync'
import type { Batch, BatchResult } from '../schemas/batch.ts'
import { costText, unknownCalls } from './cost-text.ts'
import { line } from './ndjson.ts'
import type { OutputTarget } from './output-target.ts'
import { clip, clipFront, count, LABEL_STYLE, oneLine, type Paint, pad, tally } from './terminal-text.ts'

export const OUTPUT_FORMATS = ['table', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** The columns of `--output csv`, in order. */
export const CSV_COLUMNS = [
  'item_id',
  'index',
  'status',
  'label',
  'grade_id',
  'failure_code',
  'failure_message',
  'retryable',
  'cached',
  'base_grade_id',
  'agent',
  'model',
  'task',
  'trial',
  'run_index',
  'variant',
] as const

export const OUTPUT_HELP = `Output (--output, to stdout or --out FILE; progress goes to stderr):
  table   a row an item (an item of a re-grade by its trial), then the counts
  ndjson  a JSON object an item, as GET /v1/batches/{id}/results gives it, names as they are
  csv     ${CSV_COLUMNS.slice(0, 10).join(', ')},
          ${CSV_COLUMNS.slice(10).join(', ')};
          an absent value is empty; control characters are shown escaped, and a text that a spreadsheet would take
          for a formula (it begins with = + - @) gets a leading apostrophe`

/** Writes results in the order they come, one at a time; then, in a table, what they come to. */
export async function writeResults(
  target: OutputTarget,
  format: OutputFormat,
  results: AsyncIterable<BatchResult>,
  batch: Batch,
  paint: Paint,
): Promise<void> {
  if (format === 'csv') await target.write(csvLine([...CSV_COLUMNS]))
  if (format === 'table') await target.write(`${paint('bold', tableRow(TABLE_HEAD))}\n`)
  for await (const result of results) await target.write(formatResult(result, format, paint))
  if (format === 'table') await target.write(`\n${summary(batch, paint)}\n`)
}

function formatResult(result: BatchResult, format: OutputFormat, paint: Paint): string {
  if (format === 'ndjson') return line(result)
  return format === 'csv' ? csvLine(csvCells(result)) : `${tableRow(tableCells(result, paint))}\n`
}

const TABLE_HEAD = ['item', 'status', 'label', 'grade', 'why']
/** Ids are a prefix and 26 digits. */
const WIDTHS = [40, 10, 15, 30] as const
const tableRow = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => pad(cell, WIDTHS[index] ?? 0))
    .join('  ')
    .trimEnd()

const STATUS_STYLE = { graded: 'white', unverified: 'yellow', failed: 'red', cancelled: 'gray' } as const

/** An item of a re-grade is called by the old grade's id, which says nothing to people: its trial does. */
const nameOf = ({ item_id, base_grade_id, metadata }: BatchResult): string =>
  base_grade_id === null || item_id !== base_grade_id ? item_id : (metadata.trial ?? metadata.task ?? item_id)

function tableCells(result: BatchResult, paint: Paint): string[] {
  const { failure, label } = result
  const why =
    failure === null ? (result.cached ? 'from the cache' : '') : clip(`${failure.code}: ${failure.message}`, 120)
  return [
    clipFront(nameOf(result), 40),
    paint(STATUS_STYLE[result.status], result.status),
    label === null ? '–' : paint(LABEL_STYLE[label] ?? 'white', label),
    clip(result.grade_id ?? '–', 30),
    paint('dim', why),
  ]
}

/** `400 items · graded 380 · …`, the labels, the failures, the cost. */
export function summary(batch: Batch, paint: Paint): string {
  const { total, ...rest } = batch.counts
  const unknown = unknownCalls(batch)
  const calls = [
    count(batch.calls.made, 'call'),
    `${batch.cached} from the cache`,
    ...(unknown === '' ? [] : [unknown]),
  ]
  const rows = [
    `${paint('bold', count(total, 'item'))} · ${tally(rest)}`,
    tally(batch.labels) === '' ? '' : `labels    ${tally(batch.labels)}`,
    tally(batch.failures) === '' ? '' : `failures  ${tally(batch.failures)}`,
    [costText(batch), ...calls].join(' · '),
  ]
  return rows.filter((row) => row !== '').join('\n')
}

type Cell = string | number | boolean | null | undefined

function csvCells({ failure, metadata, ...result }: BatchResult): Cell[] {
  return [
    result.item_id,
    result.index,
    result.status,
    result.label,
    result.grade_id,
    failure?.code,
    failure?.message,
    failure?.retryable,
    result.cached,
    result.base_grade_id,
    metadata.agent,
    metadata.model,
    metadata.task,
    metadata.trial,
    metadata.run_index,
    metadata.variant,
  ]
}

/** One record. Numbers stay numbers; texts are guarded, whoever wrote them. */
export const csvLine = (cells: readonly Cell[]): string =>
  stringify([cells.map((cell) => (typeof cell === 'string' ? oneLine(cell) : cell))], {
    escape_formulas: true,
    cast: { boolean: String },
  })
