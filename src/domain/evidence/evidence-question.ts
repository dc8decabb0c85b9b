import type { GroundTruth } from '../../schemas/ground-truth.ts'
import type { Rubric } from '../rubric/rubric.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import type { Anchors } from './anchors.ts'

export interface EvidenceQuestion {
  readonly rendering: Rendering
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
  readonly denied_acts: DeniedActs
}

export interface UnmetClaim {
  /** The id of a claim of the rubric. */
  readonly claim: string
  readonly reason: string
  /** The step that refutes the claim, where one does. */
  readonly step_id: number | null
}

/**
 * What an act that is denied means while a given action anchor stands in an action: `flag`, a contradiction (design rule 7); `refuse`, a
 * claim that does not hold, as any other absence (rule 5).
 */
export const DENIED_ACTS = ['flag', 'refuse'] as const

export type DeniedActs = (typeof DENIED_ACTS)[number]
