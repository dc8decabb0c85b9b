export type { GroundTruths, MatchedTruth, TruthNames } from './truth-rows.ts'

import { realpath } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { parseJson, pointer as placeOf, readBounded } from '../../domain/text/json.ts'
import { count } from '../../domain/words.ts'
import { isRecord, type Json, pointer } from '../../formats/common/reading.ts'
import { rubricHint } from '../../schemas/check.ts'
import { isDefaultRubric, SIGNALS } from '../../schemas/trial.ts'
import { DEFAULT_LIMITS } from '../unpack/limits.ts'
import { codeOf, type Place, readText } from '../unpack/place.ts'
import { findRepeated, type GroundTruths, isTruthRow, type NamedTruth, parseTruthRow, truthsIn } from './truth-rows.ts'

const MAX_ISSUES = 100

/**
 * Reads one file of ground truths: NDJSON (a row a line), JSON (an array of rows, one row, or rows by task) or CSV with a header line
 * (`task, trial, variant, instruction, cue, distractor, cue_anchors, …, appeared, executed, resolved`, and members of another `rubric`).
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
  const issues: Issue[] = []
  const named: { readonly at: string; readonly row: NamedTruth }[] = []
  for (const { at, row, fault } of readRows(text, rubric)) {
    const parsed = fault === undefined ? parseTruthRow(row, at, rubric) : err([{ path: at, message: fault }])
    if (parsed.ok) named.push({ at, row: parsed.value })
    else issues.push(...parsed.error)
    if (issues.length >= MAX_ISSUES) break
  }
  if (issues.length + named.length === 0) issues.push({ path: '', message: 'holds no ground truth' })
  if (issues.length === 0) findRepeated(named, issues)
  if (issues.length > 0) return err(issues.slice(0, MAX_ISSUES))
  const rowsInOrder = named.map(({ row }) => row)
  return ok(truthsIn(source, rowsInOrder))
}

/** A row at its place in the file (`line 7`), or a fault of the place. */
interface ReadRow {
  readonly at: string
  readonly row?: unknown
  readonly fault?: string
}

function readRows(text: string, rubric?: string): Iterable<ReadRow> {
  const start = text.trimStart()
  if (start === '') return []
  if (!start.startsWith('{') && !start.startsWith('[')) return readTruthCsv(text, rubric)
  const whole = readValue(text, 1)
  // A first line that is JSON by itself begins a file of rows.
  if (whole.fault !== undefined && parseJson(start.split('\n', 1)[0] ?? '') !== undefined) return readLines(text)
  if (Array.isArray(whole.row)) return whole.row.map((row: unknown, at) => ({ at: pointer('', at), row }))
  return isRecord(whole.row) ? rowsOf(whole.row) : [whole]
}

const BOUNDS = { depth: 500, nodes: Number.POSITIVE_INFINITY }

/** Causes of the marks at which most broken JSON stops. */
const CAUSES: Readonly<Record<string, string>> = {
  '}': ', at }, before which no comma may stand',
  ']': ', at ], before which no comma may stand',
  "'": ", at ': texts and names stand between double quotation marks",
  '"': ', at ", where a comma or a quotation mark is missing',
  '\n': ', at the end of the line: a quotation mark is opened and never closed',
}

/** Reads a JSON text that begins on a line, or places its fault. A key that stands twice is a fault: half of the truth would count. */
function readValue(text: string, line: number): ReadRow {
  const { value, error, refusal, keys } = readBounded(text, BOUNDS)
  if (error === -1) return { at: `line ${line}`, row: value }
  const mark = text.slice(error).trim() === '' ? '' : text.charAt(error)
  const before = (mark === '' ? text.trimEnd() : text.slice(0, error)).split('\n')
  const cause = mark === '' ? ': it ends too early' : (CAUSES[mark] ?? `, at ${mark}`)
  const at = `line ${line + before.length - 1}`
  if (refusal === 'duplicate_key') return { at, fault: `holds ${placeOf(keys)} twice` }
  return { at, fault: `is not JSON from column ${(before.at(-1) ?? '').length + 1} on${cause}` }
}

/** Returns the rows of an object: one row, or rows by task. */
function rowsOf(whole: Json): ReadRow[] {
  if (isTruthRow(whole)) return [{ at: '', row: whole }]
  return Object.entries(whole).map(([task, row]) => {
    const named = isRecord(row) && row['task'] === undefined && row['trial'] === undefined
    return { at: pointer('', task), row: named ? { ...row, task } : row }
  })
}

function* readLines(text: string): Generator<ReadRow> {
  let line = 0
  // The lines are walked, not split: a file of 64 MiB may hold as many lines.
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const content = text.slice(from, end === -1 ? text.length : end).trim()
    from = end === -1 ? text.length : end + 1
    line++
    if (content !== '') yield readValue(content, line)
  }
}

/** The place in a row, by column. `cue.anchors` is accepted for `cue_anchors`. */
const COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...['task', 'trial', 'variant', 'expected_in', 'domain', 'subcategory', 'instruction'].map((name) => [name, name]),
    ...['cue', 'distractor'].flatMap((field) => [
      [field, field, 'text'],
      ...['text', 'anchors', 'action_anchors', 'acted_by'].map((member) => [`${field}_${member}`, field, member]),
    ]),
    ...SIGNALS.map((signal) => [signal, 'signals', signal]),
  ].map(([column = '', ...place]) => [column, place]),
)
const COLUMN_NAMES = [...COLUMNS.keys()].join(', ')
const NO_FORM = `begins neither JSON ({ or [) nor CSV, whose first line has some of the columns ${COLUMN_NAMES}`

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** Reads the rows of a CSV file with a header: lists are JSON or a line each, signals true/false, yes/no or 1/0, empty cells absent. */
function readTruthCsv(text: string, rubric?: string): ReadRow[] {
  let records: CsvRecord[]
  try {
    records = parseRecords(text)
  } catch (error) {
    return [csvFault(text, error as CsvFault)]
  }
  const [head, ...rest] = records
  const columns = (head?.record ?? []).map((name) => name.trim().toLowerCase().replaceAll('.', '_'))
  const places = columns.map((column) => placeIn(column, columns, rubric))
  const faults = headFaults(columns, places, rest.length > 1)
  if (faults.length > 0) return faults.map((fault) => ({ at: 'line 1', fault }))
  return rest.flatMap(({ record }, index): ReadRow[] => {
    const at = `line ${((rest[index - 1] ?? head)?.info.lines ?? 0) + 1}`
    if (record.length === columns.length) return rowOf(columns, places, record, at)
    const todo = record.length > columns.length ? TOO_MANY : TOO_FEW
    return [{ at, fault: `has ${count(record.length, 'cell')}, the header ${columns.length}: ${todo}` }]
  })
}

const INSTRUCTION_PART = /^(.+?)_(text|anchors|action_anchors|acted_by)$/

/** Returns the place of a column in its row. A rubric other than the default has members of its own: texts, and parts of instructions. */
function placeIn(column: string, columns: readonly string[], rubric?: string): readonly string[] | undefined {
  if (COLUMNS.has(column) || isDefaultRubric(rubric) || column === '') return COLUMNS.get(column)
  const [, field = column, part = 'text'] = INSTRUCTION_PART.exec(column) ?? []
  return field !== column || columns.some((other) => INSTRUCTION_PART.exec(other)?.[1] === column)
    ? [field, part]
    : [field]
}

type Places = readonly (readonly string[] | undefined)[]

function headFaults(columns: readonly string[], places: Places, hasSeveral: boolean): string[] {
  if (columns.length === 1 && columns[0]?.includes(';')) return ['columns are separated by commas, not by semicolons']
  if (!columns.some((column) => COLUMNS.has(column))) return [NO_FORM]
  const isLost = hasSeveral && !columns.includes('task') && !columns.includes('trial')
  return [
    ...columns.flatMap((column, index) => {
      if (places[index] === undefined)
        return [
          `unknown column ${quoted(column)}; there are: ${COLUMN_NAMES}${rubricHint(column) || '; of another rubric (-r), its own members'}`,
        ]
      return columns.indexOf(column) < index ? [`column ${column} is there twice`] : []
    }),
    ...(isLost ? [`no column task or trial says whose a row is; it has: ${columns.join(', ')}`] : []),
  ]
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
function csvFault(text: string, { code = '', lines = 1, records = 0 }: CsvFault): ReadRow {
  const isStray = FAULTS[code] === STRAY_QUOTE
  const before = isStray || records === 0 ? [] : parseRecords(text, { to: records })
  const line = isStray ? lines : (before.at(-1)?.info.lines ?? 0) + 1
  return { at: `line ${line}`, fault: FAULTS[code] ?? 'is not CSV' }
}

/** Returns the row of some cells, behind the faults of its cells. */
function rowOf(columns: readonly string[], places: Places, cells: readonly string[], at: string): ReadRow[] {
  const row: Record<string, unknown> = {}
  const faults: ReadRow[] = []
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    const [field, member] = places[index] ?? []
    if (cell.trim() === '' || field === undefined) continue
    const value = cellValue(member ?? field, cell)
    if (value === undefined) faults.push({ at, fault: `${column} must be true or false, not ${quoted(cell.trim())}` })
    row[field] = member === undefined ? value : { ...(row[field] as object | undefined), [member]: value }
  }
  return [...faults, { at, row }]
}

const TRUTH_WORDS = new Map(Object.entries({ true: true, yes: true, 1: true, false: false, no: false, 0: false }))

/** Returns the value of a cell; undefined for a signal that is neither true nor false. */
function cellValue(member: string, cell: string): unknown {
  const word = cell.trim()
  if (member.endsWith('anchors') || member === 'expected_in') return cellList(cell)
  if (member === 'acted_by') return word
  if (!SIGNALS.some((signal) => signal === member)) return cell
  return TRUTH_WORDS.get(word.toLowerCase())
}

/** Reads a list from a cell: a JSON array, or one item a line. */
function cellList(cell: string): unknown {
  const list = cell.trim().startsWith('[') ? parseJson(cell.trim()) : undefined
  return list ?? cell.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40).toWellFormed())
