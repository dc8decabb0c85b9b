import { byName, type Listed, type Place, within } from '../unpack/place.ts'
import type { Scope } from './reading-job.ts'
import type { TrialFacts } from './trial-facts.ts'
import { trialFactsOf } from './trial-folder.ts'

/** Files that harnesses write beside the folders of their trials. */
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
  // A file of Veridict's own Harbor plugin.
  'veridict-summary.json',
])
export const isHarnessFile = (name: string): boolean => HARNESS_FILES.has(name)

/** Recognizes files that only a harness writes: common file names beside them are the harness's, too. */
export const isHarnessMark = (name: string): boolean =>
  name === 'job.log' || name === 'run_metadata.json' || name === 'tb.lock'

/** Recognizes Harbor's names of trial folders: `<task>__<7 characters>`. */
export function isTrialName(name: string): boolean {
  const at = name.lastIndexOf('__')
  const end = name.slice(at + 2)
  return at > 0 && end.length === 7 && /^[A-Za-z0-9]{7}$/.test(end)
}

/**
 * Numbers the trials of a folder as runs of their tasks, from 0, by folder name. Only Terminal-Bench numbers its trials, so the start times
 * decide the order. Trials of different agents or models are counted apart, over all folders of a reading. Null: the trial's task is not
 * known.
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
