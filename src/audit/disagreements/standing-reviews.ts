import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReviewStore } from '../../db/reviews.ts'
import { pushTo } from '../../domain/push-to.ts'
import { type ClaimValues, claimsOfReview, rubricIdOfReview } from '../../domain/rubric/claim-values.ts'
import type { Review } from '../../schemas/audit/review.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { subjectOf } from './questions.ts'

const PAGE = 200

export interface ReviewFilter {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  /** The id of a rubric, without its version. */
  readonly rubric?: string
  /** `null` selects the reviews that leave the question undecided. */
  readonly label?: Label | null
  /** Exclusive: selects reviews older than this id. */
  readonly before?: string
}

/** A reviewer's standing answer to a question. */
export interface ReviewRow {
  readonly id: string
  readonly rater: string
  readonly label: Label | null
  readonly claims: ClaimValues
  readonly blind: boolean
}

/** Yields all reviews that fit, newest first, a page of the store at a time. */
export async function* readReviews(store: ReviewStore, filter: ReviewFilter): AsyncGenerator<Review> {
  const { label, rubric, before, ...query } = filter
  const fits = (review: Review) =>
    (label === undefined || review.label === label) && (rubric === undefined || rubricIdOfReview(review) === rubric)
  let last = before
  for (;;) {
    const page = await store.list({ ...query, limit: PAGE, ...(last !== undefined && { before: last }) })
    yield* page.filter(fits)
    last = page.at(-1)?.id
    if (page.length < PAGE) return
    await nextTurn()
  }
}

/** Returns the question of a review, without its reviewer: `sha256:…/sha256:…`. */
export const questionOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth'>): string =>
  `${review.trajectory}/${review.ground_truth}`

/** Returns the subject of a review: its question under its rubric. */
const subjectOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth' | 'rubric'>): string =>
  subjectOf(questionOfReview(review), rubricIdOfReview(review))

/**
 * Keeps the newest review of a question by a rubric for each rater, newest first. A review with a null label withdraws an earlier label.
 *
 * @param reviews newest first.
 */
export function standingReviews(reviews: Iterable<Review>): Review[] {
  const ratersBySubject = new Map<string, Set<string>>()
  const standing: Review[] = []
  for (const review of reviews)
    if (isFirst(ratersBySubject, subjectOfReview(review), review.rater)) standing.push(review)
  return standing
}

/** Reads the standing reviews of some questions under their rubrics, with their claims; memory grows only with the raters. */
export async function standingReviewsOf(
  store: ReviewStore,
  subjects: ReadonlyMap<string, unknown>,
): Promise<Map<string, ReviewRow[]>> {
  const rows = new Map<string, ReviewRow[]>()
  const ratersBySubject = new Map<string, Set<string>>()
  for await (const review of readReviews(store, {})) {
    const subject = subjectOfReview(review)
    const { id, rater, label, blind } = review
    if (!subjects.has(subject) || !isFirst(ratersBySubject, subject, rater)) continue
    pushTo(rows, subject, { id, rater, label, claims: claimsOfReview(review), blind })
  }
  return rows
}

function isFirst(ratersBySubject: Map<string, Set<string>>, subject: string, rater: string): boolean {
  const raters = ratersBySubject.get(subject) ?? new Set()
  if (raters.has(rater)) return false
  ratersBySubject.set(subject, raters.add(rater))
  return true
}

/** Returns the label on which all raters agree, null included; undefined without reviews, or where raters differ. */
export function agreedLabel(standing: readonly Pick<Review, 'label'>[]): Label | null | undefined {
  const [first] = standing
  return first !== undefined && standing.every(({ label }) => label === first.label) ? first.label : undefined
}
