import type { Static } from 'typebox'
import { Bool, Choice, Closed, Digest, Nullable, Num, Str, Timestamp, Type } from '../type.ts'
import { LabelSchema } from '../vocabulary.ts'

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
export type Sampling = Static<typeof SamplingSchema>

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
