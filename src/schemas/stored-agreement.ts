import { type Static, Type } from 'typebox'
import { AgreementRequestSchema, AgreementSchema } from './agreement.ts'
import { GradeSelectionSchema } from './regrade.ts'
import * as t from './type.ts'

const StoredRatersSchema = t.Documented(
  'Items are the questions (a trajectory with its ground truth) that have a standing grade that fits `query`, all of them where it is absent; clusters are tasks. Where `query` names a batch, its own trials are chosen from, and of the judges that it asked its own grades are compared.',
  {
    raters: Type.Array(
      t.Str(
        '`judge:<name>` or `judge:<name>@<rubric>`: its standing grade; `samples:…`: each of its samples is a rater; `human:<name>`; `humans`: each of them; `signals`: what the harness measured, for claims that the rubric says are measured (of `tab-behavior`: observed by appeared, distractor_acted by executed).',
        { maxLength: 300, pattern: '^((judge|samples|human):.+|humans|signals)$' },
      ),
      { minItems: 1, maxItems: 50, uniqueItems: true },
    ),
    query: t.Opt(GradeSelectionSchema),
    rubric: t.Opt.Str('The id of the rubric, without a version; needed where the questions were graded by several.', {
      maxLength: 200,
    }),
    measure: t.Opt.Str(
      '`label` or `outcome`: what follows from the claims; or the id of a claim of the rubric (of `tab-behavior` also observed, cue_acted, distractor_acted). A judge’s claims are its own; those of samples, and of humans who gave none, are what their label says of them, and what was not seen was not acted on: where it says nothing, they have no rating. Numbers and ordered labels are also answered with `weighted`.',
      { maxLength: 100, default: 'label' },
    ),
  },
)
export type StoredRaters = Static<typeof StoredRatersSchema>

export const AgreementCallSchema = t.Documented('Either `ratings`, perhaps with `labels` and `scale`, or `stored`.', {
  ...AgreementRequestSchema.properties,
  ratings: t.Opt(AgreementRequestSchema.properties.ratings),
  stored: t.Opt(StoredRatersSchema),
})
export type AgreementCall = Static<typeof AgreementCallSchema>

const RaterCoverageSchema = t.Closed({
  rater: t.Text,
  n: t.Count('Questions: the sum of all others.'),
  graded: t.Count('Gave a rating.'),
  unverified: t.Count('No rating: the evidence does not hold.'),
  failed: t.Count('No rating: the judge failed.'),
  cancelled: t.Count('No rating: the batch was cancelled before the judge was asked.'),
  undecided: t.Count('No rating: a human who says that it cannot be told.'),
  missing: t.Count('No rating: was not asked, has not measured it, or says nothing of the claim.'),
})
export type RaterCoverage = Static<typeof RaterCoverageSchema>

/** The answer to both forms; only stored raters have a coverage. */
export const AgreementAnswerSchema = t.Closed({
  ...AgreementSchema.properties,
  coverage: t.Opt.List(RaterCoverageSchema, 'Of stored raters, each as it was named or expanded to.'),
})
export type AgreementAnswer = Static<typeof AgreementAnswerSchema>
