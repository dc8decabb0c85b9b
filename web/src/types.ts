import type { Static } from 'typebox'
import type { AttemptSummary } from '../../src/schemas/grade.ts'
import type { TrajectoryStepSchema } from '../../src/schemas/trajectory-view.ts'

export type { GradeOverview } from '../../src/schemas/audit/grade-overview.ts'
export type { Batch, BatchResult, ResultGrade } from '../../src/schemas/batch.ts'
export type {
  CheckedCitation,
  Contradiction,
  Grade,
  Unread,
  Vote,
} from '../../src/schemas/grade.ts'
export type { TrialMetadata } from '../../src/schemas/grade-request.ts'
export type { GroundTruth, Instruction, Signals } from '../../src/schemas/ground-truth.ts'
export type { RubricView } from '../../src/schemas/rubric-view.ts'
export type { Who } from '../../src/schemas/session.ts'
export type { TrajectorySummary } from '../../src/schemas/trajectory-view.ts'
export type {
  ActOutcome,
  Actor,
  ActRole,
  BatchStatus,
  Behaviour,
  CitationStatus,
  ConfidenceLevel,
  ContradictionCode,
  GradeStatus,
  Label,
} from '../../src/schemas/vocabulary.ts'

export type Step = Static<typeof TrajectoryStepSchema>
export type Part = Step['parts'][number]
export type Act = NonNullable<Part['act']>

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}
export interface List<T> {
  readonly items: readonly T[]
}

/** One call of a judge, as `GET /v1/grades/{id}/attempts` has it. */
export type LedgerEntry = Omit<AttemptSummary, 'replayed' | 'latency_ms'> & {
  readonly latency_ms: number | null
  readonly judge: string
  readonly batch: string | null
  readonly started_at: string
  readonly request_digest: string
  readonly model_resolved: string | null
  readonly raw_reply?: string | null
}

export type { Comparison } from '../../src/client/contract.ts'
export type { Statistic, UndefinedReason } from '../../src/schemas/audit/agreement.ts'
export type { Disagreement, DisagreementKind } from '../../src/schemas/audit/disagreement.ts'
export type {
  AlignmentFigures,
  ClaimFigure,
  Corrected,
  JudgeEvidence,
  JudgeQuality,
  Mean,
  Paired,
  PairedReport,
  Pairing,
  Rate,
  Report,
  ReportGroup,
} from '../../src/schemas/audit/report.ts'
export type { Review, ReviewRequest, Sampling } from '../../src/schemas/audit/review.ts'
export type { Flip } from '../../src/schemas/regrade.ts'
