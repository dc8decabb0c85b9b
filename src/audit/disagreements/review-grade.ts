import type { Issue } from '../../domain/result.ts'
import { claimsAgainst, labelOfClaims } from '../../domain/rubric/label-claims.ts'
import type { Review, ReviewRequest } from '../../schemas/audit/review.ts'
import type { Grade } from '../../schemas/grade.ts'

/** Where a review contradicts itself: its claims make another label. Empty: it does not. */
export function findReviewFaults({ label, claims }: ReviewRequest): Issue[] {
  if (claims === undefined) return []
  const made = labelOfClaims(claims)
  if (label === null)
    return [{ path: '/claims', message: `make the label ${made}: leave them out where it cannot be told` }]
  return claimsAgainst(label, claims).map(({ claim, wanted }) => ({
    path: `/claims/${claim}`,
    message: `must be ${wanted} for the label ${label}; these claims make ${made}`,
  }))
}

/** What is stored of a review. The grade may have any status: what a judge could not tell a human perhaps can. */
export const makeReview = (
  request: ReviewRequest,
  { id: grade_id, label: grade_label, receipt }: Pick<Grade, 'id' | 'label' | 'receipt'>,
  made: { readonly id: string; readonly at: Date },
): Review => ({
  id: made.id,
  grade_id,
  trajectory: receipt.trajectory,
  ground_truth: receipt.ground_truth,
  rater: request.rater,
  label: request.label,
  claims: request.claims ?? null,
  comment: request.comment ?? '',
  blind: request.blind ?? false,
  sampling: request.sampling ?? null,
  grade_label,
  created_at: made.at.toISOString(),
})
