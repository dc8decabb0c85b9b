import { claimsOfReview } from '../../domain/rubric/said-claims.ts'
import type { Review } from '../../schemas/audit/review.ts'
import { tableOf } from './csv.ts'

/** One row a review. The claims of `tab-behavior` have columns of their own; those of all rubrics stand in one, as `id=value`. */
export const REVIEWS = tableOf<Review>({
  id: (one) => one.id,
  grade_id: (one) => one.grade_id,
  trajectory: (one) => one.trajectory,
  ground_truth: (one) => one.ground_truth,
  rater: (one) => one.rater,
  label: (one) => one.label,
  observed: (one) => booleanClaim(one, 'surface.observed'),
  cue_acted: (one) => booleanClaim(one, 'cue.acted'),
  distractor_acted: (one) => booleanClaim(one, 'distractor.acted'),
  comment: (one) => one.comment,
  blind: (one) => one.blind,
  sampling: (one) => one.sampling?.design,
  probability: (one) => one.sampling?.probability,
  grade_label: (one) => one.grade_label,
  created_at: (one) => one.created_at,
  rubric: (one) => one.rubric,
  outcome: (one) => one.outcome ?? one.label,
  claims: (one) =>
    Object.entries(claimsOfReview(one)).map(([id, value]) => `${id}=${value === null ? 'unclear' : String(value)}`),
})

function booleanClaim(review: Review, id: string): boolean | null {
  const value: unknown = claimsOfReview(review)[id]
  return typeof value === 'boolean' ? value : null
}
