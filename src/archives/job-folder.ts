import { byName, type Listed, type Place, within } from './place.ts'
import type { Scope } from './reading-job.ts'
import { trialFactsOf } from './trial-folder.ts'

/** What harnesses write beside the folders of their trials. */
const HARNESS_FILES = new Set([
  'config.json',
  'result.json',
  'results.json',
  'lock.json',
  'job.log',
  'run.log',
  'run_metadata.json',
  'tb.lock',
])
export const isHarnessFile = (name: string): boolean => HARNESS_FILES.has(name)

/** Files that nobody but a harness writes: the files of common names beside them are its own. */
export const isHarnessMark = (name: string): boolean =>
  name === 'job.log' || name === 'run_metadata.json' || name === 'tb.lock'

/**
 * Which run of its task each trial of a folder is, from 0, by the folder's name: no harness but Terminal-Bench numbers them, so
 * they are ordered by their start. Trials of different agents or models are counted apart.
 */
export async function runIndexes(
  scope: Scope,
  folder: Place,
  listed: readonly Listed[],
): Promise<ReadonlyMap<string, number>> {
  const trials: { name: string; group: string; startedAt: string }[] = []
  for (const { name, kind } of listed) {
    const facts = kind === 'folder' ? await trialFactsOf(scope, within(folder, name)) : null
    if (facts === null) continue
    const group = JSON.stringify([facts.tasks[0], facts.agent, facts.model])
    trials.push({ name, group, startedAt: facts.startedAt ?? '' })
  }
  trials.sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : byName(a.name, b.name)))
  const seen = new Map<string, number>()
  return new Map(
    trials.map(({ name, group }) => {
      const index = seen.get(group) ?? 0
      seen.set(group, index + 1)
      return [name, index]
    }),
  )
}
