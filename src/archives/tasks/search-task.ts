import type { MarkerName, MarkerTexts } from '../../domain/markers/check-run.ts'
import { createMarkerSearch, isMediaName, MARKERS, stringsOf } from '../../domain/markers/check-run.ts'
import type { SearchedFile } from '../../domain/markers/check-task.ts'
import { isTruthFile } from '../trials/trial-folder.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { listFolder, type Place, within } from '../unpack/place.ts'
import { matchesGlob, newlines, readWindows } from './task-files.ts'
import { areaOf } from './task-folder.ts'

interface SearchTaskOptions {
  readonly markers: MarkerTexts
  /** Globs relative to the task's folder; absent: every file of the environment is expected. */
  readonly expectedIn: readonly string[] | undefined
  /** Tells whether a file is left out: the file of ground truths. */
  readonly ignores: (path: string) => boolean
  readonly limits: ArchiveLimits
  readonly abort: AbortSignal | undefined
}

/** Bounds the searched bytes of one task. */
const MOST_BYTES = 4 * 1024 ** 3
/** Factor by which a string may be longer in a file: escapes of six characters each, and the marks of its lines. */
const WRITTEN_LONGER = 8
const MARKS_OF_LINES = 4096

/** Searches all files of a task for its markers in bounded memory; lists files with a marker, expected files, and files that could not be searched. */
export async function searchTask(
  folder: Place,
  options: SearchTaskOptions,
): Promise<{ readonly files: readonly SearchedFile[]; readonly cut: string | null }> {
  const task = new TaskSearch(options)
  /** The reason why a part of the folder was not searched; null where all was. */
  let cut: string | null = null
  const onCut = (why: string) => {
    cut ??= why
  }
  for await (const entry of walkTask(folder, options.limits, onCut)) {
    options.abort?.throwIfAborted()
    const isOwnTruth = entry.path === entry.name && isTruthFile(entry.name)
    if (entry.kind !== 'file' || !(isOwnTruth || options.ignores(entry.place.path))) await task.search(entry)
  }
  return { files: task.files, cut }
}

type Matches = Record<MarkerName, { string: string; line: number }[]>
type TextWindow = Parameters<Parameters<typeof readWindows>[1]['visit']>[0]

class TaskSearch {
  readonly files: SearchedFile[] = []
  readonly #options: SearchTaskOptions
  readonly #owners = new Map<string, MarkerName[]>()
  readonly #find: ReturnType<typeof createMarkerSearch>
  /** UTF-16 units of the longest string. */
  readonly #longest: number
  #left = MOST_BYTES

  constructor(options: SearchTaskOptions) {
    for (const marker of MARKERS)
      for (const string of stringsOf(options.markers[marker]))
        this.#owners.set(string, [...(this.#owners.get(string) ?? []), marker])
    this.#options = options
    this.#find = createMarkerSearch([...this.#owners.keys()])
    this.#longest = Math.max(0, ...[...this.#owners.keys()].map((string) => string.length))
  }

  async search(entry: TaskEntry): Promise<void> {
    const { path, name, kind } = entry
    const matches: Matches = { cue: [], distractor: [] }
    for (const { needle } of this.#find(name)) this.#add(matches, needle, 0)
    const read = await this.#read(entry, (window) => this.#addWindow(matches, window))
    const area = areaOf(path)
    const isExpected = kind !== 'folder' && area === 'environment' && this.#isExpected(path)
    if (isExpected || read.unsearched !== null || matches.cue.length + matches.distractor.length > 0)
      this.files.push({ path, area, isExpected, ...read, found: matches })
  }

  #isExpected(path: string): boolean {
    const { expectedIn } = this.#options
    return expectedIn === undefined || expectedIn.some((glob) => !glob.startsWith('/') && matchesGlob(glob, path))
  }

  async #read(
    { place, path, kind }: TaskEntry,
    visit: (window: TextWindow) => void,
  ): Promise<Pick<SearchedFile, 'unsearched' | 'isBinary'>> {
    if (kind === 'folder') return { unsearched: null, isBinary: false }
    if (kind === 'link') return { unsearched: 'is a symbolic link, which is not followed', isBinary: false }
    if (kind !== 'file') return { unsearched: 'is neither a file nor a folder', isBinary: false }
    const { limits, abort } = this.#options
    const max_bytes = Math.min(limits.max_entry_bytes, this.#left)
    const reach = this.#longest * WRITTEN_LONGER + MARKS_OF_LINES
    const { bytes, isBinary, unsearched } = await readWindows(place, { reach, max_bytes, abort, visit })
    this.#left -= bytes
    return { unsearched: unsearched ?? (isMediaName(path) ? BY_NAME : null), isBinary }
  }

  #addWindow(matches: Matches, { text, own, line }: TextWindow): void {
    for (const { needle, start } of this.#find(text))
      if (start >= own.start && start < own.end) this.#add(matches, needle, line + newlines(text, 0, start))
  }

  #add(matches: Matches, string: string, line: number): void {
    for (const marker of this.#owners.get(string) ?? []) matches[marker].push({ string, line })
  }
}

const BY_NAME = 'is a picture, a film, a sound or an archive by its name'

/** An entry of a task's folder, with its path below that folder. */
interface TaskEntry {
  readonly place: Place
  readonly path: string
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** Yields all entries below a folder, hidden ones too, each folder before its entries, in order of names. A link is reported and not followed. */
async function* walkTask(
  folder: Place,
  { max_entries, max_depth }: Pick<ArchiveLimits, 'max_entries' | 'max_depth'>,
  onCut: (why: string) => void,
): AsyncGenerator<TaskEntry> {
  let left = max_entries
  async function* walk(place: Place, path: string, depth: number): AsyncGenerator<TaskEntry> {
    if (depth > max_depth) return onCut(`${path} stands more than ${max_depth} folders deep`)
    const listed = await listFolder(place, left)
    if (listed === null)
      return onCut(`${path || 'the folder'} cannot be listed, or there are more than ${max_entries} names`)
    left -= listed.length
    for (const { name, kind } of listed) {
      const own = path === '' ? name : `${path}/${name}`
      const inside = within(place, name)
      yield { place: inside, path: own, name, kind }
      if (kind === 'folder') yield* walk(inside, own, depth + 1)
    }
  }
  yield* walk(folder, '', 0)
}
