import { claimsOfReview } from '../../domain/rubric/said-claims.ts'
import type { Review } from '../../schemas/audit/review.ts'
import type { CsvValue } from './csv.ts'

/** One row a review. */
export const REVIEW_COLUMNS = [
  'id',
  'grade_id',
  'trajectory',
  'ground_truth',
  'rater',
  'label',
  'observed',
  'cue_acted',
  'distractor_acted',
  'comment',
  'blind',
  'sampling',
  'probability',
  'grade_label',
  'created_at',
  'rubric',
  'outcome',
  'claims',
] as const

/** The claims of `tab-behavior` have columns of their own; those of all rubrics stand in one, as `id=value`. */
export const toReviewRow = ({ sampling, ...review }: Review): readonly CsvValue[] => {
  const claims = claimsOfReview(review)
  return [
    review.id,
    review.grade_id,
    review.trajectory,
    review.ground_truth,
    review.rater,
    review.label,
    bool(claims['surface.observed']),
    bool(claims['cue.acted']),
    bool(claims['distractor.acted']),
    review.comment,
    review.blind,
    sampling?.design,
    sampling?.probability,
    review.grade_label,
    review.created_at,
    review.rubric,
    review.outcome ?? review.label,
    Object.entries(claims).map(([id, value]) => `${id}=${value === null ? 'unclear' : String(value)}`),
  ]
}

const bool = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
