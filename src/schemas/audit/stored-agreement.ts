import type { Static } from 'typebox'
import { GradeSelectionSchema } from '../regrade.ts'
import { Type } from '../type.ts'
import { AgreementRequestSchema, AgreementSchema } from './agreement.ts'

const closed = { additionalProperties: false } as const

/** What raters are compared by. */
const AGREEMENT_MEASURES = ['label', 'observed', 'cue_acted', 'distractor_acted'] as const
export type AgreementMeasure = (typeof AGREEMENT_MEASURES)[number]

const StoredRatersSchema = Type.Object(
  {
    raters: Type.Array(
      Type.String({
        maxLength: 300,
        pattern: '^((judge|samples|human):.+|humans|signals)$',
        description:
          '`judge:<name>` or `judge:<name>@<rubric>`: its standing grade; `samples:…`: each of its samples is a rater; `human:<name>`; `humans`: each of them; `signals`: what the harness measured, for the measures observed (appeared) and distractor_acted (executed).',
      }),
      { minItems: 1, maxItems: 50, uniqueItems: true },
    ),
    query: Type.Optional(GradeSelectionSchema),
    measure: Type.Optional(
      Type.Enum(AGREEMENT_MEASURES, {
        type: 'string',
        default: 'label',
        description:
          'A judge’s claims are its own; those of samples, and of humans who gave none, are what their label says, and what was not observed was not acted on.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'Items are the questions (a trajectory with its ground truth) that have a standing grade that fits `query`, all of them where it is absent; clusters are tasks. Where `query` names a batch, its own trials are chosen from, and of the judges that it asked its own grades are compared.',
  },
)
export type StoredRaters = Static<typeof StoredRatersSchema>

const { ratings, labels, bootstrap } = AgreementRequestSchema.properties

export const AgreementCallSchema = Type.Object(
  {
    ratings: Type.Optional(ratings),
    stored: Type.Optional(StoredRatersSchema),
    labels,
    bootstrap,
  },
  { ...closed, description: 'Either `ratings`, perhaps with `labels`, or `stored`.' },
)
export type AgreementCall = Static<typeof AgreementCallSchema>

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const RaterCoverageSchema = Type.Object(
  {
    rater: Type.String(),
    n: Count('Questions: the sum of all others.'),
    graded: Count('Gave a rating.'),
    unverified: Count('No rating: the evidence does not hold.'),
    failed: Count('No rating: the judge failed.'),
    cancelled: Count('No rating: the batch was cancelled before the judge was asked.'),
    undecided: Count('No rating: a human who says that it cannot be told.'),
    missing: Count('No rating: was not asked, or has not measured it.'),
  },
  closed,
)
export type RaterCoverage = Static<typeof RaterCoverageSchema>

/** The answer to both forms; only stored raters have a coverage. */
export const AgreementAnswerSchema = Type.Object(
  {
    ...AgreementSchema.properties,
    coverage: Type.Optional(
      Type.Array(RaterCoverageSchema, { description: 'Of stored raters, each as it was named or expanded to.' }),
    ),
  },
  closed,
)
export type AgreementAnswer = Static<typeof AgreementAnswerSchema>
