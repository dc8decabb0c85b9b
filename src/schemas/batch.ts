import type { Static } from 'typebox'
import { FailureSchema, GradeSchema, UnreadSchema } from './grade.ts'
import { GradeRequestSchema, TrialMetadataSchema } from './trial.ts'
import { Bool, Closed, Count, Documented, Int, Nullable, Num, Str, Timestamp, Type } from './type.ts'
import {
  BatchKindSchema,
  BatchModeSchema,
  BatchStatusSchema,
  BatchWaitSchema,
  CacheModeSchema,
  FAILURE_CODES,
  ItemStatusSchema,
  LabelSchema,
  MOST_SAMPLES,
} from './vocabulary.ts'

const ItemId = Str('The caller’s own name of the item, unique in its batch. Its index where absent.', {
  minLength: 1,
  maxLength: 300,
})

/** An item of a batch: a grade request with a name. */
export const BatchItemSchema = Closed({ item_id: Type.Optional(ItemId), ...GradeRequestSchema.properties })
export type BatchItem = Static<typeof BatchItemSchema>

/** The options of a batch: in the query beside NDJSON, beside `items` in JSON. */
export const BatchOptions = {
  name: Type.Optional(Str('For people.', { maxLength: 300 })),
  key: Type.Optional(Str('The caller’s own key: `GET /v1/batches?key=` finds the batch again.', { maxLength: 200 })),
  mode: Type.Optional(BatchModeSchema),
  max_cost_usd: Type.Optional(
    Num(
      'Hard cap: the upper bound of a call is reserved before it is made; items wait for what comes back, and fail as `budget_exceeded` once nothing does.',
      { minimum: 0 },
    ),
  ),
  dry_run: Type.Optional(Bool('Answers what the batch would cost; nothing is asked and nothing is kept.')),
  judge: Type.Optional(Str('For items that name none.', { maxLength: 200 })),
  rubric: Type.Optional(Str('For items that name none.', { maxLength: 200 })),
  samples: Type.Optional(Int('For items that say none.', { minimum: 1, maximum: MOST_SAMPLES })),
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
  Documented(description, Object.fromEntries(words.map((word) => [word, Type.Optional(Count())])))

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
  cost_usd: Nullable(Num('Known costs of its calls; null where a call’s price is unknown.')),
  uncertain_usd: Num(
    'Upper bounds of calls that may have been paid for: timed out, broken off, in flight at a crash. A cap counts them as spent.',
  ),
  max_cost_usd: Nullable(Type.Number()),
  round: Type.Optional(
    Documented('Only while questions of the batch lie with a provider’s batch endpoint.', {
      number: Int('Rounds of this batch that came back, and one.', { minimum: 1 }),
      questions: Count('That lie with the provider.'),
      begun_at: Timestamp,
      ends_by: Str('A day later: by then the provider answers or gives up.', { format: 'date-time' }),
      usual_seconds: Nullable(Num('Median of this judge’s newest twenty rounds here; null: none came back yet.')),
    }),
  ),
  parked_reason: Nullable(
    Str(
      'Why a parked batch does not go on; of a running batch, `waiting: no worker for NAME` while no process that runs batches has its judge, `NAME: CODE, waiting until TIME` while its judge asked for a pause, and `waiting: N items without an answer for S s` while no call in flight is younger than 30 seconds.',
    ),
  ),
  waiting_for: Type.Optional(BatchWaitSchema),
  resumes_at: Nullable(Str('When a parked batch tries again by itself; null: when told to.', { format: 'date-time' })),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type Batch = Static<typeof BatchSchema>

const { confidence, claimed_label, outcome, claims, contradictions, unmet, receipt } = GradeSchema.properties

/** Members of a grade that tell how far a result can be trusted. */
const ResultGradeSchema = Documented(
  'Of the grade. `unread` is null where it was made by a version that did not count.',
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
)
export type ResultGrade = Static<typeof ResultGradeSchema>

/** A line of the results: an ended item. */
export const BatchResultSchema = Closed({
  item_id: Type.String(),
  index: Type.Integer({ minimum: 0 }),
  status: ItemStatusSchema,
  label: Nullable(LabelSchema),
  judge: Nullable(Str('That the item was given, graded or not; null: its batch does not say.')),
  rubric: Nullable(Str('That the item was given, graded or not; null: its batch does not say.')),
  grade_id: Nullable(Str('Null where nothing was graded.')),
  grade: Nullable(ResultGradeSchema),
  failure: Nullable(FailureSchema),
  cached: Bool('Answered by a grade that was made for another: an equal item of this batch, or an earlier request.'),
  base_grade_id: Nullable(Str('The grade that was graded again; null outside of re-grades.')),
  metadata: TrialMetadataSchema,
})
export type BatchResult = Static<typeof BatchResultSchema>

const Estimated = (description: string) =>
  Documented(description, { expected: Type.Number({ minimum: 0 }), most: Type.Number({ minimum: 0 }) })

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
