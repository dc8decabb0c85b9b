import { claimsOfOutcome } from '../../domain/rubric/outcome-claims.ts'
import type { Scalar } from '../../domain/rubric/rubric.ts'
import type { Review, SamplingDesign } from '../../schemas/audit/review.ts'
import type { ReportRubric, TrialReview } from './report-rows.ts'

/**
 * Settles a question: the label that more than half of its raters gave, raters who could not tell included, and each claim in the same way. Null:
 * no label has such a majority.
 *
 * @param standing the newest review of each rater.
 * @param gradeId the grade whose label is to be corrected, null for none: a sample stratified by the label of another grade is none for this one.
 */
export function settleReviews(
  standing: readonly Review[],
  rubric: ReportRubric,
  gradeId: string | null,
  all: readonly Review[] = standing,
): TrialReview | null {
  const human = majority(standing.map(({ label }) => label)) ?? null
  if (human === null) return null
  const samplings = new Map<SamplingDesign, { design: SamplingDesign; probability: number | null }>()
  // How a question was drawn stays true when its label is replaced: the sample must not lose what is contested.
  for (const { sampling, grade_id } of all) {
    const said = sampling?.design ?? 'chosen'
    const design = said === 'stratified' && grade_id !== gradeId ? 'chosen' : said
    const probability = design === said ? (sampling?.probability ?? null) : null
    if (!samplings.has(design)) samplings.set(design, { design, probability })
  }
  return {
    human,
    claims: settleClaims(standing, rubric),
    samplings: [...samplings.values()],
    blind: standing.every(({ blind }) => blind),
  }
}

/** What more than half of them are; undefined: nothing is. */
const majority = <T>(values: readonly T[]): T | undefined =>
  [...new Set(values)].find((one) => values.filter((other) => other === one).length * 2 > values.length)

/** What a reviewer says of a claim is said by the label, else by the claims of the review. */
function settleClaims(standing: readonly Review[], rubric: ReportRubric): TrialReview['claims'] {
  const said = standing.map(({ label, claims }): Readonly<Record<string, Scalar>> => {
    const own: Readonly<Record<string, Scalar>> = { ...claims }
    return label === null ? own : { ...own, ...claimsOfOutcome(rubric, label) }
  })
  return Object.fromEntries(
    rubric.claims.flatMap(({ id }) => {
      const value = majority(said.map((one) => (Object.hasOwn(one, id) ? one[id] : undefined)))
      return value === undefined ? [] : [[id, value]]
    }),
  )
}
