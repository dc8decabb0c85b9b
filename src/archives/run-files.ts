import { basename } from 'node:path'
import { subagentFilesOf } from '../formats/atif-subagent-files.ts'
import { type OpenedDocument, openDocuments } from '../formats/open-documents.ts'
import { isRecord, type Json } from '../formats/reading.ts'
import type { ArchiveLimits } from './limits.ts'
import { shownName } from './names.ts'
import { findFile, type Place, relativeNames } from './place.ts'
import { parseJson, readText } from './text.ts'

/** The runs in a file, or why there are none. */
export type OpenedFile =
  | {
      readonly kind: 'opened'
      readonly runs: readonly OpenedDocument[]
      readonly warnings: readonly string[]
      /** Names of other files of the folder that are part of the run. */
      readonly consumed: readonly string[]
    }
  | { readonly kind: 'refused' | 'unreadable' | 'unsupported'; readonly detail: string }

/** Opens a file that may hold runs. An ATIF run of several files becomes one document (`atif-segments`). */
export async function openRunFile(folder: Place, file: Place, limits: ArchiveLimits): Promise<OpenedFile> {
  const read = await readText(file, limits.max_file_bytes)
  if (read.kind !== 'read') return { kind: read.kind === 'over' ? 'refused' : 'unreadable', detail: read.detail }
  const first = read.text.trimStart().charAt(0)
  if (first === '') return { kind: 'unsupported', detail: 'the file is empty' }
  if (first !== '{' && first !== '[') return { kind: 'unsupported', detail: 'the file is neither JSON nor JSON lines' }
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
  const joined = await joinFiles(folder, file, only.document, limits, Buffer.byteLength(read.text))
  const runs = [{ ...only, document: joined.document }]
  return { kind: 'opened', runs, warnings: [...read.warnings, ...joined.warnings], consumed: joined.consumed }
}

/** Its first line, or it as a whole, says how large the terminal was. */
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
  readonly consumed: string[]
}

/** Collects the continuations and subagent files of an ATIF run from its own folder. */
async function joinFiles(
  folder: Place,
  file: Place,
  document: Record<string, unknown>,
  limits: ArchiveLimits,
  bytes: number,
): Promise<JoinedRun> {
  const run = new RunFiles(folder, limits, bytes)
  run.mark(basename(file.path))
  const segments: Json[] = [document]
  for (let segment: Json = document; typeof segment['continued_trajectory_ref'] === 'string'; ) {
    const next = await run.take(segment['continued_trajectory_ref'], 'the run goes on in')
    if (next === null) break
    segments.push(next)
    segment = next
  }
  const subagents = new Map<string, Json>()
  const open = [...segments]
  for (let trajectory = open.shift(); trajectory !== undefined; trajectory = open.shift()) {
    for (const name of subagentFilesOf(trajectory)) {
      if (subagents.has(name) || run.has(name)) continue
      const subagent = await run.take(name, 'a subagent is in')
      if (subagent === null) continue
      subagents.set(name, subagent)
      open.push(subagent)
    }
  }
  const { warnings, consumed } = run
  if (segments.length === 1 && subagents.size === 0) return { document, warnings, consumed }
  // `fromEntries` defines members, so that a file called `__proto__` is one of them and no prototype.
  const named = subagents.size === 0 ? {} : { subagents: Object.fromEntries(subagents) }
  return { document: { segments, ...named }, warnings, consumed }
}

/** Files beside a run, each read once: a circle ends, and so does a chain that is longer or larger than a run may be. */
class RunFiles {
  readonly warnings: string[] = []
  readonly consumed: string[] = []
  readonly #folder: Place
  readonly #limits: ArchiveLimits
  readonly #seen = new Set<string>()
  #bytes: number
  #files = 1

  constructor(folder: Place, limits: ArchiveLimits, bytes: number) {
    this.#folder = folder
    this.#limits = limits
    this.#bytes = bytes
  }

  mark(name: string): void {
    this.#seen.add(name)
  }

  has(name: string): boolean {
    return this.#seen.has(name)
  }

  /** The trajectory in a file that another one names; null, and a warning that begins with `what`, where it cannot be had. */
  async take(name: string, what: string): Promise<Json | null> {
    const complain = (why: string): null => {
      this.warnings.push(`${what} ${shownName(name)}, ${why}`)
      return null
    }
    const names = relativeNames(name)
    if (names === null) return complain('which is outside of the folder')
    const key = names.join('/')
    if (this.#seen.has(key)) return complain('which was read before')
    if (this.#files >= this.#limits.max_run_files)
      return complain(`beyond the ${this.#files} files that a run may have`)
    this.#seen.add(key)
    this.#seen.add(name)
    const file = await findFile(this.#folder, ...names)
    if (file === null) return complain('which is not there')
    const read = await readText(file, Math.max(0, this.#limits.max_file_bytes - this.#bytes))
    if (read.kind !== 'read') return complain(read.detail)
    this.#files++
    this.#bytes += Buffer.byteLength(read.text)
    const value = parseJson(read.text)
    if (!isRecord(value)) return complain('which is no JSON object')
    this.consumed.push(key)
    return value
  }
}
