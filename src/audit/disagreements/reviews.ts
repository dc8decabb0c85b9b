import { defined } from '../../domain/defined.ts'
import { type Rubrics, rubricOf } from '../../domain/rubric/claim-values.ts'
import type { ReviewQuery } from '../../schemas/audit/queries.ts'
import type { Review, ReviewRequest } from '../../schemas/audit/review.ts'
import { decodeCursor, idOf, takePage } from '../../schemas/page.ts'
import { faultAt, orNotFound, RequestError } from '../../schemas/problem.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { type AuditContext, hasLabel, labelsOf, requireNames } from '../names.ts'
import { findReviewFaults, makeReview } from './review-grade.ts'
import { type ReviewFilter, readReviews } from './standing-reviews.ts'

/** Stores the review of a grade. Throws a RequestError for a review that does not fit the rubric of the grade. */
export async function storeReview(context: AuditContext, gradeId: string, body: ReviewRequest): Promise<Review> {
  const { clock, newId, stores } = context
  const grade = orNotFound(await stores.grades.get(gradeId), 'grade', gradeId)
  const rubric = rubricOf(context.rubrics, grade.receipt.rubric)
  if (rubric === null) throw notLoaded(grade.receipt.rubric)
  const errors = findReviewFaults(body, rubric)
  if (errors.length > 0) throw new RequestError('invalid_request', `the review does not fit ${rubric.name}`, { errors })
  const made = makeReview(body, grade, rubric, { id: newId('rev'), at: clock.now() })
  await stores.reviews.put(made)
  return made
}

/** Finds reviews, newest first. */
export async function findReviews(context: AuditContext, query: ReviewQuery) {
  await requireNames(context, { rubric: query.rubric })
  return readReviews(context.stores.reviews, filterOf(query, context.rubrics))
}

/** Lists one page of reviews, newest first. */
export const listReviews = async (context: AuditContext, query: ReviewQuery) =>
  takePage(await findReviews(context, query), query.limit ?? 50, idOf)

function filterOf(query: ReviewQuery, rubrics: Rubrics): ReviewFilter {
  const { rater, grade_id, question, rubric, label, cursor } = query
  const before = decodeCursor(cursor, /^rev_[0-9a-z]{26}$/)
  if (label !== undefined && label !== 'none' && !hasLabel(rubrics, label)) throw noSuchLabel(rubrics, rubric)
  return defined({
    ...{ rater, grade_id, question, before },
    rubric: rubric === undefined ? undefined : rubricIdOf(rubric),
    label: label === 'none' ? null : label,
  })
}

function noSuchLabel(rubrics: Rubrics, asked: string | undefined): RequestError {
  const message = `must be one of ${[...new Set([...labelsOf(rubrics, asked), 'none'])].join(', ')}`
  return faultAt('/label', message, 'invalid_request', 'no loaded rubric has this label')
}

const notLoaded = (name: string): RequestError =>
  new RequestError('unknown_rubric', `the rubric of this grade is not loaded, and says what a review may be: ${name}`)
