import { err, type Issue, ok, type Result } from '../domain/result.ts'
import { FORMATS } from './formats.ts'
import { splitInspectLog } from './inspect-log.ts'
import { splitChats } from './openai-chat-runs.ts'
import { isRecord, type Json } from './reading.ts'
import { splitSweRun } from './swe-agent-about.ts'

/** One run that a file holds, as a document for `readTrajectory`, with what the file says about it. */
export interface OpenedDocument {
  /** What tells it from the other runs of its file: a sample id, an epoch, an index. Empty where the file holds one run. */
  readonly name: string
  readonly document: Record<string, unknown>
  readonly about: RunAbout
}

/** What the file says of its run. Absent: it does not say. */
export interface RunAbout {
  readonly task?: string
  readonly agent?: string
  readonly model?: string
  readonly run_index?: number
  /** What the user asked, where the file says so outside of the steps. */
  readonly instruction?: string
  /** Numbers by name, as the harness wrote them: `reward`, `accuracy`. */
  readonly scores?: Readonly<Record<string, number>>
}

/** A file of many runs: takes it apart, or answers null where it is none of its kind. */
export type Splitter = (root: Json) => readonly OpenedDocument[] | null

/** In the order in which they are tried: the most telling marks first. */
const SPLITTERS: readonly Splitter[] = [splitInspectLog, splitSweRun, splitChats]

/**
 * The runs in a file's text. The kind is told from the content: one JSON value, or JSON lines. An array and JSON lines become one
 * document `{"records": […]}`; a file of many runs (an Inspect log, a list of runs) becomes one document a run.
 *
 * Issues name the line (1-based) as `line 7` where the file is JSON lines.
 */
export function openDocuments(text: string): Result<readonly OpenedDocument[], Issue[]> {
  const parsed = parseFile(text)
  if (!parsed.ok) return parsed
  const root = ok(asRecords(parsed.value))
  for (const split of SPLITTERS) {
    const runs = split(root.value)
    if (runs !== null) return ok(runs)
  }
  return ok([{ name: '', document: { ...root.value }, about: {} }])
}

/** JSON lines with a single line look like one object: they are told by a format that only knows records. */
function asRecords(root: Json): Json {
  const recognizes = (document: Json) => FORMATS.some((format) => format.recognizes(document))
  const records = { records: [root] }
  return !recognizes(root) && recognizes(records) ? records : root
}

/** One JSON value, else JSON lines: whatever cannot be an object stands under `records`. */
function parseFile(text: string): Result<Json, Issue[]> {
  const whole = parseJson(text)
  if (whole !== undefined) {
    if (isRecord(whole)) return ok(whole)
    if (Array.isArray(whole)) return ok({ records: whole })
    return err([{ path: '', message: 'the file is neither a JSON object, nor an array, nor JSON lines' }])
  }
  return parseLines(text)
}

function parseLines(text: string): Result<Json, Issue[]> {
  const records: unknown[] = []
  let line = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end === -1 ? text.length : end
    const one = text.slice(at, stop).trim()
    at = stop + 1
    line++
    if (one === '') continue
    const value = parseJson(one)
    if (value === undefined) {
      const first = records.length === 0
      const message = first ? 'the file is neither JSON nor JSON lines' : 'is not JSON'
      return err([{ path: `line ${line}`, message }])
    }
    records.push(value)
  }
  return records.length === 0 ? err([{ path: '', message: 'the file is empty' }]) : ok({ records })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
