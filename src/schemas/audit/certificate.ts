import type { Static } from 'typebox'
import { CLAIM_TYPES } from '../rubric.ts'
import { Choice, Closed, Count, Documented, Nullable, Str, Timestamp, Type } from '../type.ts'
import { CONFIDENCE_LEVELS, ITEM_STATUSES } from '../vocabulary.ts'
import { StatisticSchema } from './agreement.ts'

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
