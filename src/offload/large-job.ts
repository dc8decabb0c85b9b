import type { EvidenceQuestion } from '../domain/evidence/evidence-question.ts'
import type { Issue, Result } from '../domain/result.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Picture } from '../domain/trajectory/picture.ts'
import type { ShownPicture } from '../domain/trajectory/shown-pictures.ts'
import type { Range } from '../domain/trajectory/view.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { PackedTrajectory } from './packed-trajectory.ts'

/** What the thread of large runs is asked. */
export type LargeJob = ReadJob | RunJob

/** A body that asks for one grade: to be parsed, and its trajectory read. */
export interface ReadJob {
  readonly kind: 'read'
  readonly chunks: readonly Uint8Array[]
  readonly limits: ReadLimits & { readonly depth: number }
}

/** The body, but for the document of its trajectory; or why it cannot be parsed. */
export type ReadBody =
  | { readonly body: unknown; readonly trajectory: Result<ReadRun, readonly Issue[]> | null }
  | { readonly refused: { readonly code: string; readonly detail: string; readonly errors: readonly Issue[] } }

export interface ReadRun {
  readonly packed: PackedTrajectory
  /** Of each part that has one, by its place among all parts. */
  readonly pictures: readonly (readonly [number, Picture])[]
  /** As it is stored. */
  readonly document: Uint8Array
}

export type RunJob = {
  readonly trajectory: PackedTrajectory
  readonly ground_truth: GroundTruth
} & ({ readonly kind: 'answer'; readonly rubric: Rubric } | CheckJob)

export interface CheckJob extends Omit<EvidenceQuestion, 'rendering' | 'ground_truth' | 'anchors'> {
  readonly kind: 'check'
  readonly claims: Claims
  readonly nonce: string
  /** What of which part the judge was not shown: step, part, ranges. */
  readonly hidden: readonly (readonly [number, number, readonly Range[]])[]
  /** Step, part, and the picture without its data. */
  readonly pictures: readonly (readonly [number, number, ShownPicture])[]
}
