export type { MissingSource, ReadTrialsOptions } from './reading-job.ts'

import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { DEFAULT_LIMITS } from '../unpack/limits.ts'
import { codeOf, type Place } from '../unpack/place.ts'
import { removeLeftovers } from '../unpack/spool.ts'
import { tellHidden, walkFile, walkFolder } from '../unpack/walk.ts'
import { ReadingJob, type ReadTrialsOptions, type Scope, skip, type TrialItem } from './reading-job.ts'
import { withTruthOf } from './trial-folder.ts'

/**
 * Reads the trials below some paths in turn, each with its ground truth, signals and metadata.
 *
 * A path may be a Harbor job or trial folder, a Terminal-Bench 1 run, an Inspect log (`.eval` or JSON), a trajectory of any format that
 * `src/formats` reads, a file of grade requests (one a line), a folder of any of these, or an archive (`.tar`, `.tar.gz`, `.tar.zst`,
 * `.zip`) of any of these. The content decides the kind of a file.
 *
 * Every file is answered: a file that cannot be graded comes as `skipped`, with its name and the reason. The order is that of the paths,
 * and of names within, but a run comes before the files that it names; an item's name depends only on its place. Memory holds one trial
 * and, for each folder, its names. Archives are unpacked into a private folder that is removed when the reading ends, however it ends.
 * Throws only where the reading is aborted, or where that folder cannot be written.
 *
 * @example
 * for await (const item of readTrials(['jobs/2026-11-20', 'old.tar.gz'], { groundTruths }))
 * if (item.kind === 'trial') await grade(item.request)
 * else report(item.name, item.reason, item.detail)
 */
export async function* readTrials(
  paths: readonly string[],
  options: ReadTrialsOptions = {},
): AsyncGenerator<TrialItem, void, undefined> {
  const job = new ReadingJob(options, { ...DEFAULT_LIMITS, ...options.limits })
  await removeLeftovers(options.tempFolder ?? tmpdir())
  const unpacked = { entries: 0, bytes: 0 }
  const distinct = await distinctPaths(paths)
  const byName = Map.groupBy(distinct, ({ shown }) => basename(resolve(shown)))
  let beside: Beside | null = null
  for (const { shown, real } of distinct) {
    options.abort?.throwIfAborted()
    const [name, around] = [basename(resolve(shown)), basename(dirname(resolve(shown)))]
    // A path is named by its last name, with the name before it where other paths have the same last name.
    const root = { shown, label: byName.get(name)?.length === 1 ? name : `${around}/${name}` }
    const skippedFiles = { hidden: 0 }
    const scope: Scope = { job, root, unpacked, nested: 0, depth: 0, truths: [], run: null, skippedFiles }
    if (typeof real !== 'string') {
      yield job.hand(skip(scope, { path: shown, shown }, 'unreadable', `cannot be opened: ${real.code}`), unpacked)
      continue
    }
    const place: Place = { path: real, shown }
    const kind = await stat(real)
    const own: Beside | null = kind.isFile() ? await truthBeside(scope, place, beside) : null
    if (own !== null && own !== beside && own.skipped !== null) yield job.hand(own.skipped, unpacked)
    beside = own
    const items = readPath({ ...scope, truths: own?.scope.truths ?? [] }, place, kind)
    for await (const item of items) yield job.hand(item, unpacked)
  }
  job.finish()
}

interface RequestedPath {
  readonly shown: string
  readonly real: string | { readonly code: string }
}

/** Resolves the requested paths, each once. A link among them is followed; a link below them is not. */
async function distinctPaths(paths: readonly string[]): Promise<readonly RequestedPath[]> {
  const requested = new Map<string, RequestedPath>()
  for (const path of paths) {
    const shown = path.length > 1 ? path.replace(/\/+$/, '') : path
    const real = await realpath(shown).catch((error: unknown) => ({ code: codeOf(error) }))
    const key = typeof real === 'string' ? real : resolve(shown)
    if (!requested.has(key)) requested.set(key, { shown, real })
  }
  return [...requested.values()]
}

/** Folders that an agent writes: no ground truth is read from them, only from the folder around them. */
const WRITTEN = new Set(['agent', 'artifacts', 'agent-logs', 'sessions'])

type Beside = Awaited<ReturnType<typeof withTruthOf>> & { readonly folder: string }

/** Reads the ground truth beside a requested file. `last`: the result for the preceding file, which often shares the folder. */
async function truthBeside(scope: Scope, file: Place, last: Beside | null): Promise<Beside> {
  let folder: Place = { path: dirname(file.path), shown: dirname(file.shown) }
  while (WRITTEN.has(basename(folder.path))) folder = { path: dirname(folder.path), shown: dirname(folder.shown) }
  if (last?.folder === folder.path) return last
  const root = { shown: folder.shown, label: basename(folder.path) }
  return { ...(await withTruthOf({ ...scope, root }, folder)), folder: folder.path }
}

async function* readPath(scope: Scope, place: Place, kind: Stats): AsyncGenerator<TrialItem> {
  if (kind.isDirectory()) yield* walkFolder(scope, place)
  else if (kind.isFile()) yield* walkFile(scope, { path: dirname(place.path), shown: dirname(place.shown) }, place)
  else yield skip(scope, place, 'unsupported', 'is neither a file nor a folder')
  yield* tellHidden(scope, place)
}
