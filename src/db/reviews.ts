import type { Disposition, Review, Signoff } from '../schemas/review.ts'
import { lockBatch } from './batches.ts'
import { type Db, insert, newest, type Page } from './db.ts'

type ReviewQuery = Page & Readonly<Partial<Record<'rater' | 'grade_id' | 'question', string>>>

export type ReviewStore = ReturnType<typeof createReviews>

/** Human labels, append-only. */
export const createReviews = (db: Db) => ({
  put: (review: Review) => db.write((sql) => insert(sql, 'reviews', renderReview(review))),
  async list({ question, grade_id, rater, ...page }: ReviewQuery): Promise<readonly Review[]> {
    const filters = Object.entries({ question, grade_id, rater })
    const rows = await db.read.all<{ review: Review }>`${newest(db, 'reviews', 'body AS review', filters, page)}`
    return rows.map(({ review }) => review)
  },
})

/** Decisions about the findings of batches, and sign-offs: append-only. */
export const createDispositions = (db: Db) => ({
  /** Stores a decision or a sign-off; a repetition of the newest of its class is not stored. Returns the stored record. */
  put: <R extends Disposition | Signoff>(record: R): Promise<R> =>
    db.write(async (sql) => {
      const row = renderDisposition(record)
      // One process at a time, so that two equal requests store one row.
      await lockBatch(sql, row.batch)
      const newest = await sql.first<{ disposition: R }>`SELECT body AS disposition FROM dispositions
        WHERE batch = ${row.batch} AND class = ${row.class} ORDER BY id DESC LIMIT 1`
      if (newest !== undefined && contentOf(newest.disposition) === contentOf(record)) return newest.disposition
      await insert(sql, 'dispositions', row)
      return record
    }),
  /** Reads the newest disposition of each class of a batch, by class, and the newest sign-off. */
  async of(batch: string) {
    const rows = await db.read.all<{ class: string; disposition: Disposition | Signoff }>`
      SELECT class, body AS disposition FROM dispositions WHERE id IN (
        SELECT max(id) FROM dispositions WHERE batch = ${batch} GROUP BY class)`
    const newest = new Map(rows.map((row) => [row.class, row.disposition]))
    const signoff = (newest.get(SIGNOFF) ?? null) as Signoff | null
    newest.delete(SIGNOFF)
    return { newest: newest as ReadonlyMap<string, Disposition>, signoff }
  },
})

export function renderReview(review: Review) {
  const { id, grade_id, rater, label, created_at, trajectory, ground_truth } = review
  const question = `${trajectory}/${ground_truth}`
  return { id, grade_id, question, rater, label, body: JSON.stringify(review), created_at }
}

/** The class of the rows that sign a batch. */
const SIGNOFF = 'signoff'

export function renderDisposition(record: Disposition | Signoff) {
  const { id, batch, created_at } = record
  return { id, batch, class: 'class' in record ? record.class : SIGNOFF, body: JSON.stringify(record), created_at }
}

const contentOf = ({ id: _, created_at: __, ...content }: Disposition | Signoff): string => JSON.stringify(content)
