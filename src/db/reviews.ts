import type { Review } from '../schemas/review.ts'
import { all, type Db, insert, newest } from './db.ts'
import { parseStored } from './text.ts'

export interface ReviewQuery {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  readonly limit: number
  /** Exclusive: reviews older than this id. */
  readonly before?: string
}

export type ReviewStore = ReturnType<typeof createReviews>

/** Human labels, append-only. */
export const createReviews = (db: Db) => ({
  put: async (review: Review): Promise<void> => {
    await db.write((sql) => insert(sql, 'reviews', renderReview(review)))
  },
  /** Lists reviews, newest first. */
  async list({ question, grade_id, rater, ...page }: ReviewQuery): Promise<readonly Review[]> {
    const filters = Object.entries({ question, grade_id, rater })
    const rows = await all<{ body: string }>(db.read)`${newest(db, 'reviews', 'body', { filters, ...page })}`
    return rows.map(({ body }) => parseStored<Review>(body))
  },
})

export const renderReview = (review: Review) => ({
  id: review.id,
  grade_id: review.grade_id,
  question: `${review.trajectory}/${review.ground_truth}`,
  rater: review.rater,
  label: review.label,
  body: JSON.stringify(review),
  created_at: review.created_at,
})
