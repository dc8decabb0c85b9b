import { parse } from 'csv-parse/sync'
import { count } from '../../domain/count.ts'
import type { Issue } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/exact-json.ts'

/** The place in a row, by column. `cue.anchors` is accepted for `cue_anchors`. */
const COLUMNS: Readonly<Record<string, readonly [string, string?]>> = {
  __proto__: null as never,
  task: ['task'],
  trial: ['trial'],
  variant: ['variant'],
  expected_in: ['expected_in'],
  domain: ['domain'],
  subcategory: ['subcategory'],
  instruction: ['instruction'],
  cue: ['cue', 'text'],
  cue_text: ['cue', 'text'],
  cue_anchors: ['cue', 'anchors'],
  cue_action_anchors: ['cue', 'action_anchors'],
  cue_acted_by: ['cue', 'acted_by'],
  distractor: ['distractor', 'text'],
  distractor_text: ['distractor', 'text'],
  distractor_anchors: ['distractor', 'anchors'],
  distractor_action_anchors: ['distractor', 'action_anchors'],
  distractor_acted_by: ['distractor', 'acted_by'],
  appeared: ['signals', 'appeared'],
  executed: ['signals', 'executed'],
  resolved: ['signals', 'resolved'],
}

const COLUMN_NAMES = Object.keys(COLUMNS).join(', ')

export interface ReadRow {
  /** The place in the file: `line 7`. */
  readonly at: string
  readonly row: unknown
}

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/**
 * Reads the rows of a CSV file with a header line. Anchors and expected places are a JSON array of texts, or one per line of the cell;
 * signals are `true`/`false`, `yes`/`no` or `1`/`0`; an empty cell leaves its member out.
 */
export function readTruthCsv(text: string): { rows: ReadRow[]; issues: Issue[] } {
  const issues: Issue[] = []
  let records: CsvRecord[]
  try {
    records = parseRecords(text)
  } catch (error) {
    return { rows: [], issues: [csvIssue(text, error as CsvFault)] }
  }
  const [head, ...rest] = records
  const columns = (head?.record ?? []).map((name) => name.trim().toLowerCase().replaceAll('.', '_'))
  if (head?.record.length === 1 && columns[0]?.includes(';'))
    return { rows: [], issues: [{ path: 'line 1', message: 'columns are separated by commas, not by semicolons' }] }
  for (const [index, column] of columns.entries()) {
    if (COLUMNS[column] === undefined)
      issues.push({ path: 'line 1', message: `unknown column ${quoted(column)}; there are: ${COLUMN_NAMES}` })
    else if (columns.indexOf(column) < index)
      issues.push({ path: 'line 1', message: `column ${column} is there twice` })
  }
  if (rest.length > 1 && !columns.includes('task') && !columns.includes('trial'))
    issues.push({
      path: 'line 1',
      message: `no column task or trial says whose a row is; it has: ${columns.join(', ')}`,
    })
  if (issues.length > 0) return { rows: [], issues }
  const rows = rest.flatMap(({ record }, index): ReadRow[] => {
    const before = rest[index - 1]?.info.lines ?? head?.info.lines ?? 0
    const at = `line ${before + 1}`
    if (record.length === columns.length) return [{ at, row: rowOf(columns, record, at, issues) }]
    const todo = record.length > columns.length ? TOO_MANY : TOO_FEW
    issues.push({ path: at, message: `has ${count(record.length, 'cell')}, the header ${columns.length}: ${todo}` })
    return []
  })
  return { rows, issues }
}

const TOO_MANY = 'put a text that holds a comma between quotation marks ("…")'
const TOO_FEW = 'write every cell, an empty one where there is nothing to say'

/** Options of the parser. Rows with a wrong count of cells are checked later, because the parser would report only the first. */
const OPTIONS = { bom: true, info: true, skip_empty_lines: true, relax_column_count: true, max_record_size: 10_000_000 }

const parseRecords = (text: string, more?: { readonly to: number }): CsvRecord[] =>
  parse(text, { ...OPTIONS, ...more }) as unknown as CsvRecord[]

interface CsvFault {
  readonly code?: string
  /** The line up to which the parser read. */
  readonly lines?: number
  /** Count of records before the fault. */
  readonly records?: number
}

const NO_QUOTE = 'a quotation mark is opened and never closed: close it, and write one inside of a text twice ("")'
const STRAY_QUOTE =
  'a quotation mark stands inside of a text: put the whole text between quotation marks, and write those in it twice ("")'
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: NO_QUOTE,
  CSV_MAX_RECORD_SIZE: `the row that begins here is too long, or ${NO_QUOTE}`,
  INVALID_OPENING_QUOTE: STRAY_QUOTE,
  CSV_INVALID_CLOSING_QUOTE: STRAY_QUOTE,
}

/** Words a fault of the parser, with the line on which the row begins: an open quotation mark runs to the end of the file. */
function csvIssue(text: string, { code = '', lines = 1, records = 0 }: CsvFault): Issue {
  const isStray = FAULTS[code] === STRAY_QUOTE
  const before = isStray || records === 0 ? [] : parseRecords(text, { to: records })
  const line = isStray ? lines : (before.at(-1)?.info.lines ?? 0) + 1
  return { path: `line ${line}`, message: FAULTS[code] ?? 'is not CSV' }
}

function rowOf(columns: readonly string[], cells: readonly string[], at: string, issues: Issue[]): unknown {
  const row: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    const [field, member] = COLUMNS[column] ?? []
    if (cell.trim() === '' || field === undefined) continue
    if (field === 'expected_in') row[field] = cellList(cell)
    else if (member === undefined) row[field] = cell
    else row[field] = { ...(row[field] as object | undefined), [member]: cellValue(column, member, cell, at, issues) }
  }
  return row
}

const TRUE = new Set(['true', 'yes', '1'])
const FALSE = new Set(['false', 'no', '0'])

function cellValue(column: string, member: string, cell: string, at: string, issues: Issue[]): unknown {
  const word = cell.trim()
  if (member.endsWith('anchors')) return cellList(cell)
  if (member === 'acted_by') return word
  if (member === 'text') return cell
  if (TRUE.has(word.toLowerCase())) return true
  if (FALSE.has(word.toLowerCase())) return false
  issues.push({ path: at, message: `${column} must be true or false, not ${quoted(word)}` })
  return undefined
}

/** Reads a list from a cell: a JSON array, or one item a line. */
function cellList(cell: string): unknown {
  const list = cell.trim().startsWith('[') ? parseJson(cell.trim()) : undefined
  return list ?? cell.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40).toWellFormed())
