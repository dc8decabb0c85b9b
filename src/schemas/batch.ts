import type { Static } from 'typebox'
import { FailureSchema, GradeSchema, UnreadSchema } from './grade.ts'
import { GradeRequestSchema, TrialMetadataSchema } from './grade-request.ts'
import { Closed, Count, Nullable, Timestamp, Type } from './type.ts'
import {
  BatchKindSchema,
  BatchModeSchema,
  BatchStatusSchema,
  CacheModeSchema,
  FAILURE_CODES,
  ItemStatusSchema,
  LabelSchema,
  MOST_SAMPLES,
} from './vocabulary.ts'

const ItemId = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'The caller’s own name of the item, unique in its batch. Its index where absent.',
})

/** An item of a batch: a grade request with a name. */
export const BatchItemSchema = Closed({ item_id: Type.Optional(ItemId), ...GradeRequestSchema.properties })
export type BatchItem = Static<typeof BatchItemSchema>

/** The options of a batch: in the query beside NDJSON, beside `items` in JSON. */
export const BatchOptions = {
  name: Type.Optional(Type.String({ maxLength: 300, description: 'For people.' })),
  key: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The caller’s own key: `GET /v1/batches?key=` finds the batch again.',
    }),
  ),
  mode: Type.Optional(BatchModeSchema),
  max_cost_usd: Type.Optional(
    Type.Number({
      minimum: 0,
      description:
        'Hard cap: the upper bound of a call is reserved before it is made; items wait for what comes back, and fail as `budget_exceeded` once nothing does.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'Answers what the batch would cost; nothing is asked and nothing is kept.',
    }),
  ),
  judge: Type.Optional(Type.String({ maxLength: 200, description: 'For items that name none.' })),
  rubric: Type.Optional(Type.String({ maxLength: 200, description: 'For items that name none.' })),
  samples: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_SAMPLES, description: 'For items that say none.' })),
  cache: Type.Optional(CacheModeSchema),
}
export const BatchOptionsSchema = Closed(BatchOptions)
export type BatchOptions = Static<typeof BatchOptionsSchema>

export const BatchRequestSchema = Closed({ ...BatchOptions, items: Type.Array(BatchItemSchema, { minItems: 1 }) })
export type BatchRequest = Static<typeof BatchRequestSchema>

const BatchCountsSchema = Closed({
  total: Count('Always the sum of all that follow.'),
  pending: Count('Not begun, or put back because its judge was parked.'),
  running: Count('Being graded, or waiting for a provider’s batch.'),
  graded: Count('With a label.'),
  unverified: Count('Without one: the evidence does not hold.'),
  failed: Count('With a failure code.'),
  cancelled: Count('Never graded.'),
})
export type BatchCounts = Static<typeof BatchCountsSchema>

const countsOf = (words: readonly string[], description: string) =>
  Closed(Object.fromEntries(words.map((word) => [word, Type.Optional(Type.Integer({ minimum: 0 }))])), { description })

export const FailureCountsSchema = countsOf(FAILURE_CODES, 'Failures by code; a code that did not occur is absent.')

export const BatchSchema = Closed({
  id: Type.String(),
  kind: BatchKindSchema,
  mode: BatchModeSchema,
  name: Nullable(Type.String()),
  key: Nullable(Type.String()),
  status: BatchStatusSchema,
  counts: BatchCountsSchema,
  labels: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Labels so far, of whatever rubrics it asks by; a label that did not occur is absent.',
  }),
  failures: FailureCountsSchema,
  cached: Count(
    'Items answered by a grade that was made for another: an equal item of the batch, or an earlier request.',
  ),
  calls: Closed({
    made: Count('Judge calls of this batch.'),
    unknown: Count('Calls in flight at a crash: perhaps paid for.'),
  }),
  cost_usd: Nullable(Type.Number({ description: 'Known costs of its calls; null where a call’s price is unknown.' })),
  uncertain_usd: Type.Number({
    description:
      'Upper bounds of calls that may have been paid for: timed out, broken off, in flight at a crash. A cap counts them as spent.',
  }),
  max_cost_usd: Nullable(Type.Number()),
  round: Type.Optional(
    Closed(
      {
        number: Type.Integer({ minimum: 1, description: 'Rounds of this batch that came back, and one.' }),
        questions: Count('That lie with the provider.'),
        begun_at: Timestamp,
        ends_by: Type.String({
          format: 'date-time',
          description: 'A day later: by then the provider answers or gives up.',
        }),
        usual_seconds: Nullable(
          Type.Number({ description: 'Median of this judge’s newest twenty rounds here; null: none came back yet.' }),
        ),
      },
      { description: 'Only while questions of the batch lie with a provider’s batch endpoint.' },
    ),
  ),
  parked_reason: Nullable(
    Type.String({
      description:
        'Why a parked batch does not go on; of a running batch, `waiting: no worker for NAME` while no process that runs batches has its judge, and `NAME: CODE, waiting until TIME` while its judge asked for a pause.',
    }),
  ),
  resumes_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When a parked batch tries again by itself; null: when told to.',
    }),
  ),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type Batch = Static<typeof BatchSchema>

const { confidence, claimed_label, outcome, claims, contradictions, unmet, receipt } = GradeSchema.properties

/** Members of a grade that tell how far a result can be trusted. */
const ResultGradeSchema = Closed(
  {
    judge: receipt.properties.judge,
    confidence,
    claimed_label,
    outcome,
    claims,
    contradictions,
    unmet,
    evidence: Closed({ cited: Count('Citations.'), held: Count('Of these, those that hold.') }),
    cost_usd: receipt.properties.cost_usd,
    unread: Nullable(UnreadSchema),
    warnings: Count('Places where the trajectory deviates from its format, and anchors that prove little.'),
  },
  { description: 'Of the grade. `unread` is null where it was made by a version that did not count.' },
)
export type ResultGrade = Static<typeof ResultGradeSchema>

/** A line of the results: an ended item. */
export const BatchResultSchema = Closed({
  item_id: Type.String(),
  index: Type.Integer({ minimum: 0 }),
  status: ItemStatusSchema,
  label: Nullable(LabelSchema),
  judge: Nullable(
    Type.String({ description: 'That the item was given, graded or not; null: its batch does not say.' }),
  ),
  rubric: Nullable(
    Type.String({ description: 'That the item was given, graded or not; null: its batch does not say.' }),
  ),
  grade_id: Nullable(Type.String({ description: 'Null where nothing was graded.' })),
  grade: Nullable(ResultGradeSchema),
  failure: Nullable(FailureSchema),
  cached: Type.Boolean({
    description: 'Answered by a grade that was made for another: an equal item of this batch, or an earlier request.',
  }),
  base_grade_id: Nullable(Type.String({ description: 'The grade that was graded again; null outside of re-grades.' })),
  metadata: TrialMetadataSchema,
})
export type BatchResult = Static<typeof BatchResultSchema>

const Estimated = (description: string) =>
  Closed({ expected: Type.Number({ minimum: 0 }), most: Type.Number({ minimum: 0 }) }, { description })

export const BatchEstimateSchema = Closed({
  items: Count('Items of the batch.'),
  cached: Count('Of these, those that cost nothing: answered by stored grades, or equal to another item of the batch.'),
  to_grade: Count('Of these, to be asked of a judge.'),
  calls: Estimated(
    'Judge calls. `expected`: repairs as often as with the judge’s stored answers; `most`: all repairs.',
  ),
  input_tokens: Estimated('Estimated, not counted by the provider’s tokenizer.'),
  output_tokens: Estimated('`expected`: the mean of the judge’s stored answers; `most`: whole output limits.'),
  cost_usd: Nullable(
    Estimated('Null where a price is unknown. `most`: with all repairs of all items, nothing cached.'),
  ),
})
export type BatchEstimate = Static<typeof BatchEstimateSchema>
