import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { DEFAULT_LIMITS } from '../unpack/limits.ts'
import { codeOf, type Place } from '../unpack/place.ts'
import { removeLeftovers } from '../unpack/temp-folder.ts'
import { tellRest, walkFile, walkFolder } from '../unpack/walk.ts'
import { ReadingJob, type ReadTrialsOptions, type Scope, skip } from './reading-job.ts'
import { withTruthOf } from './trial-folder.ts'
import type { TrialItem } from './trial-item.ts'

export type { MissingSource, ReadTrialsOptions } from './reading-job.ts'

/**
 * Reads the trials below some paths, one after the other, each with its ground truth, signals and metadata.
 *
 * A path may be a Harbor job or trial folder, a Terminal-Bench 1 run, an Inspect log (`.eval` or JSON), a trajectory of any format
 * that `src/formats` reads, a file of grade requests (one a line), a folder of any of them, or an archive (`.tar`, `.tar.gz`,
 * `.tar.zst`, `.zip`) of any of them. What a file is, is told from its content.
 *
 * Everything that is found is answered: what cannot be graded comes as `skipped`, with its name and the reason. The order is that
 * of the paths, and of names within, but a run comes before the files that it names; an item's name depends on nothing but where it stands. No more is held in memory than one
 * trial and, for each folder, its names. Archives are unpacked into a private folder that is removed when the reading ends,
 * however it ends. Throws only where it is aborted, or where that folder cannot be written.
 *
 * @example
 * for await (const item of readTrials(['jobs/2026-11-20', 'old.tar.gz'], { groundTruths }))
 *   if (item.kind === 'trial') await grade(item.request)
 *   else report(item.name, item.reason, item.detail)
 */
export async function* readTrials(
  paths: readonly string[],
  options: ReadTrialsOptions = {},
): AsyncGenerator<TrialItem, void, undefined> {
  const job = new ReadingJob(options, { ...DEFAULT_LIMITS, ...options.limits })
  await removeLeftovers(options.tempFolder ?? tmpdir())
  const unpacked = { entries: 0, bytes: 0 }
  const given = await distinctPaths(paths)
  const names = countNames(given)
  let beside: Beside | null = null
  for (const { shown, real } of given) {
    options.abort?.throwIfAborted()
    const root = { shown, label: labelOf(shown, names) }
    const started = { root, unpacked, nested: 0, depth: 0, truths: [], run: null, told: { files: 0, hidden: 0 } }
    const scope: Scope = { job, ...started }
    if (typeof real !== 'string') {
      yield job.hand(skip(scope, { path: shown, shown }, 'unreadable', `cannot be opened: ${real.code}`), unpacked)
      continue
    }
    const place: Place = { path: real, shown }
    const kind = await stat(real)
    beside = kind.isFile() ? await truthBeside(scope, place, beside) : null
    if (beside?.skipped !== null && beside?.skipped !== undefined) yield job.hand(beside.skipped, unpacked)
    beside = beside === null ? null : { ...beside, skipped: null }
    const own = { ...scope, truths: beside?.truths ?? [] }
    for await (const item of readPath(own, place, kind)) yield job.hand(item, unpacked)
  }
  job.finish()
}

interface GivenPath {
  readonly shown: string
  readonly real: string | { readonly code: string }
}

/** A link that is given by name is followed; one that is found is not. What is given twice is read once. */
async function distinctPaths(paths: readonly string[]): Promise<readonly GivenPath[]> {
  const given = new Map<string, GivenPath>()
  for (const path of paths) {
    const shown = path.length > 1 ? path.replace(/\/+$/, '') : path
    const real = await realpath(shown).catch((error: unknown) => ({ code: codeOf(error) }))
    const key = typeof real === 'string' ? real : resolve(shown)
    if (!given.has(key)) given.set(key, { shown, real })
  }
  return [...given.values()]
}

function countNames(given: readonly GivenPath[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { shown } of given) {
    const name = basename(resolve(shown))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** What a path is called in names of items: its last name, with the one before it where other paths are called so too. */
function labelOf(shown: string, counts: ReadonlyMap<string, number>): string {
  const path = resolve(shown)
  const name = basename(path)
  return counts.get(name) === 1 ? name : `${basename(dirname(path))}/${name}`
}

/** Folders that an agent writes: what stands there says nothing of the truth, and what stands beside them does. */
const WRITTEN = new Set(['agent', 'artifacts', 'agent-logs', 'sessions'])

interface Beside extends Awaited<ReturnType<typeof withTruthOf>> {
  readonly folder: string
  readonly truths: Scope['truths']
}

/** The ground truth that stands beside a file that was given. `last` is that of the file before: they often share a folder. */
async function truthBeside(scope: Scope, file: Place, last: Beside | null): Promise<Beside> {
  let folder: Place = { path: dirname(file.path), shown: dirname(file.shown) }
  while (WRITTEN.has(basename(folder.path))) folder = { path: dirname(folder.path), shown: dirname(folder.shown) }
  if (last?.folder === folder.path) return last
  const root = { shown: folder.shown, label: basename(folder.path) }
  const found = await withTruthOf({ ...scope, root }, folder)
  return { ...found, folder: folder.path, truths: found.scope.truths }
}

async function* readPath(scope: Scope, place: Place, kind: Stats): AsyncGenerator<TrialItem> {
  if (kind.isDirectory()) yield* walkFolder(scope, place)
  else if (kind.isFile()) yield* walkFile(scope, { path: dirname(place.path), shown: dirname(place.shown) }, place)
  else yield skip(scope, place, 'unsupported', 'is neither a file nor a folder')
  yield* tellRest(scope, place)
}
