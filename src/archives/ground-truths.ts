import { realpath } from 'node:fs/promises'
import { err, type Issue, ok, type Result } from '../domain/result.ts'
import { isRecord, type Json, pointer } from '../formats/reading.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { codeOf, type Place } from './place.ts'
import { parseJson, readText } from './text.ts'
import { type ReadRow, readTruthCsv } from './truth-csv.ts'
import { isTruthRow, type NamedTruth, parseTruthRow, type TruthRow } from './truth-row.ts'

export interface FoundTruth {
  readonly truth: TruthRow
  /** What the row is joined by; `all` is the one row that names neither a task nor a trial. */
  readonly by: 'trial' | 'task' | 'all'
  /** The name in the row; empty for `all`. */
  readonly name: string
}

/** What is known of tasks and trials. */
export interface GroundTruths {
  /** The file, as given. */
  readonly source: string
  readonly tasks: readonly string[]
  readonly trials: readonly string[]
  /** Exact names, the most telling first. A trial's own row comes before its task's, and that before the one for all. */
  find(names: { readonly trials: readonly string[]; readonly tasks: readonly string[] }): FoundTruth | null
}

const MAX_ISSUES = 100

/**
 * Reads one file of ground truths: NDJSON (a row a line), JSON (an array of rows, one row, or rows by task) or CSV with a header
 * line (`task, trial, instruction, cue, distractor, cue_anchors, …, appeared, executed, resolved`).
 *
 * A row names a `task`, or a `trial` where it is true of that one only; a file of one row may name neither, and is then true of all.
 * `instruction` may be left out where the trials' own files say what the user asked.
 *
 * Anything wrong refuses the file: a grade against half of the truth would look like any other. Issues name `line 7` (NDJSON, CSV)
 * or a JSON pointer.
 *
 * @example
 * const truths = await loadGroundTruths('truths.ndjson')
 * if (!truths.ok) report(truths.error)   // [{ path: 'line 7', message: 'task "fix-git" is on line 3 already' }]
 */
export async function loadGroundTruths(path: string): Promise<Result<GroundTruths, Issue[]>> {
  try {
    return await readGroundTruths({ path: await realpath(path), shown: path }, DEFAULT_LIMITS.max_file_bytes)
  } catch (error) {
    return err([{ path: '', message: `cannot be read: ${codeOf(error)}` }])
  }
}

/** As `loadGroundTruths`, for a place that was found; a link is not followed. */
export async function readGroundTruths(place: Place, maxBytes: number): Promise<Result<GroundTruths, Issue[]>> {
  const read = await readText(place, maxBytes)
  if (read.kind !== 'read') return err([{ path: '', message: read.detail }])
  if (read.warnings.length > 0) return err([{ path: '', message: 'the file is not UTF-8' }])
  return parseGroundTruths(read.text, place.shown)
}

export function parseGroundTruths(text: string, source: string): Result<GroundTruths, Issue[]> {
  const { rows, issues } = readRows(text)
  const named: { readonly at: string; readonly row: NamedTruth }[] = []
  for (const { at, row } of rows) {
    const parsed = parseTruthRow(row, at)
    if (parsed.ok) named.push({ at, row: parsed.value })
    else issues.push(...parsed.error)
    if (issues.length >= MAX_ISSUES) break
  }
  if (issues.length === 0 && named.length === 0) issues.push({ path: '', message: 'holds no ground truth' })
  const tables = issues.length > 0 ? null : index(named, issues)
  if (tables === null || issues.length > 0) return err(issues.slice(0, MAX_ISSUES))
  return ok(join(source, tables))
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

/** One row, or rows by task. */
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
    const one = text.slice(at, stop).trim()
    at = stop + 1
    line++
    if (one === '') continue
    const row = parseJson(one)
    if (row === undefined) issues.push({ path: `line ${line}`, message: 'is not JSON' })
    else rows.push({ at: `line ${line}`, row })
  }
  return { rows, issues }
}

interface Tables {
  readonly trials: ReadonlyMap<string, TruthRow>
  readonly tasks: ReadonlyMap<string, TruthRow>
  readonly all: TruthRow | null
}

function index(named: readonly { at: string; row: NamedTruth }[], issues: Issue[]): Tables {
  const trials = new Map<string, TruthRow>()
  const tasks = new Map<string, TruthRow>()
  const first = new Map<string, string>()
  let all: TruthRow | null = null
  for (const { at, row } of named) {
    const [kind, name] = row.trial !== null ? ['trial', row.trial] : ['task', row.task]
    if (name === null || name === undefined) {
      if (named.length > 1) issues.push({ path: at, message: 'names neither a task nor a trial' })
      all = row.truth
      continue
    }
    const key = `${kind} ${JSON.stringify(name)}`
    const before = first.get(key)
    if (before !== undefined) issues.push({ path: at, message: `${key} is at ${before} already` })
    first.set(key, at)
    ;(kind === 'trial' ? trials : tasks).set(name, row.truth)
  }
  return { trials, tasks, all }
}

function join(source: string, { trials, tasks, all }: Tables): GroundTruths {
  const look = (table: ReadonlyMap<string, TruthRow>, names: readonly string[], by: 'trial' | 'task') => {
    const name = names.find((one) => table.has(one))
    const truth = name === undefined ? undefined : table.get(name)
    return name === undefined || truth === undefined ? null : { truth, by, name }
  }
  return {
    source,
    tasks: [...tasks.keys()],
    trials: [...trials.keys()],
    find: (names) =>
      look(trials, names.trials, 'trial') ??
      look(tasks, names.tasks, 'task') ??
      (all === null ? null : { truth: all, by: 'all', name: '' }),
  }
}
