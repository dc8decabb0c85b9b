import { pushTo } from '../../domain/push-to.ts'
import { claimsOfReview, rubricIdOfReview, type SaidClaims } from '../../domain/rubric/said-claims.ts'
import type { ReviewStore } from '../../ports/grade-ports.ts'
import type { Review } from '../../schemas/audit/review.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { nextTurn } from './next-turn.ts'
import { subjectOf } from './standing-opinions.ts'

const PAGE = 200

export interface ReviewFilter {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  /** The id of a rubric, without its version. */
  readonly rubric?: string
  /** `null`: those who say that it cannot be told. */
  readonly label?: Label | null
  /** Exclusive: reviews older than this id. */
  readonly before?: string
}

/** A human’s standing answer to a question. */
export interface ReviewRow {
  readonly id: string
  readonly rater: string
  readonly label: Label | null
  readonly claims: SaidClaims
  readonly blind: boolean
}

/** All reviews that fit, newest first, a page of the store at a time. */
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

/** What is asked, apart from by whom it is answered: `sha256:…/sha256:…`. */
export const questionOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth'>): string =>
  `${review.trajectory}/${review.ground_truth}`

/** What it is a label of: a question under a rubric. */
const subjectOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth' | 'rubric'>): string =>
  subjectOf(questionOfReview(review), rubricIdOfReview(review))

/**
 * Of each rater the newest review of a question by a rubric, newest first. One whose label is null takes an earlier label back.
 *
 * @param reviews newest first.
 */
export function standingReviews(reviews: Iterable<Review>): Review[] {
  const known = new Map<string, Set<string>>()
  const standing: Review[] = []
  for (const review of reviews) if (isFirst(known, subjectOfReview(review), review.rater)) standing.push(review)
  return standing
}

/** The standing reviews of some questions under their rubrics, each with its claims; memory grows with their raters alone. */
export async function standingReviewsOf(
  store: ReviewStore,
  subjects: ReadonlyMap<string, unknown>,
): Promise<Map<string, ReviewRow[]>> {
  const rows = new Map<string, ReviewRow[]>()
  const known = new Map<string, Set<string>>()
  for await (const review of readReviews(store, {})) {
    const subject = subjectOfReview(review)
    const { id, rater, label, blind } = review
    if (!subjects.has(subject) || !isFirst(known, subject, rater)) continue
    pushTo(rows, subject, { id, rater, label, claims: claimsOfReview(review), blind })
  }
  return rows
}

function isFirst(known: Map<string, Set<string>>, subject: string, rater: string): boolean {
  const raters = known.get(subject) ?? new Set()
  if (raters.has(rater)) return false
  known.set(subject, raters.add(rater))
  return true
}

/** The one answer of all raters, null among them; undefined: there is no review, or they differ. */
export function agreedLabel(standing: readonly Pick<Review, 'label'>[]): Label | null | undefined {
  const [first] = standing
  return first !== undefined && standing.every(({ label }) => label === first.label) ? first.label : undefined
}
