import type { Review } from '../schemas/review.ts'
import { type Db, insert, newest, type Page } from './db.ts'

export interface ReviewQuery extends Page {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
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
    const rows = await db.read.all<{ review: Review }>`${newest(db, 'reviews', 'body AS review', { filters, ...page })}`
    return rows.map(({ review }) => review)
  },
})

export function renderReview(review: Review) {
  const { id, grade_id, rater, label, created_at, trajectory, ground_truth } = review
  const question = `${trajectory}/${ground_truth}`
  return { id, grade_id, question, rater, label, body: JSON.stringify(review), created_at }
}
