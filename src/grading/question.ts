import type { Digest } from '../domain/digest.ts'
import type { Anchors } from '../domain/evidence/anchors.ts'
import type { DeniedActs } from '../domain/evidence/evidence-question.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Judge } from '../ports/ports.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'

/** One question, everything looked up: what is graded, by which rubric, by whom, under which key. */
export interface Question {
  readonly trajectory: Trajectory
  /** In its normal form. */
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
  readonly judge: Judge
  readonly samples: number
  readonly denied_acts: DeniedActs
  readonly key: Digest
  /** Made when first asked for: the mark in the frames of what a judge is shown. */
  readonly nonce: string
  /** The grade that the answer will become. */
  readonly grade_id: string
}
