import type { Static } from 'typebox'
import { Type } from '../type.ts'
import { LabelSchema } from '../vocabulary.ts'

const closed = { additionalProperties: false } as const
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })

/** How it came that this question was reviewed: it decides which correction of judge rates is honest. */
export const SAMPLING_DESIGNS = ['random', 'stratified', 'disagreement', 'chosen'] as const
export type SamplingDesign = (typeof SAMPLING_DESIGNS)[number]
const SamplingSchema = Type.Object(
  {
    design: Type.Enum(SAMPLING_DESIGNS, {
      type: 'string',
      description:
        '`random`: every graded question had the same chance; `stratified`: the same within each judge label; `disagreement`: from the queue of disagreements; `chosen`: by hand.',
    }),
    probability: Type.Optional(
      Type.Number({
        minimum: 1e-9,
        maximum: 1,
        description: 'The chance that this question had of being reviewed, where it is known.',
      }),
    ),
  },
  closed,
)
export type Sampling = Static<typeof SamplingSchema>

const ClaimsSchema = Type.Object(
  {
    observed: Type.Boolean({ description: 'The surface was observed.' }),
    cue_acted: Type.Boolean(),
    distractor_acted: Type.Boolean(),
  },
  { ...closed, description: 'Where given, they must make the label by the table of design section 2.' },
)

/** Words apart by single spaces: what looks alike is alike. Control and invisible characters are refused; linear. */
const RATER_PATTERN = '^[^\\p{C}\\p{Z}]+( [^\\p{C}\\p{Z}]+)*$'

export const RaterSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: RATER_PATTERN,
  description:
    'Who reviews: a name that stays the same. Words apart by single spaces, without control or invisible characters.',
})

export const ReviewRequestSchema = Type.Object(
  {
    rater: RaterSchema,
    label: Type.Union([LabelSchema, Type.Null()], { description: 'Null: it cannot be told; `comment` says why.' }),
    claims: Type.Optional(ClaimsSchema),
    comment: Type.Optional(Type.String({ maxLength: 5000 })),
    blind: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The rater had not seen any judge’s label before this one was given.',
      }),
    ),
    sampling: Type.Optional(SamplingSchema),
  },
  closed,
)
export type ReviewRequest = Static<typeof ReviewRequestSchema>

/** A human’s label for a question. Append-only: of one rater’s reviews of a question the newest counts. */
export const ReviewSchema = Type.Object(
  {
    id: Type.String({ pattern: '^rev_[0-9a-z]+$' }),
    grade_id: Type.String({ description: 'The grade that was reviewed.' }),
    trajectory: Digest,
    ground_truth: Digest,
    rater: Type.String(),
    label: Nullable(LabelSchema),
    claims: Nullable(ClaimsSchema),
    comment: Type.String(),
    blind: Type.Boolean(),
    sampling: Nullable(SamplingSchema),
    grade_label: Type.Union([LabelSchema, Type.Null()], {
      description: 'What the reviewed grade said; null: it is unverified or failed.',
    }),
    created_at: Type.String({ format: 'date-time' }),
  },
  closed,
)
export type Review = Static<typeof ReviewSchema>
