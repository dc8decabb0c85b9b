import { type Scope, skip } from '../trials/reading-job.ts'
import { withTruthOf } from '../trials/trial-folder.ts'
import type { TrialItem } from '../trials/trial-item.ts'
import { findTruth } from '../trials/trial-join.ts'
import { shownName } from '../unpack/names.ts'
import type { Place } from '../unpack/place.ts'
import type { TaskFolder } from './task-folder.ts'

/** Passes a task's folder with its ground truth to `onTask`; a task without ground truth is skipped by name. */
export async function* readTask(
  scope: Scope,
  place: Place,
  names: readonly string[],
  onTask: (task: TaskFolder) => Promise<void>,
): AsyncGenerator<TrialItem> {
  const own = await withTruthOf(scope, place)
  if (own.skipped !== null) yield own.skipped
  const match = findTruth(own.scope, { tasks: names, trials: [] })
  if (match === null)
    return yield skip(scope, place, 'no_ground_truth', `nothing is known of task ${shownName(names[0] ?? '')}`)
  const { groundTruths } = scope.job.options
  const all = groundTruths === undefined ? own.scope.truths : [groundTruths, ...own.scope.truths]
  const rows = all.flatMap((truths) => truths.rowsOf(names))
  await onTask({ place, names, truth: match.truth, variant: match.variant, rows })
}
