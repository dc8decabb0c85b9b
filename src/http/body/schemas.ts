import type { TSchema } from 'typebox'
import { DisagreementSchema } from '../../schemas/audit/disagreement.ts'
import { GradeOverviewSchema } from '../../schemas/audit/grade-overview.ts'
import { PanelResultSchema } from '../../schemas/audit/panel.ts'
import { ReportSchema } from '../../schemas/audit/report.ts'
import { ReviewSchema } from '../../schemas/audit/review.ts'
import { AgreementAnswerSchema } from '../../schemas/audit/stored-agreement.ts'
import { BatchEstimateSchema, BatchItemSchema, BatchResultSchema, BatchSchema } from '../../schemas/batch.ts'
import { BatchCallSchema, GradeSchema, LedgerEntrySchema } from '../../schemas/grade.ts'
import { GroundTruthSchema } from '../../schemas/ground-truth.ts'
import { JudgeViewSchema, UnconfiguredJudgeSchema } from '../../schemas/judge-info.ts'
import { NextCursorSchema } from '../../schemas/page.ts'
import { ProblemSchema } from '../../schemas/problem.ts'
import { ComparisonSchema } from '../../schemas/regrade.ts'
import { RubricViewSchema } from '../../schemas/rubric-view.ts'
import { TrajectoryStepSchema, TrajectorySummarySchema } from '../../schemas/trajectory-view.ts'
import { Closed, Type } from '../../schemas/type.ts'

const listOf = (name: string) => Closed({ items: Type.Array(ref(name)) })
const pageOf = (name: string) => Closed({ items: Type.Array(ref(name)), next_cursor: NextCursorSchema })

const JudgeListSchema = Closed({
  items: Type.Array(ref('Judge')),
  not_configured: Type.Array(UnconfiguredJudgeSchema, { description: 'Judges that lack their key.' }),
})

/** The named components of the OpenAPI document. */
export const COMPONENTS = {
  Grade: GradeSchema,
  GradePage: pageOf('Grade'),
  Panel: Closed({ items: Type.Array(ref('Grade')), result: PanelResultSchema }),
  GradeOverview: GradeOverviewSchema,
  GroundTruth: GroundTruthSchema,
  LedgerEntry: LedgerEntrySchema,
  BatchCall: BatchCallSchema,
  LedgerEntryList: listOf('LedgerEntry'),
  TrajectorySummary: TrajectorySummarySchema,
  TrajectoryStep: TrajectoryStepSchema,
  TrajectoryStepPage: pageOf('TrajectoryStep'),
  Rubric: RubricViewSchema,
  RubricList: listOf('Rubric'),
  Judge: JudgeViewSchema,
  JudgeList: JudgeListSchema,
  Batch: BatchSchema,
  BatchItem: BatchItemSchema,
  BatchPage: pageOf('Batch'),
  BatchResult: BatchResultSchema,
  BatchEstimate: BatchEstimateSchema,
  Comparison: ComparisonSchema,
  Report: ReportSchema,
  Review: ReviewSchema,
  ReviewPage: pageOf('Review'),
  Disagreement: DisagreementSchema,
  DisagreementPage: pageOf('Disagreement'),
  Agreement: AgreementAnswerSchema,
  Status: Closed({ status: Type.String() }),
  Problem: ProblemSchema,
} satisfies Record<string, TSchema>
type ComponentName = keyof typeof COMPONENTS

function ref(name: string): TSchema {
  return Type.Unsafe({ $ref: `${name}#` })
}

interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
  readonly headers?: Readonly<Record<string, object>>
}

/** Describes a successful answer. */
export const answer = (name: ComponentName, description: string, example?: unknown): Response => ({
  description,
  content: { 'application/json': { schema: ref(name), ...(example !== undefined && { example }) } },
})

/** Describes a successful answer that is a stream of components. */
export const streamed = (type: string, name: ComponentName, description: string): Response => ({
  description,
  content: { [type]: { schema: { type: 'string', description: `A stream of \`${name}\`.` } } },
})

const RETRY_AFTER = {
  'retry-after': { type: 'integer', description: 'Seconds after which to try again, where known.' },
}

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The request is not understood; `errors` names the places.',
  404: 'There is no such thing.',
  409: 'A request with this Idempotency-Key is still being answered.',
  413: 'The body is larger than the service takes.',
  415: 'The body is not declared as application/json.',
  422: 'This Idempotency-Key was used with another body.',
  500: 'Something went wrong in the service.',
  502: 'The judge failed; `code` says how, `grade_id` names the stored attempt.',
  503: 'The judge is out of quota or busy, the database cannot be written, or the service is stopping.',
  504: 'The judge did not answer in time.',
}
const WITH_RETRY_AFTER = new Set([409, 503])

/** Describes the problems of a route, always with 500 and 503. */
export function problems(...statuses: number[]): Record<number, Response> {
  const all = [...statuses, 500, 503].sort((a, b) => a - b)
  return Object.fromEntries(
    all.map((status) => [
      status,
      {
        description: PROBLEMS[status] ?? 'Error',
        content: { 'application/problem+json': { schema: ref('Problem') } },
        ...(WITH_RETRY_AFTER.has(status) && { headers: RETRY_AFTER }),
      },
    ]),
  )
}

export const NoQuery = Closed({})
/** The parameters of a path with `:id`. */
export const IdParams = Closed({ id: Type.String({ maxLength: 100 }) })
/** The query parameter of a name that selects grades. */
export const nameFilter = (description?: string) =>
  Type.Optional(Type.String({ maxLength: 300, ...(description !== undefined && { description }) }))
export const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The first success under this key is stored and replayed to the same body.',
    }),
  ),
})
