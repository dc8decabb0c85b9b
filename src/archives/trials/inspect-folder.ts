import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { openInspectSample } from '../../formats/inspect/inspect-sample.ts'
import { findFile, findFolder, listFolder, type Place, within } from '../unpack/place.ts'
import { readJson, readText } from '../unpack/text.ts'
import { type Scope, skip } from './reading-job.ts'
import { NO_FACTS, textAt } from './trial-facts.ts'
import type { TrialItem } from './trial-item.ts'
import { joinTrial } from './trial-join.ts'

const HEAD_BYTES = 64 * 1024 * 1024

/** Reads the header of an Inspect log from its unpacked folder (`.eval`), which holds for all samples; null for any other folder. */
export async function inspectHead(folder: Place): Promise<Json | null> {
  if ((await findFolder(folder, 'samples')) === null) return null
  const header = await readJson(await findFile(folder, 'header.json'), HEAD_BYTES)
  const head = header ?? (await readJson(await findFile(folder, '_journal', 'start.json'), HEAD_BYTES))
  return isRecord(head) && isRecord(head['eval']) ? head : null
}

/** Reads the samples of an Inspect log in turn: never the whole log, which can have gigabytes. */
export async function* readInspectFolder(scope: Scope, folder: Place, head: Json): AsyncGenerator<TrialItem> {
  const { limits } = scope.job
  const samples = within(folder, 'samples')
  const listed = await listFolder(samples, limits.max_entries)
  if (listed === null) yield skip(scope, samples, 'refused', 'cannot be listed, or holds too many samples')
  if (listed?.length === 0) yield skip(scope, samples, 'no_trajectory', 'the log holds no samples')
  for (const { name, kind } of listed ?? []) {
    const file = within(samples, name)
    if (kind !== 'file' || !name.endsWith('.json')) {
      yield skip(scope, file, 'unsupported', 'is no sample')
      continue
    }
    const read = await readText(file, limits.max_file_bytes)
    const sample = read.kind === 'read' ? parseJson(read.text) : undefined
    if (read.kind !== 'read') yield skip(scope, file, read.kind === 'over' ? 'refused' : 'unreadable', read.detail)
    else if (!isRecord(sample)) yield skip(scope, file, 'unreadable', 'the sample is no JSON object')
    else yield await readSample(scope, file, head, sample, read.warnings)
  }
}

/**
 * Joins one sample like a sample of a log in one JSON file, so that both give the same trajectory; the file's name stands for the sample's.
 */
async function readSample(
  scope: Scope,
  file: Place,
  head: Json,
  sample: Json,
  warnings: readonly string[],
): Promise<TrialItem> {
  const run = openInspectSample(head, sample)
  const { id } = sample
  const own = typeof id === 'string' || typeof id === 'number' ? String(id) : null
  const tasks = [run.about.task ?? null, own, textAt(head, 'eval', 'task')]
  const facts = { ...NO_FACTS, tasks: [...new Set(tasks.filter((name) => name !== null))] }
  return joinTrial(scope, { place: file, file, run: { ...run, name: '' }, facts, warnings, folders: [] })
}
