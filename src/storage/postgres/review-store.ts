import type { ReviewQuery, ReviewStore } from '../../ports/grade-ports.ts'
import type { Review } from '../../schemas/audit/review.ts'
import { FILTERS, renderReview } from '../sqlite/review-store.ts'
import { parseStored } from '../stored-text.ts'
import { createValues, insertOf, type Statement } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

export function createReviewStore(unit: Unit): ReviewStore {
  return {
    put: (review) => unit.write(async (sql) => void (await sql.run(...insertOf('reviews', renderReview(review))))),
    list: async (query) =>
      (await unit.rows<{ body: string }>(...renderList(query))).map(({ body }) => parseStored<Review>(body)),
  }
}

/** Newest first. */
function renderList(query: ReviewQuery): Statement {
  const { values, mark } = createValues()
  const terms = FILTERS.flatMap((name) => (query[name] === undefined ? [] : [`${name} = ${mark(query[name])}`]))
  if (query.before !== undefined) terms.push(`id < ${mark(query.before)}`)
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')} ` : ''
  return [`SELECT body FROM reviews ${where}ORDER BY id DESC LIMIT ${mark(query.limit)}`, values]
}
