import { type Static, Type } from 'typebox'
import { BatchOptions } from './batch.ts'
import { ReceiptSchema } from './grade.ts'
import { GradeStatusSchema, LABELS, LabelSchema } from './vocabulary.ts'

const closed = { additionalProperties: false } as const
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const text = () => Type.Optional(Type.String({ maxLength: 300 }))

/** Which stored grades are meant: all that fit every given field. */
export const GradeSelectionSchema = Type.Object(
  {
    label: Type.Optional(LabelSchema),
    status: Type.Optional(GradeStatusSchema),
    judge: text(),
    rubric: text(),
    agent: text(),
    model: text(),
    task: text(),
    batch: text(),
    ids: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 10_000 })),
  },
  { ...closed, minProperties: 1, description: 'Stored grades that fit every given field; at least one field.' },
)
export type GradeSelection = Static<typeof GradeSelectionSchema>

const { name, key, mode, max_cost_usd, dry_run, judge, rubric, samples, cache } = BatchOptions

/** A batch over stored grades. What is absent stays as it was in each grade. */
export const RegradeRequestSchema = Type.Object(
  {
    query: GradeSelectionSchema,
    judge,
    rubric,
    samples,
    cache,
    recheck: Type.Optional(
      Type.Boolean({
        description:
          'Only the evidence rules: stored replies are checked again under the rules of today, and no judge is asked.',
      }),
    ),
    name,
    key,
    mode,
    max_cost_usd,
    dry_run,
  },
  closed,
)
export type RegradeRequest = Static<typeof RegradeRequestSchema>

const Side = Type.Object(
  {
    grade_id: Type.String(),
    status: GradeStatusSchema,
    label: Nullable(LabelSchema),
    claimed_label: Nullable(LabelSchema),
    receipt: ReceiptSchema,
  },
  closed,
)

/** Two grades of one question that differ. */
export const FlipSchema = Type.Object(
  {
    trajectory: Type.String(),
    ground_truth: Type.String(),
    task: Nullable(Type.String()),
    base: Side,
    head: Side,
  },
  closed,
)
export type Flip = Static<typeof FlipSchema>

const Counted = Type.Object(
  {
    n: Type.Integer(),
    graded: Type.Integer(),
    unverified: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
  },
  { ...closed, description: 'Every item of that side by its end; nothing is left out.' },
)

export const ComparisonSchema = Type.Object(
  {
    base: Type.String({
      description: 'The base batch, or `sources of bat_…`: the grades that a re-grade started from.',
    }),
    head: Type.String(),
    pairs: Type.Integer({ description: 'Questions that both sides have a label for.' }),
    same: Type.Integer(),
    flipped: Type.Integer(),
    unpaired: Type.Object(
      {
        base_only: Type.Integer({ description: 'Questions of the base that the head does not ask.' }),
        head_only: Type.Integer(),
        without_label: Type.Integer({ description: 'Asked on both sides, but one or both have no label.' }),
      },
      closed,
    ),
    base_counts: Counted,
    head_counts: Counted,
    matrix: Type.Object(
      {
        labels: Type.Array(LabelSchema, { description: `Always ${LABELS.join(', ')}.` }),
        counts: Type.Array(Type.Array(Type.Integer()), { description: 'Rows: base; columns: head.' }),
      },
      closed,
    ),
    flips: Type.Array(FlipSchema, { description: 'Pairs with different labels, one page of them.' }),
    next_cursor: Nullable(Type.String()),
  },
  closed,
)
export type Comparison = Static<typeof ComparisonSchema>
