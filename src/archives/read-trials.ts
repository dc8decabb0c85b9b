import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { DEFAULT_LIMITS } from './limits.ts'
import { codeOf, type Place } from './place.ts'
import { ReadingJob, type ReadTrialsOptions, type Scope, skip } from './reading-job.ts'
import type { TrialItem } from './trial-item.ts'
import { tellRest, walkFile, walkFolder } from './walk.ts'

export type { ReadProgress, ReadTrialsOptions } from './reading-job.ts'

/**
 * Reads the trials below some paths, one after the other, each with its ground truth, signals and metadata.
 *
 * A path may be a Harbor job or trial folder, a Terminal-Bench 1 run, an Inspect log (`.eval` or JSON), a trajectory of any format
 * that `src/formats` reads, a file of grade requests (one a line), a folder of any of them, or an archive (`.tar`, `.tar.gz`,
 * `.tar.zst`, `.zip`) of any of them. What a file is, is told from its content.
 *
 * Everything that is found is answered: what cannot be graded comes as `skipped`, with its name and the reason. The order is that
 * of the paths, and of names within; an item's name depends on nothing but where it stands. No more is held in memory than one
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
  const unpacked = { entries: 0, bytes: 0 }
  for (const [index, path] of paths.entries()) {
    options.abort?.throwIfAborted()
    const shown = path.length > 1 ? path.replace(/\/+$/, '') : path
    const scope: Scope = {
      job,
      root: { shown, label: labelOf(paths, index) },
      unpacked,
      nested: 0,
      depth: 0,
      truths: [],
      run: null,
      told: { files: 0, hidden: 0 },
    }
    for await (const item of readPath(scope, shown)) yield job.hand(item, unpacked)
  }
}

/** What a path is called in names of items: its last name, with as much before it as tells it from the other paths. */
function labelOf(paths: readonly string[], index: number): string {
  const labels = paths.map((path) => basename(resolve(path)))
  const label = labels[index] ?? ''
  const parent = basename(dirname(resolve(paths[index] ?? '.')))
  return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${parent}/${label}`
}

async function* readPath(scope: Scope, shown: string): AsyncGenerator<TrialItem> {
  // A link that is given by name is followed; one that is found is not.
  const path = await realpath(shown).catch((error: unknown) => ({ code: codeOf(error) }))
  if (typeof path !== 'string')
    return yield skip(scope, { path: shown, shown }, 'unreadable', `cannot be opened: ${path.code}`)
  const place: Place = { path, shown }
  const kind = await stat(path)
  if (kind.isDirectory()) yield* walkFolder(scope, place)
  else if (kind.isFile()) {
    const folder: Place = { path: dirname(path), shown: dirname(shown) }
    yield* walkFile(scope, folder, place, new Set())
  } else yield skip(scope, place, 'unsupported', 'is neither a file nor a folder')
  yield* tellRest(scope, place)
}
