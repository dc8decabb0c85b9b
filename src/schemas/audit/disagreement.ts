import type { Static } from 'typebox'
import { ClaimValueSchema } from '../grade.ts'
import { SignalsSchema } from '../ground-truth.ts'
import { Bool, Choice, Closed, Documented, Nullable, Num, Str, Type } from '../type.ts'
import { ConfidenceLevelSchema, ContradictionCodeSchema, GradeStatusSchema, LabelSchema } from '../vocabulary.ts'

/** Kinds of disagreement, the most telling first. */
export const DISAGREEMENT_KINDS = ['human', 'judges', 'signals', 'samples', 'contradiction', 'unverified'] as const
export type DisagreementKind = (typeof DISAGREEMENT_KINDS)[number]
export const DisagreementKindSchema = Choice(
  DISAGREEMENT_KINDS,
  '`human`: reviews against a judge, or against each other; `judges`: judge against judge; `signals`: a judge against what the harness measured; `samples`: a judge’s samples among themselves; `contradiction`: any other that a grade records; `unverified`: the evidence does not hold, or the judge could not tell.',
)

const Opinion = Closed({
  grade_id: Type.String(),
  judge: Type.String(),
  rubric: Type.String(),
  status: GradeStatusSchema,
  label: Nullable(LabelSchema),
  claimed_label: Nullable(LabelSchema),
  outcome: Nullable(Type.Union([Type.String(), Type.Number()])),
  claims: Nullable(Type.Record(Type.String(), ClaimValueSchema), 'By id; null: the judge failed.'),
  confidence: Nullable(ConfidenceLevelSchema),
  votes: Type.Array(Nullable(LabelSchema), { description: 'Of its samples; empty for a single one.' }),
  contradictions: Type.Array(ContradictionCodeSchema),
})

/** A question with a disagreement, and all its grades and reviews. */
export const DisagreementSchema = Closed({
  trajectory: Type.String(),
  ground_truth: Type.String(),
  rubric: Str('The id of the rubric, without its version: what others ask of the question is a record of its own.'),
  agent: Nullable(Type.String()),
  model: Nullable(Type.String()),
  task: Nullable(Type.String()),
  kinds: Type.Array(DisagreementKindSchema, { description: 'All that apply, the most telling first.' }),
  score: Num('Higher is more telling: the sum of `terms`.'),
  terms: Documented('Of the most telling clash of the most telling kind; see docs/audit.md.', {
    kind: Num('Weight of the most telling kind: ten apart, more than all other terms.'),
    claims: Num(
      'Two for each claim in which the labels of the sides differ, or place by which ordered ones are apart; six at the most.',
    ),
    confidence: Num('Of the less sure side: low 0, medium 1, high 2; a human is sure.'),
    votes: Num('Smaller vote share behind the sides; of samples, how far from unanimous.'),
  }),
  why: Type.Array(Type.String(), {
    description: 'One sentence for each kind, about its most telling clash; then what the score is made of.',
  }),
  grades: Type.Array(Opinion, { description: 'The standing grade of each judge and rubric.' }),
  claims: Type.Array(
    Closed({
      claim: Type.String(),
      said: Type.Array(
        Closed({
          by: Str('`judge@rubric@version`, or `human:` and a rater.'),
          value: ClaimValueSchema,
        }),
      ),
    }),
    { description: 'Claims of which two say different things; null, unclear, differs from nothing.' },
  ),
  signals: Nullable(SignalsSchema),
  reviews: Type.Array(
    Closed({ id: Type.String(), rater: Type.String(), label: Nullable(LabelSchema), blind: Type.Boolean() }),
    { description: 'Of each rater the newest one, newest first.' },
  ),
  settled: Bool('It has been reviewed, and the newest reviews of all raters agree.'),
})
export type Disagreement = Static<typeof DisagreementSchema>
