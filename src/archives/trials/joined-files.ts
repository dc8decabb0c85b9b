import { basename } from 'node:path'
import { parseJson } from '../../domain/text/exact-json.ts'
import { subagentFilesOf } from '../../formats/atif/atif-segments.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { shownName } from '../unpack/names.ts'
import { findFile, type Place, relativeNames } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'

interface JoinedRun {
  readonly document: Record<string, unknown>
  readonly warnings: readonly string[]
  /**
   * Real paths of the joined files, which are no runs of their own. A file of another session is not listed: it may be embedded, but stays
   * a run.
   */
  readonly consumed: readonly string[]
}

/** Recognizes files that are read with the run that names them: `trajectory.cont-2.json`, `trajectory.summarization-1-summary.json`. */
export function isPartOfRun(name: string): boolean {
  return name.endsWith('.json') && (name.includes('.cont-') || name.includes('.summarization-'))
}

/** Lists the files that a trajectory names as its continuation or subagents. */
export const namedFiles = (trajectory: Json): string[] => {
  const next = trajectory['continued_trajectory_ref']
  return [...(typeof next === 'string' ? [next] : []), ...subagentFilesOf(trajectory)]
}

/**
 * Joins the continuations and subagent files of an ATIF run below its own folder. A trajectory may name any file, so a named file is part
 * of the run only where its name or its session agrees: no run can make another run vanish.
 */
export async function joinFiles(
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
    const next = await run.take(segment['continued_trajectory_ref'], 'the run goes on in', segment, true)
    if (next === null) break
    segments.push(next)
    segment = next
  }
  const subagents = new Map<string, Json>()
  const open = [...segments]
  for (const trajectory of open) {
    for (const name of subagentFilesOf(trajectory)) {
      if (subagents.has(name) || run.has(name)) continue
      const subagent = await run.take(name, 'a subagent is in', trajectory, false)
      if (subagent === null) continue
      subagents.set(name, subagent)
      open.push(subagent)
    }
  }
  const { consumed } = run
  const warnings = [...joinedFrom(run.joined), ...run.warnings]
  if (segments.length === 1 && subagents.size === 0) return { document, warnings, consumed }
  // `fromEntries` defines members, so that a file named `__proto__` becomes a member and no prototype.
  const named = subagents.size === 0 ? {} : { subagents: Object.fromEntries(subagents) }
  return { document: { segments, ...named }, warnings, consumed }
}

const MAX_JOINED_NOTES = 5

/** Lists the files that were joined to a run, as notes with their names. */
export function joinedFrom(names: readonly string[]): string[] {
  const notes = names.slice(0, MAX_JOINED_NOTES).map((name) => `joined from ${name}`)
  return names.length > notes.length ? [...notes, `joined from ${names.length - notes.length} more files`] : notes
}

/** Tells whether a trajectory can belong to another's session: it names none, the same, or an extension of it (`<session>-cont-1`). */
function isOfSession(own: unknown, other: unknown): boolean {
  if (typeof own !== 'string' || own === '') return true
  if (typeof other !== 'string' || other === '' || !own.startsWith(other)) return false
  const next = own.charCodeAt(other.length)
  return own === other || !(isDigit(next) || isLetter(next))
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** Reads the files beside a run, each once: circular references end, and so does a chain beyond the limits of a run. */
class RunFiles {
  readonly joined: string[] = []
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

  /**
   * Reads the trajectory in a file that another trajectory names. Null, with a warning that begins with `what`, where the file cannot be
   * read, or where it must be of the same session and is not.
   */
  async take(name: string, what: string, of: Json, sameSession: boolean): Promise<Json | null> {
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
    const isPart = isPartOfRun(basename(key)) || isOfSession(value['session_id'], of['session_id'])
    if (!isPart && sameSession) return complain('which is of another session; it is not joined')
    if (isPart) this.consumed.push(file.path)
    this.joined.push(`${shownName(name)}${isPart ? '' : ', which is of another session'}`)
    return value
  }
}
