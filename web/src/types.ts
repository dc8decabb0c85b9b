import type { TrajectoryStep } from '../../src/client/contract.ts'

export type { Comparison, LedgerEntry, Panel } from '../../src/client/contract.ts'
export type * from '../../src/schemas/agreement.ts'
export type * from '../../src/schemas/batch.ts'
export type * from '../../src/schemas/grade.ts'
export type * from '../../src/schemas/report.ts'
export type * from '../../src/schemas/review.ts'
export type * from '../../src/schemas/rubric.ts'
export type * from '../../src/schemas/trial.ts'
export type * from '../../src/schemas/views.ts'
export type * from '../../src/schemas/vocabulary.ts'

export type Step = TrajectoryStep
export type Part = Step['parts'][number]
export type Act = NonNullable<Part['act']>
