import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { parseJson, readJson } from '../../domain/text/json.ts'
import type { OpenedDocument } from '../format.ts'
import { FORMATS } from '../formats.ts'
import { UNREAD_LINES } from '../read.ts'
import { mendHalves } from './json-tree.ts'
import { isRecord, type Json } from './reading.ts'

/**
 * Reads the runs from the text of a file. The content decides its kind: one JSON value, or JSON lines. An array or JSON lines become one
 * document `{"records": […]}`; a file of many runs (an Inspect log, a list of runs) becomes one document per run.
 *
 * A few lines that are not JSON are left out, with a warning (`line 7`, 1-based): a cut session ends in one, and harnesses mix in lines of the
 * standard error. Broken lines that hold the beginning of a record are counted in the document (`unread_lines`).
 */
export function openDocuments(text: string): Result<readonly OpenedDocument[], Issue[]> {
  const parsed = parseFile(withoutNul(text))
  if (!parsed.ok) return parsed
  const { mended, halves } = mendHalves(parsed.value.root)
  const root = asRecords((mended ?? parsed.value.root) as Json)
  const warnings = [...parsed.value.warnings, ...halves.map(({ path, message }) => `${path}: ${message}`)]
  for (const format of FORMATS) {
    const runs = format.split?.(root) ?? null
    if (runs !== null) return ok(runs.map(({ name, document, about = {} }) => ({ name, document, about, warnings })))
  }
  return ok([{ name: '', document: { ...root }, about: {}, warnings }])
}

const NUL = '\0'

/** Removes the NUL bytes around a text, which file systems leave behind after a crash. */
export function withoutNul(text: string): string {
  if (!text.startsWith(NUL) && !text.endsWith(NUL)) return text
  let [start, end] = [0, text.length]
  while (text[start] === NUL) start++
  while (end > start && text[end - 1] === NUL) end--
  return text.slice(start, end)
}

type ParsedFile = Pick<OpenedDocument, 'warnings'> & { readonly root: Json }

/** Wraps a single JSON line as records where only a format of records recognizes it. */
function asRecords(root: Json): Json {
  const recognizes = (document: Json) => FORMATS.some((format) => format.recognizes(document))
  const records = { records: [root] }
  return !recognizes(root) && recognizes(records) ? records : root
}

function parseFile(text: string): Result<ParsedFile, Issue[]> {
  const whole = parseJson(text)
  if (whole !== undefined) {
    if (isRecord(whole)) return ok({ root: whole, warnings: [] })
    if (Array.isArray(whole)) return ok({ root: { records: whole }, warnings: [] })
    return err([{ path: '', message: 'the file is neither a JSON object, nor an array, nor JSON lines' }])
  }
  return parseLines(text)
}

/** Accepted count of lines that are not JSON in any file, and accepted share of the lines in a long file. */
const MAX_NOISE = 20
const MAX_NOISE_SHARE = 0.05
/** Bounds the noise lines in total: trying every line of a long text without JSON takes long. */
const MOST_NOISE = 1000

/** Parses the values of a line: one, behind the `data:` of a stream of events too, or two objects that a writer glued together; none for noise. */
function valuesOf(line: string): readonly unknown[] {
  const value = parseJson(line.startsWith(EVENT) ? line.slice(EVENT.length) : line)
  if (value !== undefined) return [value]
  const glued = line.indexOf('}{"') + 1
  const objects = [line.slice(0, glued), line.slice(glued)].map((piece) => parseJson(piece))
  return objects.every(isRecord) ? objects : []
}

const EVENT = 'data:'

function parseLines(text: string): Result<ParsedFile, Issue[]> {
  const records: unknown[] = []
  const noise: number[] = []
  let [line, last, objects, unread] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end === -1 ? text.length : end
    const content = withoutNul(text.slice(at, stop).trim()).trim()
    at = stop + 1
    line++
    if (content === '') continue
    last = line
    const values = valuesOf(content)
    if (values.length === 0) noise.push(line)
    records.push(...values)
    // Noise does not hold the beginning of a record.
    if (values.length === 0 && content.includes('{"')) unread++
    if (values.some(isRecord)) objects++
    if (noise.length > MOST_NOISE) break
  }
  const [first] = noise
  const share = (records.length + noise.length) * MAX_NOISE_SHARE
  const accepted = Math.min(objects, MOST_NOISE, Math.max(MAX_NOISE, share))
  if (first !== undefined && noise.length > accepted) {
    const message = objects === 0 ? neitherText(text) : `is not JSON, nor are ${noise.length - 1} lines behind it`
    return err([{ path: `line ${first}`, message }])
  }
  if (records.length === 0) return err([{ path: '', message: 'the file is empty' }])
  const root = { records, ...(unread > 0 && { [UNREAD_LINES]: unread }) }
  return ok({ root, warnings: noiseWarnings(noise, last) })
}

function neitherText(text: string): string {
  const at = readJson(text).error
  return `the file is neither JSON nor JSON lines: it ${at === text.length ? 'ends' : 'stops being JSON'} at byte ${Buffer.byteLength(text.slice(0, at))}`
}

function noiseWarnings(noise: readonly number[], last: number): string[] {
  const fault = (line: number): string =>
    line === last ? ', the last, is not JSON: the file may be cut short' : ' is not JSON'
  const shown = noise.slice(0, MAX_NOISE).map((line) => `line ${line}${fault(line)}; left out`)
  return noise.length > MAX_NOISE ? [...shown, `and ${noise.length - MAX_NOISE} more lines`] : shown
}
