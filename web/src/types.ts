import type { TrajectoryStep } from '../../src/client/contract.ts'

export type { Comparison, LedgerEntry, Panel } from '../../src/client/contract.ts'
export type * from '../../src/schemas/audit/agreement.ts'
export type * from '../../src/schemas/audit/disagreement.ts'
export type * from '../../src/schemas/audit/grade-overview.ts'
export type * from '../../src/schemas/audit/report.ts'
export type * from '../../src/schemas/audit/review.ts'
export type * from '../../src/schemas/batch.ts'
export type * from '../../src/schemas/grade.ts'
export type * from '../../src/schemas/grade-request.ts'
export type * from '../../src/schemas/ground-truth.ts'
export type * from '../../src/schemas/regrade.ts'
export type * from '../../src/schemas/rubric-view.ts'
export type * from '../../src/schemas/session.ts'
export type * from '../../src/schemas/trajectory-view.ts'
export type * from '../../src/schemas/vocabulary.ts'

export type Step = TrajectoryStep
export type Part = Step['parts'][number]
export type Act = NonNullable<Part['act']>
