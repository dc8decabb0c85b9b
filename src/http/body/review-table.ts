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
export function toReviewRow({ sampling, ...review }: Review): readonly CsvValue[] {
  const claims = claimsOfReview(review)
  const cells: Readonly<Record<(typeof REVIEW_COLUMNS)[number], CsvValue>> = {
    ...review,
    observed: bool(claims['surface.observed']),
    cue_acted: bool(claims['cue.acted']),
    distractor_acted: bool(claims['distractor.acted']),
    sampling: sampling?.design,
    rubric: review.rubric,
    probability: sampling?.probability,
    outcome: review.outcome ?? review.label,
    claims: Object.entries(claims).map(([id, value]) => `${id}=${value === null ? 'unclear' : String(value)}`),
  }
  return REVIEW_COLUMNS.map((name) => cells[name])
}

const bool = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
