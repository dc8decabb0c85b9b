import type { Static } from 'typebox'
import { StatisticSchema } from '../audit/agreement.ts'
import { CLAIM_TYPES } from '../rubric.ts'
import { Type } from '../type.ts'
import { CONFIDENCE_LEVELS, ITEM_STATUSES } from '../vocabulary.ts'

const closed = { additionalProperties: false } as const
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(
  schema: T,
  options: { description?: string } = {},
) => Type.Union([schema, Type.Null()], options)
const Count = Type.Integer({ minimum: 0 })
const Number01 = Nullable(Type.Number({ minimum: 0, maximum: 1 }))
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

const ShareSchema = Type.Object(
  {
    n: Count,
    count: Count,
    share: Number01,
    ci95: Nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
    method: Nullable(Type.Enum(['wilson', 'cluster_bootstrap'] as const, { type: 'string' })),
  },
  closed,
)
export type Share = Static<typeof ShareSchema>

const MeasureSchema = Type.Object(
  {
    group: Nullable(Type.String(), { description: 'Null: all items.' }),
    right: Type.Object(ShareSchema.properties, {
      ...closed,
      description: 'Of all items that people answered: one without a verdict is not right.',
    }),
    right_of_graded: Type.Object(ShareSchema.properties, { ...closed, description: 'Of those with a verdict.' }),
    refused_right: Type.Integer({
      minimum: 0,
      description: 'Without a verdict although the claim was right: what the evidence check took.',
    }),
    majority: Nullable(Type.Object({ value: Type.String(), right: ShareSchema }, closed), {
      description: 'The most common human answer, and what a judge that always gives it would have right.',
    }),
    chance: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'What an answer drawn at random from those possible would have right; null: not known.',
    }),
    near: Type.Array(Type.Object({ within: Count, right: ShareSchema, chance: Number01 }, closed), {
      description: 'Of a step: so many steps from the labelled one, or fewer.',
    }),
    cohen_kappa: Nullable(StatisticSchema, { description: 'Of items with a verdict; null without a closed list.' }),
    gwet_ac1: Nullable(StatisticSchema),
    classes: Type.Array(
      Type.Object(
        {
          ...{ value: Type.String(), n_human: Count, n_judge: Count, n_both: Count },
          ...{ precision: Number01, recall: Number01, f1: Number01 },
        },
        closed,
      ),
      { description: 'Recall is of all items: what was left without a verdict was not found.' },
    ),
    confusion: Nullable(
      Type.Object({ values: Type.Array(Type.String()), counts: Type.Array(Type.Array(Count)) }, closed),
      { description: 'A row a human answer, a column a judge’s; the last column is without a verdict.' },
    ),
  },
  closed,
)
export type Measure = Static<typeof MeasureSchema>

const CostSchema = Type.Object(
  {
    calls: Count,
    input_tokens: Count,
    output_tokens: Count,
    cost_usd: Nullable(Type.Number(), {
      description: 'What its grades cost when they were made; null: a price is unknown.',
    }),
    paid_usd: Nullable(Type.Number(), { description: 'Of this, what this run of the batch paid.' }),
  },
  closed,
)

const ResultSchema = Type.Object(
  {
    item: Type.String(),
    cluster: Nullable(Count, { description: 'Items of one number are not independent.' }),
    status: Type.Enum(ITEM_STATUSES, { type: 'string' }),
    answers: Type.Record(
      Type.String(),
      Type.Object(
        { human: Value, judge: Nullable(Value, { description: 'Null: no verdict.' }), right: Type.Boolean() },
        closed,
      ),
    ),
  },
  closed,
)

export const CERTIFICATE_KIND = 'veridict-validation'

/** What a validation found: which judge, on which data, under which rubric, when, and how far it agrees with people. */
export const CertificateSchema = Type.Object(
  {
    kind: Type.Enum([CERTIFICATE_KIND] as const, { type: 'string' }),
    version: Type.Integer({ minimum: 1, maximum: 1 }),
    created_at: Type.String({ format: 'date-time' }),
    software: Type.String(),
    data: Type.Object(
      {
        name: Type.String(),
        items: Count,
        skipped: Count,
        digest: Type.String({ description: 'Of names, trajectories, ground truths and human labels of all items.' }),
      },
      closed,
    ),
    rubric: Type.Object({ name: Type.String(), digest: Type.String() }, closed),
    judge: Type.Object(
      {
        name: Type.String(),
        provider: Nullable(Type.String()),
        model_requested: Nullable(Type.String()),
        models_resolved: Type.Array(Type.Object({ model: Nullable(Type.String()), grades: Count }, closed), {
          description: 'As the provider named them.',
        }),
        samples: Count,
        settings: Nullable(Type.Record(Type.String(), Type.Unknown()), {
          description: 'How it was asked; null: not known.',
        }),
      },
      closed,
    ),
    ends: Type.Record(Type.String(), Count, { description: 'Items by how they ended.' }),
    failures: Type.Record(Type.String(), Count, { description: 'By code.' }),
    unmet: Type.Record(Type.String(), Count, { description: 'Unverified items by a claim that lacks evidence.' }),
    citations: Type.Record(Type.String(), Count, { description: 'By what the check found of them.' }),
    contradictions: Type.Record(Type.String(), Count, { description: 'Items by code.' }),
    cost: CostSchema,
    measures: Type.Array(
      Type.Object(
        {
          question: Type.String({ description: '`outcome`, or the id of a claim.' }),
          type: Type.Enum(CLAIM_TYPES, { type: 'string' }),
          of: Type.Array(MeasureSchema, { minItems: 1 }),
          confidence: Type.Array(
            Type.Object({ level: Type.Enum(CONFIDENCE_LEVELS, { type: 'string' }), right: ShareSchema }, closed),
            { description: 'Of the items with a verdict: how often each level was right.' },
          ),
        },
        closed,
      ),
    ),
    results: Type.Array(ResultSchema),
  },
  closed,
)
export type Certificate = Static<typeof CertificateSchema>
