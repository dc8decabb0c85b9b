import type { EvidenceQuestion } from '../domain/evidence/evidence-question.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import type { ShownPicture } from '../domain/trajectory/shown-pictures.ts'
import type { Range } from '../domain/trajectory/view.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { PackedTrajectory } from './packed-trajectory.ts'

/** What the thread of large runs is asked. */
export type LargeJob = {
  readonly trajectory: PackedTrajectory
  readonly ground_truth: GroundTruth
} & ({ readonly kind: 'answer' } | CheckJob)

export interface CheckJob extends Omit<EvidenceQuestion, 'rendering' | 'ground_truth' | 'anchors'> {
  readonly kind: 'check'
  readonly claims: Claims
  readonly nonce: string
  /** What of which part the judge was not shown: step, part, ranges. */
  readonly hidden: readonly (readonly [number, number, readonly Range[]])[]
  /** Step, part, and the picture without its data. */
  readonly pictures: readonly (readonly [number, number, ShownPicture])[]
}
