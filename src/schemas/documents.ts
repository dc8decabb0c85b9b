import type { Static } from 'typebox'
import { StatisticSchema } from './agreement.ts'
import { AttemptSummarySchema } from './grade.ts'
import { CLAIM_TYPES } from './rubric.ts'
import { Bool, Choice, Closed, Count, Documented, Nullable, Str, Timestamp, Type } from './type.ts'
import { CONFIDENCE_LEVELS, ITEM_STATUSES } from './vocabulary.ts'

/** The version of the lines below. An import refuses every other version. */
export const EXPORT_VERSION = 1

const Id = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_:.-]{0,199}$' })
const { sample, round, purpose, outcome, message, cost_usd, request_id } = AttemptSummarySchema.properties
const Text = Type.String()

/** The records of an export by their kind. `document`, `body`, `ground_truth` and `usage` are JSON texts, byte for byte as they are stored. */
export const EXPORT_RECORDS = {
  trajectory: Closed({
    kind: Type.Enum(['trajectory'] as const),
    ...{ id: Id, format: Text, document: Text, created_at: Text },
  }),
  attempt: Closed({
    kind: Type.Enum(['attempt'] as const),
    ...{ id: Id, grade_id: Id, key: Text, sample, round, purpose, request_digest: Text, judge: Text, started_at: Text },
    ...{ batch: Nullable(Text), payer: Nullable(Text), reserved_usd: Nullable(Type.Number()) },
    ...{ outcome, message, reply_text: Nullable(Text), raw_reply: Nullable(Text), usage: Nullable(Text) },
    ...{ cost_usd, latency_ms: Nullable(Type.Number()), request_id, model_resolved: Nullable(Text) },
  }),
  grade: Closed({
    kind: Type.Enum(['grade'] as const),
    ...{ id: Id, ground_truth: Text, body: Text },
    silent: Bool('A recheck, which answers no request.'),
    answers: Bool('The grade answers its cache key.'),
  }),
  review: Closed({ kind: Type.Enum(['review'] as const), id: Id, body: Text }),
} as const

export type ExportKind = keyof typeof EXPORT_RECORDS
export type RecordOf<K extends ExportKind> = Static<(typeof EXPORT_RECORDS)[K]>
export type ExportRecord = { [K in ExportKind]: RecordOf<K> }[ExportKind]

const Number01 = Nullable(Type.Number({ minimum: 0, maximum: 1 }))
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

const ShareSchema = Closed({
  n: Count(),
  count: Count(),
  share: Number01,
  ci95: Nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  method: Type.Optional(Nullable(Str('Of certificates that were written before.'))),
})
export type Share = Static<typeof ShareSchema>

const MeasureSchema = Closed({
  group: Nullable(Type.String(), 'Null: all items.'),
  right: Documented('Of all items that people answered: one without a verdict is not right.', ShareSchema.properties),
  right_of_graded: Documented('Of those with a verdict.', ShareSchema.properties),
  refused_right: Count('Without a verdict although the claim was right: what the evidence check took.'),
  majority: Nullable(
    Closed({ value: Type.String(), right: ShareSchema }),
    'The most common human answer, and what a judge that always gives it would have right.',
  ),
  cohen_kappa: Nullable(StatisticSchema, 'Of items with a verdict; null without a closed list.'),
  gwet_ac1: Nullable(StatisticSchema),
})
export type Measure = Static<typeof MeasureSchema>

const CostSchema = Closed({
  calls: Count(),
  input_tokens: Count(),
  output_tokens: Count(),
  cost_usd: Nullable(Type.Number(), 'What its grades cost when they were made; null: a price is unknown.'),
  paid_usd: Nullable(Type.Number(), 'Of this, what this run of the batch paid.'),
})

const ResultSchema = Closed({
  item: Type.String(),
  cluster: Nullable(Count(), 'Items of one number are not independent.'),
  status: Choice(ITEM_STATUSES),
  answers: Type.Record(
    Type.String(),
    Closed({ human: Value, judge: Nullable(Value, 'Null: no verdict.'), right: Type.Boolean() }),
  ),
})

export const CERTIFICATE_KIND = 'veridict-validation'

/** The certificate of a validation: judge, data, rubric, date, and agreement with people. */
export const CertificateSchema = Closed({
  kind: Choice([CERTIFICATE_KIND]),
  version: Type.Integer({ minimum: 2, maximum: 2 }),
  created_at: Timestamp,
  software: Type.String(),
  data: Closed({
    name: Type.String(),
    items: Count(),
    skipped: Count(),
    digest: Str('Of names, trajectories, ground truths and human labels of all items.'),
  }),
  rubric: Closed({ name: Type.String(), digest: Type.String() }),
  judge: Closed({
    name: Type.String(),
    provider: Nullable(Type.String()),
    model_requested: Nullable(Type.String()),
    models_resolved: Type.Array(Closed({ model: Nullable(Type.String()), grades: Count() }), {
      description: 'As the provider named them.',
    }),
    samples: Count(),
    settings: Nullable(Type.Record(Type.String(), Type.Unknown()), 'How it was asked; null: not known.'),
  }),
  ends: Type.Record(Type.String(), Count(), { description: 'Items by how they ended.' }),
  citations: Type.Record(Type.String(), Count(), { description: 'By what the check found of them.' }),
  cost: CostSchema,
  measures: Type.Array(
    Closed({
      question: Str('`outcome`, or the id of a claim.'),
      type: Choice(CLAIM_TYPES),
      of: Type.Array(MeasureSchema, { minItems: 1 }),
      confidence: Type.Array(Closed({ level: Choice(CONFIDENCE_LEVELS), right: ShareSchema }), {
        description: 'Of the items with a verdict: how often each level was right.',
      }),
    }),
  ),
  results: Type.Array(ResultSchema),
})
export type Certificate = Static<typeof CertificateSchema>
