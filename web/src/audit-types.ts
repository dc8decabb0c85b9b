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
