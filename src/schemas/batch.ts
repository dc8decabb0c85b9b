import { type Static, Type } from 'typebox'
import { FailureSchema, GradeSchema, UnreadSchema } from './grade.ts'
import { GradeRequestSchema, TrialMetadataSchema } from './trial.ts'
import * as t from './type.ts'
import * as v from './vocabulary.ts'

export const BatchItemSchema = t.Closed({
  item_id: t.Opt(t.Name('The caller’s own name of the item, unique in its batch. Its index where absent.', 300)),
  ...GradeRequestSchema.properties,
})
export type BatchItem = Static<typeof BatchItemSchema>

export const BatchOptionsSchema = t.Closed({
  name: t.Opt.Str('For people.', { maxLength: 300 }),
  key: t.Opt.Str('The caller’s own key: `GET /v1/batches?key=` finds the batch again.', { maxLength: 200 }),
  mode: t.Opt(v.BatchModeSchema),
  max_cost_usd: t.Opt.Num(
    'Hard cap: a call reserves its upper bound; items that find no room wait, then fail as `budget_exceeded`.',
    { minimum: 0 },
  ),
  dry_run: t.Opt.Bool('Answers what the batch would cost; nothing is asked and nothing is kept.'),
  ...t.Each(['judge', 'rubric'], t.Opt.Str('For items that name none.', { maxLength: 200 })),
  samples: t.Opt.Int('For items that say none.', { minimum: 1, maximum: v.MOST_SAMPLES }),
  cache: t.Opt(v.CacheModeSchema),
  allow_self: t.Opt.Bool('For items that say nothing: the judge may be the model of the agent.'),
})
export type BatchOptions = Static<typeof BatchOptionsSchema>

export const BatchRequestSchema = t.Closed({
  ...BatchOptionsSchema.properties,
  items: Type.Array(BatchItemSchema, { minItems: 1 }),
})
export type BatchRequest = Static<typeof BatchRequestSchema>

export const BatchCountsSchema = t.Documented(
  '`total`: the sum of the others. `pending`: not begun, or put back because its judge was parked; `running`: being graded, or waiting for a provider’s batch; `unverified`: the evidence does not hold; `cancelled`: never graded.',
  t.Counts(['total', 'pending', 'running', ...v.ITEM_STATUSES]).properties,
)
export type BatchCounts = Static<typeof BatchCountsSchema>

export const FailureCountsSchema = t.Documented(
  'Failures by code; a code that did not occur is absent.',
  t.Each(v.FAILURE_CODES, t.Opt(t.Count())),
)

export const BatchSchema = t.Closed({
  id: t.Text,
  kind: t.Choice(
    ['grade', 'regrade', 'recheck'],
    '`regrade`: over stored grades; `recheck`: stored replies under the rules of today, no judge asked.',
  ),
  mode: v.BatchModeSchema,
  ...t.Each(['name', 'key'], t.NullableText),
  status: t.Choice(v.BATCH_STATUSES),
  counts: BatchCountsSchema,
  labels: t.Dict(t.Count(), 'Labels so far, of all its rubrics; a label that did not occur is absent.'),
  failures: FailureCountsSchema,
  cached: t.Count('Items answered by the grade of an equal item or of an earlier request.'),
  calls: t.Closed({ made: t.Count('Judge calls.'), unknown: t.Count('In flight at a crash: perhaps paid for.') }),
  cost_usd: t.Nullable(t.Num('Known costs of its calls; null where a call’s price is unknown.')),
  uncertain_usd: t.Num(
    'Upper bounds of calls that may have been paid for: timed out, broken off, in flight at a crash. A cap counts them as spent.',
  ),
  max_cost_usd: t.Nullable(Type.Number()),
  round: t.Opt.Documented('Only while questions of the batch lie with a provider’s batch endpoint.', {
    number: t.Int('Rounds of this batch that came back, and one.', { minimum: 1 }),
    questions: t.Count('That lie with the provider.'),
    begun_at: t.Timestamp,
    ends_by: t.Str('A day later: by then the provider answers or gives up.', { format: 'date-time' }),
    usual_seconds: t.Nullable(t.Num('Median of this judge’s newest twenty rounds here; null: none came back yet.')),
  }),
  parked_reason: t.Nullable(
    t.Str(
      'Why a parked batch does not go on; of a running batch, `waiting: no worker for NAME` while no process that runs batches has its judge, `NAME: CODE, waiting until TIME` while its judge asked for a pause, and `waiting: N items without an answer for S s` while no call in flight is younger than 30 seconds.',
    ),
  ),
  waiting_for: t.Opt.Choice(
    ['worker', 'judge', 'answers'],
    'Only while a running batch waits; `parked_reason` tells more. `worker`: no process has its judge; `judge`: its judge paused; `answers`: no call in flight is younger than 30 seconds.',
  ),
  resumes_at: t.Nullable(t.Str('When a parked batch tries again; null: when told to.', { format: 'date-time' })),
  created_at: t.Timestamp,
  finished_at: t.Nullable(t.Timestamp),
})
export type Batch = Static<typeof BatchSchema>

const { confidence, claimed_label, outcome, claims, contradictions, unmet, receipt } = GradeSchema.properties

const ResultGradeSchema = t.Documented('Of the grade. `unread`: null where its version did not count.', {
  judge: receipt.properties.judge,
  confidence,
  claimed_label,
  outcome,
  claims,
  contradictions,
  unmet,
  evidence: t.Closed({ cited: t.Count('Citations.'), held: t.Count('Of these, those that hold.') }),
  cost_usd: receipt.properties.cost_usd,
  unread: t.Nullable(UnreadSchema),
  warnings: t.Count('Places where the trajectory deviates from its format, and anchors that prove little.'),
})
export type ResultGrade = Static<typeof ResultGradeSchema>

export const BatchResultSchema = t.Closed({
  item_id: t.Text,
  index: Type.Integer({ minimum: 0 }),
  status: t.Choice(v.ITEM_STATUSES),
  label: t.Nullable(v.LabelSchema),
  ...t.Each(['judge', 'rubric'], t.Nullable(t.Str('As the item was given, graded or not; null: not known.'))),
  grade_id: t.Nullable(t.Str('Null where nothing was graded.')),
  grade: t.Nullable(ResultGradeSchema),
  failure: t.Nullable(FailureSchema),
  cached: t.Bool('Answered by the grade of an equal item or of an earlier request.'),
  base_grade_id: t.Nullable(t.Str('The grade that was graded again; null outside of re-grades.')),
  metadata: TrialMetadataSchema,
})
export type BatchResult = Static<typeof BatchResultSchema>

const Estimated = (description: string) =>
  t.Documented(description, { expected: Type.Number({ minimum: 0 }), most: Type.Number({ minimum: 0 }) })

export const BatchEstimateSchema = t.Closed({
  items: t.Count('Items of the batch.'),
  cached: t.Count('Of these, free ones: answered by stored grades, or equal to another item.'),
  to_grade: t.Count('Of these, to be asked of a judge.'),
  calls: Estimated('Judge calls. `expected`: repairs as often as in the judge’s stored answers; `most`: all repairs.'),
  input_tokens: Estimated('Estimated, not counted by the provider’s tokenizer.'),
  output_tokens: Estimated('`expected`: the mean of the judge’s stored answers; `most`: whole output limits.'),
  cost_usd: t.Nullable(Estimated('Null where a price is unknown. `most`: with all repairs, nothing cached.')),
})
export type BatchEstimate = Static<typeof BatchEstimateSchema>
