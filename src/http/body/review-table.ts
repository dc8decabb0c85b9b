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
] as const

export const toReviewRow = ({ claims, sampling, ...review }: Review): readonly CsvValue[] => [
  review.id,
  review.grade_id,
  review.trajectory,
  review.ground_truth,
  review.rater,
  review.label,
  claims?.observed,
  claims?.cue_acted,
  claims?.distractor_acted,
  review.comment,
  review.blind,
  sampling?.design,
  sampling?.probability,
  review.grade_label,
  review.created_at,
]
