import type Database from 'better-sqlite3'
import type { ReviewQuery, ReviewStore } from '../../ports/grade-ports.ts'
import type { Review } from '../../schemas/audit/review.ts'
import { parseStored } from '../stored-text.ts'
import type { Unit } from './unit.ts'

const INSERT = `
  INSERT INTO reviews (id, grade_id, question, rater, label, body, created_at)
  VALUES (@id, @grade_id, @question, @rater, @label, @body, @created_at)`

export const FILTERS = ['question', 'grade_id', 'rater'] as const

export function createReviewStore(db: Database.Database, unit: Unit): ReviewStore {
  const insert = db.prepare(INSERT)
  return {
    put: (review) => unit.write(() => void insert.run(renderReview(review))),
    list: (query) =>
      unit.read(() => {
        const bodies = db
          .prepare(renderReviewSql(query))
          .pluck()
          .all({ ...query }) as string[]
        return bodies.map((body) => parseStored<Review>(body))
      }),
  }
}

/** Newest first. One filter uses its index, which has the order too. */
function renderReviewSql(query: ReviewQuery): string {
  const given = FILTERS.filter((name) => query[name] !== undefined)
  const terms = given.map((name, index) => (index === 0 ? `${name} = @${name}` : `+${name} = @${name}`))
  if (query.before !== undefined) terms.push('id < @before')
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')} ` : ''
  return `SELECT body FROM reviews ${where}ORDER BY id DESC LIMIT @limit`
}

/** A review as its row. */
export const renderReview = (review: Review) => ({
  id: review.id,
  grade_id: review.grade_id,
  question: `${review.trajectory}/${review.ground_truth}`,
  rater: review.rater,
  label: review.label,
  body: JSON.stringify(review),
  created_at: review.created_at,
})
