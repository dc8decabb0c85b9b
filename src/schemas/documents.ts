import { type Static, Type } from 'typebox'
import { StatisticSchema } from './agreement.ts'
import { AttemptSummarySchema } from './grade.ts'
import { CLAIM_TYPES } from './rubric.ts'
import * as t from './type.ts'
import { CONFIDENCE_LEVELS, ITEM_STATUSES } from './vocabulary.ts'

/** The version of the lines below. An import refuses every other version. */
export const EXPORT_VERSION = 1

const Id = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_:.-]{0,199}$' })
const { sample, round, purpose, outcome, message, cost_usd, request_id } = AttemptSummarySchema.properties

/** The records of an export by their kind. `document`, `body`, `ground_truth` and `usage` are JSON texts, byte for byte as they are stored. */
export const EXPORT_RECORDS = {
  trajectory: t.Closed({
    kind: Type.Enum(['trajectory'] as const),
    id: Id,
    format: t.Text,
    document: t.Text,
    created_at: t.Text,
  }),
  attempt: t.Closed({
    kind: Type.Enum(['attempt'] as const),
    id: Id,
    grade_id: Id,
    key: t.Text,
    sample,
    round,
    purpose,
    ...t.Each(['request_digest', 'judge', 'started_at'], t.Text),
    ...t.Each(['batch', 'payer'], t.NullableText),
    reserved_usd: t.Nullable(Type.Number()),
    outcome,
    message,
    ...t.Each(['reply_text', 'raw_reply', 'usage'], t.NullableText),
    cost_usd,
    latency_ms: t.Nullable(Type.Number()),
    request_id,
    model_resolved: t.Nullable(t.Text),
  }),
  grade: t.Closed({
    kind: Type.Enum(['grade'] as const),
    id: Id,
    ground_truth: t.Text,
    body: t.Text,
    silent: t.Bool('A recheck, which answers no request.'),
    answers: t.Bool('The grade answers its cache key.'),
  }),
  review: t.Closed({ kind: Type.Enum(['review'] as const), id: Id, body: t.Text }),
  disposition: t.Closed({ kind: Type.Enum(['disposition'] as const), id: Id, body: t.Text }),
} as const

export type ExportKind = keyof typeof EXPORT_RECORDS
export type RecordOf<K extends ExportKind> = Static<(typeof EXPORT_RECORDS)[K]>
export type ExportRecord = { [K in ExportKind]: RecordOf<K> }[ExportKind]

const Value = Type.Union([t.Text, Type.Number(), Type.Boolean()])

const ShareSchema = t.Closed({
  ...t.Counts(['n', 'count']).properties,
  share: t.Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  ci95: t.Nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  method: t.Opt.Nullable(t.Str('Of certificates that were written before.')),
})
export type Share = Static<typeof ShareSchema>

const MeasureSchema = t.Closed({
  group: t.Nullable(t.Text, 'Null: all items.'),
  right: t.Documented('Of all answered items; an item without a verdict is not right.', ShareSchema.properties),
  right_of_graded: t.Documented('Of those with a verdict.', ShareSchema.properties),
  refused_right: t.Count('Without a verdict although the claim was right: what the evidence check took.'),
  majority: t.Nullable(t.Closed({ value: t.Text, right: ShareSchema }), 'The most common human answer, and its share.'),
  cohen_kappa: t.Nullable(StatisticSchema, 'Of items with a verdict; null without a closed list.'),
  gwet_ac1: t.Nullable(StatisticSchema),
})
export type Measure = Static<typeof MeasureSchema>

export const CertificateSchema = t.Closed({
  kind: t.Choice(['veridict-validation']),
  version: Type.Integer({ minimum: 2, maximum: 2 }),
  created_at: t.Timestamp,
  software: t.Text,
  data: t.Closed({
    name: t.Text,
    ...t.Each(['items', 'skipped'], t.Count()),
    digest: t.Str('Of names, trajectories, ground truths and human labels of all items.'),
  }),
  rubric: t.Closed({ name: t.Text, digest: t.Text }),
  judge: t.Closed({
    name: t.Text,
    ...t.Each(['provider', 'model_requested'], t.NullableText),
    models_resolved: t.List(t.Closed({ model: t.NullableText, grades: t.Count() }), 'As the provider named them.'),
    samples: t.Count(),
    settings: t.Nullable(t.Dict(Type.Unknown()), 'How it was asked; null: not known.'),
  }),
  ends: t.Dict(t.Count(), 'Items by how they ended.'),
  citations: t.Dict(t.Count(), 'By what the check found of them.'),
  cost: t.Closed({
    ...t.Counts(['calls', 'input_tokens', 'output_tokens']).properties,
    cost_usd: t.Nullable(Type.Number(), 'What its grades cost when they were made; null: a price is unknown.'),
    paid_usd: t.Nullable(Type.Number(), 'Of this, what this run of the batch paid.'),
  }),
  measures: Type.Array(
    t.Closed({
      question: t.Str('`outcome`, or the id of a claim.'),
      type: t.Choice(CLAIM_TYPES),
      of: Type.Array(MeasureSchema, { minItems: 1 }),
      confidence: t.List(
        t.Closed({ level: t.Choice(CONFIDENCE_LEVELS), right: ShareSchema }),
        'Of items with a verdict, by level.',
      ),
    }),
  ),
  results: Type.Array(
    t.Closed({
      item: t.Text,
      cluster: t.Nullable(t.Count(), 'Items of one number are not independent.'),
      status: t.Choice(ITEM_STATUSES),
      answers: t.Dict(t.Closed({ human: Value, judge: t.Nullable(Value, 'Null: no verdict.'), right: Type.Boolean() })),
    }),
  ),
})
export type Certificate = Static<typeof CertificateSchema>
