import { claimsOfOutcome } from '../../domain/rubric/outcome-claims.ts'
import type { Scalar } from '../../domain/rubric/rubric.ts'
import type { Review, SamplingDesign } from '../../schemas/audit/review.ts'
import type { ReportRubric, TrialReview } from './report-rows.ts'

/**
 * Settles a question: the label that more than half of its raters gave, undecided raters included, and each claim likewise. Null without
 * such a majority.
 *
 * @param standing the newest review of each rater.
 * @param gradeId the grade whose label is corrected, or null: a sample stratified by another grade's label does not count for this grade.
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
  // The sampling of a question stays true when its label is replaced: the sample must not lose contested questions.
  for (const { sampling, grade_id } of all) {
    const drawn = sampling?.design ?? 'chosen'
    const design = drawn === 'stratified' && grade_id !== gradeId ? 'chosen' : drawn
    const probability = design === drawn ? (sampling?.probability ?? null) : null
    if (!samplings.has(design)) samplings.set(design, { design, probability })
  }
  return {
    human,
    claims: settleClaims(standing, rubric),
    samplings: [...samplings.values()],
    blind: standing.every(({ blind }) => blind),
  }
}

/** Returns the value of more than half of the values; undefined without one. */
const majority = <T>(values: readonly T[]): T | undefined =>
  [...new Set(values)].find((value) => values.filter((other) => other === value).length * 2 > values.length)

/** Settles the claims: a reviewer's label decides a claim, else the review's own claims. */
function settleClaims(standing: readonly Review[], rubric: ReportRubric): TrialReview['claims'] {
  const answers = standing.map(({ label, claims }): Readonly<Record<string, Scalar>> => {
    const own: Readonly<Record<string, Scalar>> = { ...claims }
    return label === null ? own : { ...own, ...claimsOfOutcome(rubric, label) }
  })
  return Object.fromEntries(
    rubric.claims.flatMap(({ id }) => {
      const value = majority(answers.map((answer) => (Object.hasOwn(answer, id) ? answer[id] : undefined)))
      return value === undefined ? [] : [[id, value]]
    }),
  )
}
