import { type Static, Type } from 'typebox'
import { SignalsSchema } from './ground-truth.ts'
import { ConfidenceLevelSchema, ContradictionCodeSchema, GradeStatusSchema, LabelSchema } from './vocabulary.ts'

const closed = { additionalProperties: false } as const
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

/** From the most telling to the least. */
export const DISAGREEMENT_KINDS = ['human', 'judges', 'signals', 'samples', 'contradiction', 'unverified'] as const
export type DisagreementKind = (typeof DISAGREEMENT_KINDS)[number]
export const DisagreementKindSchema = Type.Enum(DISAGREEMENT_KINDS, {
  type: 'string',
  description:
    '`human`: reviews against a judge, or against each other; `judges`: judge against judge; `signals`: a judge against what the harness measured; `samples`: a judge’s samples among themselves; `contradiction`: any other that a grade records; `unverified`: the evidence does not hold.',
})

const Opinion = Type.Object(
  {
    grade_id: Type.String(),
    judge: Type.String(),
    rubric: Type.String(),
    status: GradeStatusSchema,
    label: Nullable(LabelSchema),
    claimed_label: Nullable(LabelSchema),
    confidence: Nullable(ConfidenceLevelSchema),
    votes: Type.Array(Nullable(LabelSchema), { description: 'Of its samples; empty for a single one.' }),
    contradictions: Type.Array(ContradictionCodeSchema),
  },
  closed,
)

/** One question on which not all agree: everything that was said about it. */
export const DisagreementSchema = Type.Object(
  {
    trajectory: Type.String(),
    ground_truth: Type.String(),
    agent: Nullable(Type.String()),
    model: Nullable(Type.String()),
    task: Nullable(Type.String()),
    kinds: Type.Array(DisagreementKindSchema, { description: 'All that apply, the most telling first.' }),
    score: Type.Number({ description: 'Higher is more telling; see docs/audit.md for how it is made.' }),
    why: Type.Array(Type.String(), { description: 'One sentence for each kind.' }),
    grades: Type.Array(Opinion, { description: 'The standing grade of each judge and rubric.' }),
    signals: Nullable(SignalsSchema),
    reviews: Type.Array(
      Type.Object(
        { id: Type.String(), rater: Type.String(), label: Nullable(LabelSchema), blind: Type.Boolean() },
        closed,
      ),
    ),
    settled: Type.Boolean({ description: 'Somebody has reviewed it, and the reviews agree.' }),
  },
  closed,
)
export type Disagreement = Static<typeof DisagreementSchema>
