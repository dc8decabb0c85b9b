import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'
import type { MarkerName, Removed } from './marker-finding.ts'

/** Variants whose name says what was taken out of the environment; every other one has what its ground truth names. */
export const CUE_REMOVED = 'cue-removed'
export const DISTRACTOR_REMOVED = 'distractor-removed'

/** What the row of a task or run says of its markers, and what any row of the task says. */
interface Known {
  readonly own: Readonly<Partial<Record<MarkerName, unknown>>>
  readonly ofTask: Readonly<Partial<Record<MarkerName, unknown>>>
}

/**
 * Which markers must not be there: both in a Terminal-Bench run as it is, one where the variant's name says that it was removed, or where
 * the row leaves it out and another row of the same task has it.
 */
export function removedIn(variant: string | undefined, { own, ofTask }: Known): Removed {
  const of = (marker: MarkerName, removedBy: string): Removed[MarkerName] => {
    if (variant === BASELINE_VARIANT) return 'in_baseline'
    const isLeftOut = own[marker] === undefined && ofTask[marker] !== undefined
    return variant === removedBy || isLeftOut ? 'in_ablation' : null
  }
  return { cue: of('cue', CUE_REMOVED), distractor: of('distractor', DISTRACTOR_REMOVED) }
}
