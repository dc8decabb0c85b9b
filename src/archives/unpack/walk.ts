import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { readTask, taskNamesIn } from '../tasks/task-folder.ts'
import { trialsNamedBy } from '../trials/harbor.ts'
import { type Scope, skip, type TrialItem } from '../trials/reading-job.ts'
import { holdsRequests, isRequest, readRequestLines, requestItem } from '../trials/request-lines.ts'
import { noRunIn, openRunFile, readingOrder } from '../trials/run-files.ts'
import { inspectHead, isOpencodeStorage, readInspectFolder, readOpencodeStorage } from '../trials/stored-runs.ts'
import { NO_FACTS, runFactsIn, type TrialFacts } from '../trials/trial-facts.ts'
import { isTruthFile, readTrialFolder, trialFactsOf, withTruthOf } from '../trials/trial-folder.ts'
import { joinTrial } from '../trials/trial-join.ts'
import { safeText } from './names.ts'
import { byName, codeOf, isUtf16, type Listed, listFolder, nameIn, type Place, readAt, within } from './place.ts'
import { makeTempFolder, type Spool } from './spool.ts'
import { ARRAY, firstByte, OBJECT, type Packing, packingIn, unpackArchive } from './unpack.ts'

/** Reads all items below a folder: a trial, an unpacked Inspect log, or any other folder. */
export async function* walkFolder(scope: Scope, folder: Place): AsyncGenerator<TrialItem> {
  const { limits } = scope.job
  const facts = await trialFactsOf(scope, folder)
  if (facts !== null)
    return yield* readTrialFolder(scope, folder, { ...facts, runIndex: facts.runIndex ?? scope.job.nextRun(facts) })
  const head = await inspectHead(folder)
  if (head !== null) return yield* readInspectFolder(scope, folder, head)
  const { onTask } = scope.job.options
  const names = onTask === undefined ? null : await taskNamesIn(folder)
  if (onTask !== undefined && names !== null) return yield* readTask(scope, folder, names, onTask)
  if (scope.depth >= limits.max_depth)
    return yield skip(scope, folder, 'refused', `stands more than ${limits.max_depth} folders deep`)
  const listed = await listFolder(folder, limits.max_entries)
  if (listed === null)
    return yield skip(scope, folder, 'refused', `cannot be listed, or holds more than ${limits.max_entries} names`)
  const { scope: own, skipped } = await withTruthOf(scope, folder)
  if (skipped !== null) yield skipped
  if (await isOpencodeStorage(folder, limits.max_entries)) return yield* readOpencodeStorage(own, folder)
  const run = (await runFactsIn(folder)) ?? scope.run
  yield* walkListed({ ...own, run, depth: scope.depth + 1 }, folder, listed)
}

async function* walkListed(scope: Scope, folder: Place, listed: readonly Listed[]): AsyncGenerator<TrialItem> {
  const names = new Set(listed.map(({ name }) => name))
  const indexes = await runIndexes(scope, folder, listed)
  const named = names.has('result.json') ? await trialsNamedBy(folder) : []
  const isJob = indexes.size > 0 || named.length > 0 || listed.some(({ name }) => isHarnessMark(name))
  const missing = 'the job’s result.json names it, and its folder is not here'
  for (const name of named) if (!names.has(name)) yield skip(scope, within(folder, name), 'no_trajectory', missing)
  const { job } = scope
  for (const { name, kind } of await readingOrder(folder, listed, job.limits)) {
    const place = within(folder, name)
    if (name.startsWith('.') || name === '__MACOSX') scope.skippedFiles.hidden++
    else if (kind === 'link') yield skip(scope, place, 'refused', 'is a symbolic link, which is not followed')
    else if (kind === 'other') yield skip(scope, place, 'refused', 'is neither a file nor a folder')
    else if (kind === 'folder')
      yield* orEmpty(scope, place, isJob && isTrialName(name), walkSubfolder(scope, place, names, indexes.get(name)))
    else if (!isTruthFile(name) && !job.consumed.has(place.path) && !(isJob && HARNESS_FILES.has(name)))
      yield* walkFile(scope, folder, place)
  }
}

/** Yields the items of a folder; for an empty folder with a trial's name, an item that reports it empty. */
async function* orEmpty(
  scope: Scope,
  folder: Place,
  isTrial: boolean,
  items: AsyncIterable<TrialItem>,
): AsyncGenerator<TrialItem> {
  let count = 0
  for await (const item of items) {
    count++
    yield item
  }
  if (count === 0 && isTrial)
    yield skip(scope, folder, 'no_trajectory', 'the trial’s folder holds nothing that is a run')
}

async function* walkSubfolder(
  scope: Scope,
  folder: Place,
  names: ReadonlySet<string>,
  runIndex: number | null | undefined,
): AsyncGenerator<TrialItem> {
  const facts = runIndex === undefined ? null : await trialFactsOf(scope, folder)
  if (facts !== null) return yield* readTrialFolder(scope, folder, { ...facts, runIndex: runIndex ?? null })
  const subagents = 'belongs to the session beside it: subagents are no runs of their own'
  if (names.has(`${nameIn(folder)}.jsonl`)) return yield skip(scope, folder, 'unsupported', subagents)
  yield* walkFolder(scope, folder)
}

/** Reads a file, requested or in a folder: an archive, a file of requests, or a file of runs. */
export async function* walkFile(scope: Scope, folder: Place, file: Place): AsyncGenerator<TrialItem> {
  const { groundTruths } = scope.job.options
  if (groundTruths !== undefined && resolve(groundTruths.source) === resolve(file.shown)) return
  const head = await readAt(file.path, 0, 512).catch((error: unknown) => codeOf(error))
  if (typeof head === 'string') return yield skip(scope, file, 'unreadable', `cannot be opened: ${head}`)
  const packing = await packingIn(file.path, head)
  if (packing !== null) return yield* walkArchive(scope, file, packing)
  const { limits } = scope.job
  const first = firstByte(head)
  // An odd line may stand before the requests.
  if ((first === OBJECT || (first !== ARRAY && head.includes('\n{'))) && (await holdsRequests(file, limits)))
    return yield* readRequestLines(scope, file)
  if (first !== undefined && first !== OBJECT && first !== ARRAY && !isUtf16(head))
    return yield skip(scope, file, 'unsupported', noRunIn(head.toString()))
  const opened = await openRunFile(folder, file, limits)
  if (opened.kind !== 'opened') return yield skip(scope, file, opened.kind, opened.detail)
  for (const path of opened.consumed) scope.job.consumed.add(path)
  for (const run of opened.runs) {
    const { document } = run
    yield isRequest(document)
      ? requestItem(scope, file, document, run.name)
      : await joinTrial(scope, { place: file, file, run, facts: NO_FACTS, warnings: opened.warnings, folders: [] })
  }
}

/** Unpacks an archive into a folder that only this user can enter, walks it, and removes it however the walk ends. */
async function* walkArchive(scope: Scope, file: Place, packing: Packing): AsyncGenerator<TrialItem> {
  const { job, nested, unpacked } = scope
  const { abort, tempFolder = tmpdir() } = job.options
  if (nested >= job.limits.max_nested)
    return yield skip(scope, file, 'refused', `an archive inside of ${nested} others is not opened`)
  const path = await makeTempFolder(tempFolder)
  try {
    job.tell(file.shown, unpacked)
    const onProgress = () => job.tell(file.shown, unpacked)
    const options = { folder: path, unpacked, limits: job.limits, abort, onProgress }
    const result = await unpackArchive(file.path, nameIn(file), packing, options)
    if (result.kind !== 'unpacked') return yield skip(scope, file, result.kind, result.detail)
    const inside: Place = { path, shown: `${file.shown}!` }
    yield* walkFolder({ ...scope, nested: nested + 1 }, inside)
    // Reported after the read items, so that an entry with another's name does not get its item's name.
    yield* tellRefused(scope, inside, result.spool)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

function* tellRefused(scope: Scope, inside: Place, { refused, untold }: Spool): Generator<TrialItem> {
  for (const { name, detail } of refused) {
    const item = skip(scope, inside, 'refused', detail)
    yield { ...item, name: `${item.name}${name}`, source: `${inside.shown}${safeText(name)}` }
  }
  if (untold > 0) yield skip(scope, inside, 'refused', `${untold} more of its entries were refused`, 'entries')
}

/** Reports the hidden files below a path, which were only counted, as one item. */
export function* tellHidden(scope: Scope, place: Place): Generator<TrialItem> {
  const { hidden } = scope.skippedFiles
  if (hidden > 0)
    yield skip(scope, place, 'unsupported', `${hidden} hidden files or folders were not looked at`, 'hidden')
}

/** Files that harnesses write beside the folders of their trials. */
const HARNESS_FILES: ReadonlySet<string> = new Set([
  ...'config.json result.json results.json lock.json manifest.json config.harbor.json result.harbor.json'.split(' '),
  // `veridict-summary.json` is a file of Veridict's own Harbor plugin.
  ...'job.log run.log run_metadata.json tb.lock veridict-summary.json'.split(' '),
])

/** Recognizes files that only a harness writes: common file names beside them are the harness's, too. */
const isHarnessMark = (name: string): boolean =>
  name === 'job.log' || name === 'run_metadata.json' || name === 'tb.lock'

/** Recognizes Harbor's names of trial folders: `<task>__<7 characters>`. */
function isTrialName(name: string): boolean {
  const at = name.lastIndexOf('__')
  const end = name.slice(at + 2)
  return at > 0 && end.length === 7 && /^[A-Za-z0-9]{7}$/.test(end)
}

/** Numbers the runs of a task in a folder, from 0: by start time where the harness numbers none, apart by agent and model. Null: no task. */
async function runIndexes(
  scope: Scope,
  folder: Place,
  listed: readonly Listed[],
): Promise<ReadonlyMap<string, number | null>> {
  const trials: { name: string; facts: TrialFacts; startedAt: string }[] = []
  for (const { name, kind } of listed) {
    const facts = kind === 'folder' ? await trialFactsOf(scope, within(folder, name)) : null
    if (facts !== null) trials.push({ name, facts, startedAt: facts.startedAt ?? '' })
  }
  trials.sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : byName(a.name, b.name)))
  return new Map(trials.map(({ name, facts }) => [name, facts.runIndex ?? scope.job.nextRun(facts)]))
}
