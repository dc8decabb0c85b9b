import type { Digest } from '../domain/digest.ts'
import type { GradeOverview } from '../schemas/audit/grade-overview.ts'
import type { Review } from '../schemas/audit/review.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GroundTruth, Signals } from '../schemas/ground-truth.ts'
import type { ItemRef } from './batch-ports.ts'

/** What a grade has to be, all of it; what is absent is not asked for. */
export interface GradeFilter {
  readonly label?: string
  readonly status?: string
  readonly judge?: string
  readonly rubric?: string
  readonly agent?: string
  readonly model?: string
  readonly task?: string
  readonly batch?: string
}

export interface GradeQuery extends GradeFilter {
  readonly limit: number
  /** Exclusive: grades older than this id. */
  readonly before?: string
}

/** A grade with the digests that are not part of its public form. */
export interface GradeRecord {
  readonly grade: Grade
  readonly ground_truth: GroundTruth
  /** The batch item that it settles, in the same unit of work. */
  readonly item?: ItemRef
  /** Kept beside the others without answering its key: what was checked again must not stand for what would be asked. */
  readonly silent?: boolean
  /** Tokens of the leases under which it was made; that of its item comes with the item. */
  readonly leases?: readonly string[]
}

export interface GradeStore {
  /**
   * One unit of work: the grade, its ground truth, and (unless it failed) that it now answers its key. A failed grade never
   * replaces a good one. Rejects with `lease_lost` where a lease is lost.
   */
  put(record: GradeRecord): Promise<void>
  get(id: string): Promise<Grade | null>
  /** Those of them that are stored, in no order. */
  getMany(ids: readonly string[]): Promise<readonly Grade[]>
  /** The JSON of `get` as it is stored: what is only passed on is not parsed. */
  getText(id: string): Promise<string | null>
  getGroundTruth(id: string): Promise<GroundTruth | null>
  /** The grade that answers the key now. */
  findByKey(key: Digest): Promise<Grade | null>
  /** Finds the JSON text of the same grade. */
  findTextByKey(key: Digest): Promise<string | null>
  /** Newest first. */
  list(query: GradeQuery): Promise<readonly Grade[]>
  /**
   * Newest first: of each key the grade that answers it, or, where it never got one, its newest failure. What only checked
   * stored replies again is left out.
   */
  listStanding(query: GradeQuery): Promise<readonly StandingGrade[]>
  /** The standing grades of one question, newest first. */
  listForQuestion(question: string): Promise<readonly StandingGrade[]>
  /** Of all stored grades but those that only checked stored replies again; kept as they are written, so that asking costs nothing. */
  countEvidence(): Promise<readonly EvidenceCount[]>
}

/** So many grades, or checked citations in grades, of one judge and rubric that ended so. */
export interface EvidenceCount {
  readonly judge: string
  readonly rubric: string
  readonly kind: 'grade' | 'citation'
  readonly status: string
  readonly n: number
}

/** A grade with what the harness measured in its trial. */
export interface StandingGrade {
  readonly grade: Grade
  readonly signals: Signals
}

/** What is graded, apart from by whom: `sha256:…/sha256:…`, the trajectory and its ground truth. */
export const questionOf = ({ receipt }: Pick<Grade, 'receipt'>): string =>
  `${receipt.trajectory}/${receipt.ground_truth}`

export interface ReviewQuery {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  readonly limit: number
  /** Exclusive: reviews older than this id. */
  readonly before?: string
}

/** Human labels, append-only. */
export interface ReviewStore {
  put(review: Review): Promise<void>
  /** Newest first. */
  list(query: ReviewQuery): Promise<readonly Review[]>
}

/** Counts grades for an overview, in bounded time. */
export interface GradeOverviewReader {
  /** Of the newest `most` grades that fit the most selective filter, those that fit the others, too. */
  read(query: GradeFilter, most?: number): Promise<GradeOverview>
}
