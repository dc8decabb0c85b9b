import type { Review, SamplingDesign } from '../../schemas/audit/review.ts'
import { LABELS } from '../../schemas/vocabulary.ts'
import type { TrialReview } from './report-rows.ts'

type Settled =
  | { readonly review: TrialReview }
  /** No label is shared by more than half of its reviewers. */
  | { readonly review: null; readonly reason: 'unsettled' | 'not_reviewed' }

/**
 * One label of all raters of a question: the one that more than half of them gave, those among them who could not tell.
 *
 * @param standing the newest review of each rater.
 * @param gradeId the grade whose label is to be corrected, null for none: a sample stratified by the label of another grade is none for this one.
 */
export function settleReviews(
  standing: readonly Review[],
  gradeId: string | null,
  all: readonly Review[] = standing,
): Settled {
  if (standing.length === 0) return { review: null, reason: 'not_reviewed' }
  const human = LABELS.find((label) => standing.filter((one) => one.label === label).length * 2 > standing.length)
  if (human === undefined) return { review: null, reason: 'unsettled' }
  const samplings = new Map<SamplingDesign, { design: SamplingDesign; probability: number | null }>()
  // How a question was drawn stays true when its label is replaced: the sample must not lose what is contested.
  for (const { sampling, grade_id } of all) {
    const said = sampling?.design ?? 'chosen'
    const design = said === 'stratified' && grade_id !== gradeId ? 'chosen' : said
    const probability = design === said ? (sampling?.probability ?? null) : null
    if (!samplings.has(design)) samplings.set(design, { design, probability })
  }
  return { review: { human, samplings: [...samplings.values()], blind: standing.every(({ blind }) => blind) } }
}
