import { realpath } from 'node:fs/promises'
import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord, type Json, pointer } from '../../formats/common/reading.ts'
import { DEFAULT_LIMITS } from '../unpack/limits.ts'
import { codeOf, type Place } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'
import { type ReadRow, readTruthCsv } from './truth-csv.ts'
import { isTruthRow, type NamedTruth, parseTruthRow } from './truth-row.ts'
import { type GroundTruths, tablesOf, truthsIn } from './truth-tables.ts'

export type { GroundTruths, MatchedTruth, TruthNames } from './truth-tables.ts'

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
  const tables = issues.length > 0 ? null : tablesOf(named, issues)
  if (tables === null || issues.length > 0) return err(inOrder(issues).slice(0, MAX_ISSUES))
  return ok(truthsIn(source, tables))
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
  for (let at = 0; at < text.length && issues.length < MAX_ISSUES; ) {
    const end = text.indexOf('\n', at)
    const stop = end === -1 ? text.length : end
    const content = text.slice(at, stop).trim()
    at = stop + 1
    line++
    if (content === '') continue
    const row = parseJson(content)
    if (row === undefined) issues.push({ path: `line ${line}`, message: 'is not JSON' })
    else rows.push({ at: `line ${line}`, row })
  }
  return { rows, issues }
}
