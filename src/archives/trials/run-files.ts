import { basename } from 'node:path'
import { parseJson } from '../../domain/text/json.ts'
import { subagentFilesOf } from '../../formats/atif/atif.ts'
import { openDocuments, withoutNul } from '../../formats/common/open-documents.ts'
import { isRecord, type Json, typeName } from '../../formats/common/reading.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { shownName } from '../unpack/names.ts'
import type { Listed, Place } from '../unpack/place.ts'
import { decodeText, findFile, readBytes, readText, relativeNames, within } from '../unpack/place.ts'
import { embedPictures, joinedFrom } from './run-additions.ts'

/** The runs in a file, or the reason why it has none. */
type OpenedFile =
  | {
      readonly kind: 'opened'
      readonly runs: readonly OpenedDocument[]
      readonly warnings: readonly string[]
      /** Real paths of other files that are part of the run, and no runs of their own. */
      readonly consumed: readonly string[]
    }
  | { readonly kind: 'refused' | 'unreadable' | 'unsupported'; readonly detail: string }

/** Opens a file that may hold runs. An ATIF run of several files becomes one document (`atif-segments`). */
export async function openRunFile(folder: Place, file: Place, limits: ArchiveLimits): Promise<OpenedFile> {
  const read = await readText(file, limits.max_file_bytes)
  if (read.kind !== 'read') return { kind: read.kind === 'over' ? 'refused' : 'unreadable', detail: read.detail }
  const first = withoutNul(read.text).trimStart().charAt(0)
  if (first === '') return { kind: 'unsupported', detail: 'the file is empty' }
  if (first !== '{' && first !== '[') return { kind: 'unsupported', detail: noRunIn(read.text) }
  const opened = openDocuments(read.text)
  if (!opened.ok) {
    const [issue] = opened.error
    return { kind: 'unreadable', detail: issue === undefined ? 'cannot be read' : tellIssue(issue) }
  }
  const [only] = opened.value
  if (only !== undefined && isRecording(only.document))
    return { kind: 'unsupported', detail: 'a recording of a terminal (asciicast) has no steps' }
  if (only === undefined) return { kind: 'unsupported', detail: 'the file holds no run' }
  if (opened.value.length > 1) return { kind: 'opened', runs: opened.value, warnings: read.warnings, consumed: [] }
  const bytes = Buffer.byteLength(read.text)
  const joined = await joinFiles(folder, file, only.document, limits, bytes)
  const warnings = [...read.warnings, ...joined.warnings, ...(await embedPictures(folder, joined.document, bytes))]
  return { kind: 'opened', runs: [{ ...only, document: joined.document }], warnings, consumed: joined.consumed }
}

/** Explains why a text that begins like no object and no list holds no run. */
export function noRunIn(text: string): string {
  const value = parseJson(text)
  if (value === undefined) return 'the file is neither JSON nor JSON lines'
  return `the file holds no run: a run is an object or a list, not ${typeName(value)}`
}

/** Recognizes an asciicast recording by the size of the terminal in its first line or whole document. */
function isRecording(document: Json): boolean {
  const head = Array.isArray(document['records']) ? (document['records'][0] as unknown) : document
  const size = isRecord(head) ? (isRecord(head['term']) ? head['term']['cols'] : head['width']) : undefined
  return isRecord(head) && typeof head['version'] === 'number' && typeof size === 'number'
}

export const tellIssue = ({ path, message }: { path: string; message: string }): string =>
  path === '' ? message : `${shownName(path)}: ${message}`

interface JoinedRun {
  readonly document: Record<string, unknown>
  readonly warnings: string[]
  /** Real paths of the joined files, which are no runs of their own; a file of another session may be embedded, but stays a run. */
  readonly consumed: string[]
}

/** Recognizes files that are read with the run that names them: `trajectory.cont-2.json`, `trajectory.summarization-1-summary.json`. */
export function isPartOfRun(name: string): boolean {
  return name.endsWith('.json') && (name.includes('.cont-') || name.includes('.summarization-'))
}

/** Lists the files that a trajectory names as its continuation or subagents. */
const namedFiles = (trajectory: Json): string[] => {
  const next = trajectory['continued_trajectory_ref']
  return [...(typeof next === 'string' ? [next] : []), ...subagentFilesOf(trajectory)]
}

/** Joins continuations and subagents below the run’s folder, if name or session agrees: no run can make another run vanish. */
async function joinFiles(
  folder: Place,
  file: Place,
  document: Record<string, unknown>,
  limits: ArchiveLimits,
  bytes: number,
): Promise<JoinedRun> {
  const seen = new Set([basename(file.path)])
  const run: Joining = { folder, limits, seen, joined: [], warnings: [], consumed: [], bytes, files: 1 }
  const segments: Json[] = [document]
  for (let segment: Json = document; typeof segment['continued_trajectory_ref'] === 'string'; ) {
    const next = await takeFile(run, segment['continued_trajectory_ref'], 'the run goes on in', segment, true)
    if (next === null) break
    segments.push(next)
    segment = next
  }
  const subagents = new Map<string, Json>()
  const open = [...segments]
  for (const trajectory of open)
    for (const name of subagentFilesOf(trajectory)) {
      const isTaken = subagents.has(name) || seen.has(name)
      const subagent = isTaken ? null : await takeFile(run, name, 'a subagent is in', trajectory, false)
      if (subagent === null) continue
      subagents.set(name, subagent)
      open.push(subagent)
    }
  const { consumed } = run
  const warnings = [...joinedFrom(run.joined), ...run.warnings]
  if (segments.length === 1 && subagents.size === 0) return { document, warnings, consumed }
  // `fromEntries` defines members, so that a file named `__proto__` becomes a member and no prototype.
  const named = subagents.size === 0 ? {} : { subagents: Object.fromEntries(subagents) }
  return { document: { segments, ...named }, warnings, consumed }
}

/** Tells whether a trajectory can belong to another's session: it names none, the same, or an extension of it (`<session>-cont-1`). */
function isOfSession(own: unknown, other: unknown): boolean {
  if (typeof own !== 'string' || own === '') return true
  if (typeof other !== 'string' || other === '' || !own.startsWith(other)) return false
  return !/^[a-z\d]/i.test(own.slice(other.length, other.length + 1))
}

/** The files beside a run, each read once: circular references end, and so does a chain beyond the limits of a run. */
interface Joining extends Omit<JoinedRun, 'document'> {
  readonly folder: Place
  readonly limits: ArchiveLimits
  readonly seen: Set<string>
  readonly joined: string[]
  bytes: number
  files: number
}

/** Reads a trajectory that another one names; null, with a warning that begins with `what`, if unreadable, or of another session than it must be. */
async function takeFile(
  run: Joining,
  name: string,
  what: string,
  of: Json,
  sameSession: boolean,
): Promise<Json | null> {
  const complain = (why: string): null => {
    run.warnings.push(`${what} ${shownName(name)}, ${why}`)
    return null
  }
  const names = relativeNames(name)
  if (names === null) return complain('which is outside of the folder')
  const key = names.join('/')
  if (run.seen.has(key)) return complain('which was read before')
  if (run.files >= run.limits.max_run_files) return complain(`beyond the ${run.files} files that a run may have`)
  run.seen.add(key).add(name)
  const file = await findFile(run.folder, ...names)
  if (file === null) return complain('which is not there')
  const read = await readText(file, Math.max(0, run.limits.max_file_bytes - run.bytes))
  if (read.kind !== 'read') return complain(read.detail)
  run.files++
  run.bytes += Buffer.byteLength(read.text)
  const value = parseJson(read.text)
  if (!isRecord(value)) return complain('which is no JSON object')
  const isPart = isPartOfRun(basename(key)) || isOfSession(value['session_id'], of['session_id'])
  if (!isPart && sameSession) return complain('which is of another session; it is not joined')
  if (isPart) run.consumed.push(file.path)
  run.joined.push(`${shownName(name)}${isPart ? '' : ', which is of another session'}`)
  return value
}

const MARKS = ['"continued_trajectory_ref"', '"trajectory_path"']

/** Orders the names of a folder for reading: a run comes before the files that it names; all others keep their order. */
export async function readingOrder(
  folder: Place,
  listed: readonly Listed[],
  limits: ArchiveLimits,
): Promise<readonly Listed[]> {
  const files = listed.filter(({ name, kind }) => kind === 'file' && name.endsWith('.json') && !name.startsWith('.'))
  const refs = new Map<string, readonly string[]>()
  if (listed.length > 1)
    for (const { name } of files) {
      const named = await namedIn(within(folder, name), limits.max_file_bytes)
      if (named.length > 0) refs.set(name, named)
    }
  const late = namedByOthers(refs)
  const rankOf = ({ name }: Listed): number => {
    if (isPartOfRun(name) || late.has(name)) return 2
    return refs.get(name)?.some((other) => other.includes('/')) ? 0 : 1
  }
  return listed.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Lists the files that a file names. Only files with one of the marks are parsed. */
async function namedIn(file: Place, max: number): Promise<string[]> {
  const read = await readBytes(file, max)
  if (read.kind !== 'read' || !MARKS.some((mark) => read.bytes.includes(mark))) return []
  const text = decodeText(read.bytes)
  const value = text.kind === 'read' ? parseJson(text.text) : undefined
  const names = isRecord(value) ? namedFiles(value) : []
  return names.flatMap((name) => relativeNames(name)?.join('/') ?? [])
}

/** Returns the files that another file names; in a circle, all but the first. */
function namedByOthers(refs: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const named = new Set([...refs].flatMap(([name, others]) => others.filter((other) => other !== name)))
  const heads = [...[...refs.keys()].filter((name) => !named.has(name)), ...refs.keys()]
  const seen = new Set<string>()
  const late = new Set<string>()
  for (const head of heads) {
    if (seen.has(head)) continue
    const open = [head]
    seen.add(head)
    for (const name of open)
      for (const other of refs.get(name) ?? []) {
        if (seen.has(other)) continue
        seen.add(other)
        late.add(other)
        open.push(other)
      }
  }
  return late
}
