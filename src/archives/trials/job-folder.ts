import { byName, type Listed, type Place, within } from '../unpack/place.ts'
import type { Scope } from './reading-job.ts'
import type { TrialFacts } from './trial-facts.ts'
import { trialFactsOf } from './trial-folder.ts'

/** What harnesses write beside the folders of their trials. */
const HARNESS_FILES = new Set([
  'config.json',
  'result.json',
  'results.json',
  'lock.json',
  'manifest.json',
  'config.harbor.json',
  'result.harbor.json',
  'job.log',
  'run.log',
  'run_metadata.json',
  'tb.lock',
  // Of our Harbor plugin.
  'veridict-summary.json',
])
export const isHarnessFile = (name: string): boolean => HARNESS_FILES.has(name)

/** Files that only a harness writes: the files of common names beside them are its own. */
export const isHarnessMark = (name: string): boolean =>
  name === 'job.log' || name === 'run_metadata.json' || name === 'tb.lock'

/** `<task>__<7 characters>`, as Harbor names the folders of its trials. */
export function isTrialName(name: string): boolean {
  const at = name.lastIndexOf('__')
  const end = name.slice(at + 2)
  return at > 0 && end.length === 7 && /^[A-Za-z0-9]{7}$/.test(end)
}

/**
 * Which run of its task each trial of a folder is, from 0, by the folder's name: no harness but Terminal-Bench numbers them, so
 * they are ordered by their start. Trials of different agents or models are counted apart, over all folders of a reading. Null: nobody
 * can say which task it is, or its harness numbers it.
 */
export async function runIndexes(
  scope: Scope,
  folder: Place,
  listed: readonly Listed[],
): Promise<ReadonlyMap<string, number | null>> {
  const trials: { name: string; facts: TrialFacts; startedAt: string }[] = []
  for (const { name, kind } of listed) {
    const facts = kind === 'folder' ? await trialFactsOf(scope, within(folder, name)) : null
    if (facts === null) continue
    trials.push({ name, facts, startedAt: facts.startedAt ?? '' })
  }
  trials.sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : byName(a.name, b.name)))
  return new Map(trials.map(({ name, facts }) => [name, facts.runIndex ?? scope.job.nextRun(facts)]))
}
