import type { Issue } from '../domain/result.ts'
import type { Trajectory } from '../domain/trajectory.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'

/** Why a request was refused before any judge was asked. `errors` name their places in the request by JSON pointer. */
export interface Refusal {
  readonly code: 'invalid_request' | 'unknown_judge' | 'unknown_rubric' | 'unknown_trajectory' | 'not_cached'
  readonly detail: string
  readonly errors: readonly Issue[]
}

export type GradeOutcome =
  | { readonly ok: true; readonly grade: Grade; readonly cached: boolean }
  | { readonly ok: false; readonly refusal: Refusal }

export type UploadOutcome =
  | { readonly ok: true; readonly trajectory: Trajectory; readonly created: boolean }
  | { readonly ok: false; readonly refusal: Refusal }

/** What HTTP, batch and CLI call. A failed judge is a `Grade` with `status: "failed"`, never an exception. */
export interface GradingService {
  /** `request` has passed `GradeRequestSchema`; its trajectory is read here. Equal requests in flight share one judge call. */
  grade(request: GradeRequest, signal?: AbortSignal): Promise<GradeOutcome>
  upload(document: Record<string, unknown>): Promise<UploadOutcome>
  /** A stored trajectory, read. Null where there is none. */
  trajectory(id: string): Promise<Trajectory | null>
}
