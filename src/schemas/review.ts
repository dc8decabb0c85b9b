import type { Static } from 'typebox'
import { ClaimValueSchema } from './grade.ts'
import { SignalsSchema } from './trial.ts'
import { Bool, Choice, Closed, Digest, Documented, Nullable, Num, Str, Timestamp, Type } from './type.ts'
import { ConfidenceLevelSchema, ContradictionCodeSchema, GradeStatusSchema, LabelSchema } from './vocabulary.ts'

/** The sampling design of a review, which decides the honest correction of judge rates. */
export const SAMPLING_DESIGNS = ['random', 'stratified', 'disagreement', 'chosen'] as const
export type SamplingDesign = (typeof SAMPLING_DESIGNS)[number]
const SamplingSchema = Closed({
  design: Choice(
    SAMPLING_DESIGNS,
    '`random`: every graded question had the same chance; `stratified`: the same within each judge label; `disagreement`: from the queue of disagreements; `chosen`: by hand.',
  ),
  probability: Type.Optional(
    Num('The chance that this question had of being reviewed, where it is known.', { minimum: 1e-9, maximum: 1 }),
  ),
})

const ClaimsSchema = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_.]{0,99}$' }),
  Type.Union([Type.Boolean(), Type.Integer(), Type.String({ maxLength: 300 }), Type.Null()]),
  {
    additionalProperties: false,
    description:
      'By the ids of the rubric’s claims; null: unclear. Of `tab-behavior` also observed, cue_acted and distractor_acted, all three then. They must not contradict the label by the rubric’s outcome.',
  },
)

/** Words between single spaces, without control and invisible characters, so that equal looks are equal texts. The check is linear. */
const RATER_PATTERN = '^[^\\p{C}\\p{Z}]+( [^\\p{C}\\p{Z}]+)*$'

const RaterSchema = Str(
  'Who reviews: a name that stays the same. Words apart by single spaces, without control or invisible characters.',
  { minLength: 1, maxLength: 100, pattern: RATER_PATTERN },
)

export const ReviewRequestSchema = Closed({
  rater: RaterSchema,
  label: Type.Optional(
    Nullable(
      LabelSchema,
      'Of the rubric of the grade. Null: it cannot be told; `comment` says why. It, or `outcome`, is required.',
    ),
  ),
  outcome: Type.Optional(
    Type.Union([Type.String({ maxLength: 100 }), Type.Integer(), Type.Null()], {
      description: 'The label; of a rubric whose outcome is a sum, the number.',
    }),
  ),
  claims: Type.Optional(ClaimsSchema),
  comment: Type.Optional(Type.String({ maxLength: 5000 })),
  blind: Type.Optional(Bool('The rater had not seen any judge’s label before this one was given.', { default: false })),
  sampling: Type.Optional(SamplingSchema),
})
export type ReviewRequest = Static<typeof ReviewRequestSchema>

/** A human’s label for a question. Append-only: of one rater’s reviews of a question by a rubric the newest counts. */
export const ReviewSchema = Closed({
  id: Type.String({ pattern: '^rev_[0-9a-z]+$' }),
  grade_id: Str('The grade that was reviewed.'),
  trajectory: Digest,
  ground_truth: Digest,
  rubric: Type.Optional(Str('Of the grade. Absent from the oldest reviews, which are of `tab-behavior`.')),
  rater: Type.String(),
  label: Nullable(LabelSchema),
  outcome: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Null()], {
      description: 'The label; of a sum, the number. Absent from the oldest reviews.',
    }),
  ),
  claims: Nullable(ClaimsSchema),
  comment: Type.String(),
  blind: Type.Boolean(),
  sampling: Nullable(SamplingSchema),
  grade_label: Nullable(LabelSchema, 'The label of the reviewed grade; null for an unverified or failed grade.'),
  created_at: Timestamp,
})
export type Review = Static<typeof ReviewSchema>

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

/** The result of all judges of a question, with its receipt: the grades, their models and the steps. */
export const PanelResultSchema = Documented('Derived at each reading and never stored: no grade changes by it.', {
  rubric: Str('The rubric of the grade that was asked for; grades by others do not count.'),
  label: Nullable(
    LabelSchema,
    'The label of every graded opinion; null where no opinion is graded, or where labels differ.',
  ),
  level: Nullable(
    ConfidenceLevelSchema,
    'The best level among the grades; `medium` where support lifts `low`. Support never makes it `high`.',
  ),
  support: Closed({
    kind: Choice(
      ['overlapping', 'disjoint', 'none'],
      '`overlapping`: two different models cite overlapping texts of one step for each claim behind the label; `disjoint`: they give the same label from other texts; `none`: no two different models give one label by the same claims and by quotes.',
    ),
    lifted: Bool('True: the level is higher than that of every grade.'),
    grades: Type.Array(
      Closed({
        grade_id: Type.String(),
        judge: Type.String(),
        model: Nullable(Str('As it answered; null: the judge is no model.')),
      }),
      { description: 'Grades that support each other; where none do, all that have a label. One of each judge.' },
    ),
    steps: Type.Array(Type.Integer(), { description: 'The steps in which their quotes overlap.' }),
    reason: Str('The reason of the level, in one sentence.'),
  }),
})
export type PanelResult = Static<typeof PanelResultSchema>
