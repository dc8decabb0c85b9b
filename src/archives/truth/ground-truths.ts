export type { GroundTruths, MatchedTruth, TruthNames } from './truth-rows.ts'

import { realpath } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/json.ts'
import { count } from '../../domain/words.ts'
import { isRecord, type Json, pointer } from '../../formats/common/reading.ts'
import { SIGNALS } from '../../schemas/trial.ts'
import { DEFAULT_LIMITS } from '../unpack/limits.ts'
import { codeOf, type Place, readText } from '../unpack/place.ts'
import { findRepeated, type GroundTruths, isTruthRow, type NamedTruth, parseTruthRow, truthsIn } from './truth-rows.ts'

const MAX_ISSUES = 100

/**
 * Reads one file of ground truths: NDJSON (a row a line), JSON (an array of rows, one row, or rows by task) or CSV with a header line
 * (`task, trial, variant, instruction, cue, distractor, cue_anchors, …, appeared, executed, resolved`).
 *
 * A row names a `task`, or a `trial` to which alone it applies; the only row of a file may name neither, and then applies to all. A row
 * with a `variant` applies only to the runs of that variant. `instruction` may be left out where the trials' own files hold the user's
 * request. `rubric`: the rubric of the ground truths; the service checks the members for any rubric but the default.
 *
 * Any fault refuses the file: a grade against half of the truth would look like any other. Issues name `line 7` (NDJSON, CSV) or a JSON
 * pointer.
 *
 * @example
 * const truths = await loadGroundTruths('truths.ndjson')
 * if (!truths.ok) report(truths.error)   // [{ path: 'line 7', message: 'task "fix-git" is on line 3 already' }]
 */
export async function loadGroundTruths(path: string, rubric?: string): Promise<Result<GroundTruths, Issue[]>> {
  try {
    return await readGroundTruths({ path: await realpath(path), shown: path }, DEFAULT_LIMITS.max_file_bytes, rubric)
  } catch (error) {
    return err([{ path: '', message: `cannot be read: ${codeOf(error)}` }])
  }
}

/** Reads ground truths like `loadGroundTruths`, from a file of a walk; a link is not followed. */
export async function readGroundTruths(
  place: Place,
  maxBytes: number,
  rubric?: string,
): Promise<Result<GroundTruths, Issue[]>> {
  const read = await readText(place, maxBytes)
  if (read.kind !== 'read') return err([{ path: '', message: read.detail }])
  if (read.warnings.length > 0) return err([{ path: '', message: 'the file is not UTF-8' }])
  return parseGroundTruths(read.text, place.shown, rubric)
}

export function parseGroundTruths(text: string, source: string, rubric?: string): Result<GroundTruths, Issue[]> {
  const { rows, issues } = readRows(text)
  const named: { readonly at: string; readonly row: NamedTruth }[] = []
  for (const { at, row } of rows) {
    const parsed = parseTruthRow(row, at, rubric)
    if (parsed.ok) named.push({ at, row: parsed.value })
    else issues.push(...parsed.error)
    if (issues.length >= MAX_ISSUES) break
  }
  if (issues.length === 0 && named.length === 0) issues.push({ path: '', message: 'holds no ground truth' })
  if (issues.length === 0) findRepeated(named, issues)
  if (issues.length > 0) return err(inOrder(issues).slice(0, MAX_ISSUES))
  const rowsInOrder = named.map(({ row }) => row)
  return ok(truthsIn(source, rowsInOrder))
}

/** Sorts issues by line or index: lines that are not JSON were reported before rows that are invalid. */
function inOrder(issues: readonly Issue[]): Issue[] {
  const numberOf = ({ path }: Issue): number => {
    const digits = path.startsWith('line ') ? path.slice(5).split(',')[0] : path.split('/')[1]
    const number = Number(digits)
    return Number.isInteger(number) ? number : 0
  }
  return [...issues].sort((a, b) => numberOf(a) - numberOf(b))
}

function readRows(text: string): { rows: ReadRow[]; issues: Issue[] } {
  const start = text.trimStart()
  if (start === '') return { rows: [], issues: [] }
  if (!start.startsWith('{') && !start.startsWith('[')) return readTruthCsv(text)
  const whole = parseJson(text)
  if (Array.isArray(whole)) return { rows: whole.map((row: unknown, at) => ({ at: pointer('', at), row })), issues: [] }
  if (isRecord(whole)) return rowsOf(whole)
  return readLines(text)
}

/** Returns the rows of an object: one row, or rows by task. */
function rowsOf(whole: Json): { rows: ReadRow[]; issues: Issue[] } {
  if (isTruthRow(whole)) return { rows: [{ at: '', row: whole }], issues: [] }
  const rows = Object.entries(whole).map(([task, row]): ReadRow => {
    const named = isRecord(row) && row['task'] === undefined && row['trial'] === undefined
    return { at: pointer('', task), row: named ? { ...row, task } : row }
  })
  return { rows, issues: [] }
}

function readLines(text: string): { rows: ReadRow[]; issues: Issue[] } {
  const rows: ReadRow[] = []
  const issues: Issue[] = []
  let line = 0
  // The lines are walked, not split: a file of 64 MiB may hold as many lines.
  for (let from = 0; from < text.length && issues.length < MAX_ISSUES; ) {
    const end = text.indexOf('\n', from)
    const content = text.slice(from, end === -1 ? text.length : end).trim()
    from = end === -1 ? text.length : end + 1
    const at = `line ${++line}`
    const row = content === '' ? null : parseJson(content)
    if (row === undefined) issues.push({ path: at, message: 'is not JSON' })
    else if (content !== '') rows.push({ at, row })
  }
  return { rows, issues }
}

/** The place in a row, by column. `cue.anchors` is accepted for `cue_anchors`. */
const COLUMNS: ReadonlyMap<string, readonly [field: string, member?: string]> = new Map<string, [string, string?]>([
  ...['task', 'trial', 'variant', 'expected_in', 'domain', 'subcategory', 'instruction'].map(
    (field): [string, [string]] => [field, [field]],
  ),
  ...['cue', 'distractor'].flatMap((field): [string, [string, string]][] => [
    [field, [field, 'text']],
    ...['text', 'anchors', 'action_anchors', 'acted_by'].map((member): [string, [string, string]] => [
      `${field}_${member}`,
      [field, member],
    ]),
  ]),
  ...SIGNALS.map((signal): [string, [string, string]] => [signal, ['signals', signal]]),
])
const COLUMN_NAMES = [...COLUMNS.keys()].join(', ')

interface ReadRow {
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
function readTruthCsv(text: string): { rows: ReadRow[]; issues: Issue[] } {
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
    if (!COLUMNS.has(column))
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
    const [field, member] = COLUMNS.get(column) ?? []
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
