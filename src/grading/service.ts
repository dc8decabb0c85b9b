import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'
import type { GradingJob } from './job.ts'
import type { Judged } from './judging.ts'
import type { Refusal } from './refusal.ts'
import type { Admitted, Refused, Resolved } from './resolve.ts'

export type GradeOutcome =
  | { readonly ok: true; readonly grade: Grade; readonly cached: boolean }
  | { readonly ok: false; readonly refusal: Refusal }

/** What one run at an item of a batch ended in; only the first settles it. */
export type ItemOutcome =
  | Judged
  | { readonly kind: 'graded'; readonly grade: Grade; readonly cached: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

export type UploadOutcome =
  | { readonly ok: true; readonly trajectory: Trajectory; readonly created: boolean }
  | { readonly ok: false; readonly refusal: Refusal }

/** What HTTP, batch and CLI call. A failed judge is a `Grade` with `status: "failed"`, never an exception. */
export interface GradingService {
  /** `request` has passed `GradeRequestSchema`; its trajectory is read here. Equal requests in flight share one judge call, which its first payer pays. */
  grade(request: GradeRequest, payer?: Payer | null): Promise<GradeOutcome>
  /** The same for an item of a batch, which a new grade settles in the unit of work that stores it. */
  gradeItem(request: GradeRequest, job: GradingJob): Promise<ItemOutcome>
  /**
   * Whether a request can be graded: its names are known, its trajectory can be read. `read`: the request's document, where the caller has read it
   * already. Nothing is stored or asked.
   */
  admit(request: GradeRequest, read?: Trajectory | null): Promise<Admitted>
  /** The whole question, with its key. Nothing is stored or asked. */
  resolve(request: GradeRequest): Promise<Resolved | Refused>
  /** Stores a trajectory that was read from the document. */
  store(trajectory: Trajectory, document: Record<string, unknown>): Promise<boolean>
  /** One run in any supported format: an object, or an array of records. */
  upload(document: Record<string, unknown> | readonly unknown[]): Promise<UploadOutcome>
  /** A stored trajectory, read. Null where there is none. */
  trajectory(id: string): Promise<Trajectory | null>
}
