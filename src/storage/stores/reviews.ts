import type { ReviewQuery, ReviewStore } from '../../ports/grade-ports.ts'
import type { Review } from '../../schemas/audit/review.ts'
import type { Db } from '../db.ts'
import { createValues, type Statement } from '../statements.ts'
import { parseStored } from '../stored-text.ts'

const FILTERS = ['question', 'grade_id', 'rater'] as const

export const createReviewStore = (db: Db): ReviewStore => ({
  put: (review) => db.write((sql) => sql.insert('reviews', renderReview(review))),
  list: async (query) =>
    (await db.rows<{ body: string }>(...renderList(query))).map(({ body }) => parseStored<Review>(body)),
})

/** Newest first. One filter uses its index, which has the order too. */
function renderList(query: ReviewQuery): Statement {
  const { values, mark } = createValues()
  const given = FILTERS.filter((name) => query[name] !== undefined)
  const terms = given.map((name, index) => `${index === 0 ? '' : '/*+*/ '}${name} = ${mark(query[name])}`)
  if (query.before !== undefined) terms.push(`id < ${mark(query.before)}`)
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')} ` : ''
  return [`SELECT body FROM reviews ${where}ORDER BY id DESC LIMIT ${mark(query.limit)}`, values]
}

export const renderReview = (review: Review) => ({
  id: review.id,
  grade_id: review.grade_id,
  question: `${review.trajectory}/${review.ground_truth}`,
  rater: review.rater,
  label: review.label,
  body: JSON.stringify(review),
  created_at: review.created_at,
})
