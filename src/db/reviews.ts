import { sql as raw, type SqlBool } from 'kysely'
import type { Review } from '../schemas/audit/review.ts'
import type { Db } from './db.ts'
import { parseStored } from './text.ts'

export interface ReviewQuery {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  readonly limit: number
  /** Exclusive: reviews older than this id. */
  readonly before?: string
}

const FILTERS = ['question', 'grade_id', 'rater'] as const

export type ReviewStore = ReturnType<typeof createReviews>

/** Human labels, append-only. */
export const createReviews = (db: Db) => ({
  put: async (review: Review): Promise<void> => {
    await db.write((sql) => sql.insertInto('reviews').values(renderReview(review)).execute())
  },
  /** Lists reviews, newest first. The first filter uses its index. */
  async list(query: ReviewQuery): Promise<readonly Review[]> {
    let selected = db.read.selectFrom('reviews').select('body').orderBy('id', 'desc').limit(query.limit)
    const given = FILTERS.filter((name) => query[name] !== undefined)
    for (const [at, name] of given.entries()) {
      const unused = db.kind === 'sqlite' && at > 0 ? raw`+` : raw``
      selected = selected.where(raw<SqlBool>`${unused}${raw.ref(name)} = ${query[name]}`)
    }
    if (query.before !== undefined) selected = selected.where('id', '<', query.before)
    return (await selected.execute()).map(({ body }) => parseStored<Review>(body))
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
