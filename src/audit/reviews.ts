import type { ReviewStore } from '../db/reviews.ts'
import { defined, type Issue, pushTo } from '../domain/result.ts'
import {
  type ClaimValues,
  claimedOutcome,
  claimIdOf,
  claimsOfOutcome,
  claimsOfReview,
  differ,
  fits,
  labelOf,
  OLD_CLAIM_NAMES,
  rubricIdOfReview,
  rubricOf,
} from '../domain/rubric/claims.ts'
import type { ClaimValue, Rubric } from '../domain/rubric/rubric.ts'
import { orNotFound, RequestError } from '../schemas/problem.ts'
import { decodeCursor, idOf, type ReviewQuery, takePage } from '../schemas/queries.ts'
import type { Review, ReviewRequest } from '../schemas/review.ts'
import { type Label, rubricIdOf } from '../schemas/vocabulary.ts'
import { type AuditContext, requireNames } from './names.ts'
import { newestFirst, subjectOf } from './trials.ts'

/** Stores the review of a grade. Throws a RequestError for a review that does not fit the rubric of the grade. */
export async function storeReview(context: AuditContext, gradeId: string, body: ReviewRequest): Promise<Review> {
  const { clock, newId, stores } = context
  const { receipt, label: grade_label } = orNotFound(await stores.grades.get(gradeId), 'grade', gradeId)
  const rubric = rubricOf(context.rubrics, receipt.rubric)
  if (rubric === null) {
    const detail = `the rubric of this grade is not loaded, and says what a review may be: ${receipt.rubric}`
    throw new RequestError('unknown_rubric', detail)
  }
  const errors = findReviewFaults(body, rubric)
  if (errors.length > 0) throw new RequestError('invalid_request', `the review does not fit ${rubric.name}`, { errors })
  const { rater, claims = null, comment = '', blind = false, sampling = null, provenance = 'human' } = body
  const label = labelOfReview(body) ?? null
  // The grade may have any status: a human may decide a question that a judge could not.
  const review: Review = {
    ...{ id: newId('rev'), grade_id: gradeId, trajectory: receipt.trajectory, ground_truth: receipt.ground_truth },
    ...{ rubric: receipt.rubric, rater, label },
    outcome: label !== null && rubric.outcome.kind === 'sum' ? Number(label) : label,
    ...{ claims, comment, blind, sampling, provenance, grade_label, created_at: clock.now().toISOString() },
  }
  await stores.reviews.put(review)
  return review
}

/** Finds reviews, newest first. */
export async function findReviews(context: AuditContext, query: ReviewQuery) {
  const { rater, grade_id, question, rubric, label, cursor } = query
  await requireNames(context, { rubric, label: label === 'none' ? undefined : label })
  const before = decodeCursor(cursor, /^rev_[0-9a-z]{26}$/)
  const asked = { rubric: rubric && rubricIdOf(rubric), label: label === 'none' ? null : label }
  return readReviews(context.stores.reviews, defined({ rater, grade_id, question, before, ...asked }))
}

/** Lists one page of reviews, newest first. */
export const listReviews = async (context: AuditContext, query: ReviewQuery) =>
  takePage(await findReviews(context, query), query.limit ?? 50, idOf)

interface ReviewFilter extends Omit<Parameters<ReviewStore['list']>[0], 'limit'> {
  /** The id of a rubric, without its version. */
  readonly rubric?: string
  /** `null` selects the reviews that leave the question undecided. */
  readonly label?: Label | null
}

/** Reads the reviews that fit, newest first, a page of the store at a time. */
export async function* readReviews(store: ReviewStore, filter: ReviewFilter): AsyncGenerator<Review> {
  const { label, rubric, before, ...query } = filter
  for await (const review of newestFirst((page) => store.list({ ...query, ...page }), idOf, defined({ before }))) {
    const isOfRubric = rubric === undefined || rubricIdOfReview(review) === rubric
    if (isOfRubric && (label === undefined || review.label === label)) yield review
  }
}

/** A reviewer's standing answer to a question. */
export interface ReviewRow extends Readonly<Pick<Review, 'id' | 'rater' | 'label' | 'blind' | 'provenance'>> {
  readonly claims: ClaimValues
}

/** Returns the question of a review, without its reviewer: `sha256:…/sha256:…`. */
export const questionOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth'>): string =>
  `${review.trajectory}/${review.ground_truth}`

/** Keeps each rater's newest review of one subject, of reviews newest first. A null label withdraws a label; an agent's label replaces no other. */
export const standingReviews = (reviews: readonly Review[]): Review[] =>
  [...Map.groupBy(reviews, (review) => `${isOfAgent(review)} ${review.rater}`).values()].flatMap(
    ([newest]) => newest ?? [],
  )

/** Reads the reviews of some questions under their rubrics, newest first. */
export async function reviewsOf(store: ReviewStore, subjects: ReadonlyMap<string, unknown>) {
  const reviews = new Map<string, Review[]>()
  for await (const review of readReviews(store, {})) {
    const subject = subjectOf(questionOfReview(review), rubricIdOfReview(review))
    if (subjects.has(subject)) pushTo(reviews, subject, review)
  }
  return reviews
}

/** Reads the standing reviews of some questions under their rubrics, with their claims. */
export async function standingReviewsOf(store: ReviewStore, subjects: ReadonlyMap<string, unknown>) {
  const toRow = (review: Review): ReviewRow => ({ ...review, claims: claimsOfReview(review) })
  const reviews = await reviewsOf(store, subjects)
  return new Map([...reviews].map(([subject, own]) => [subject, standingReviews(own).map(toRow)]))
}

/** Tells whether a label was made by an agent: such a label is another opinion, and no truth. */
export const isOfAgent = ({ provenance }: Pick<Review, 'provenance'>): boolean => provenance === 'agent'

/** Returns the label on which all raters but agents agree, null included; undefined without reviews, or where raters differ. */
export function agreedLabel(reviews: readonly Pick<Review, 'label' | 'provenance'>[]): Label | null | undefined {
  const standing = reviews.filter((review) => !isOfAgent(review))
  const [first] = standing
  return first !== undefined && standing.every(({ label }) => label === first.label) ? first.label : undefined
}

type ReviewVerdict = Pick<ReviewRequest, 'label' | 'outcome' | 'claims'>

/** Returns the label of a review; undefined where it has neither label nor outcome. */
const labelOfReview = ({ label, outcome }: ReviewVerdict): Label | null | undefined =>
  label === undefined && outcome !== undefined ? labelOf(outcome) : label

/** Lists the faults of a review: members that its rubric does not have, or claims that make another label. Empty for a valid review. */
function findReviewFaults(review: ReviewVerdict, rubric: Rubric): Issue[] {
  const label = labelOfReview(review)
  if (label === undefined) return [{ path: '/label', message: 'is required' }]
  const wrongOutcome = outcomeFault(review, label, rubric)
  if (wrongOutcome !== null) return [wrongOutcome]
  const { claims = {} } = review
  const missing = OLD_CLAIM_NAMES.filter((name) => !Object.hasOwn(claims, name))
  // Claims of the old form are all given, or none.
  const required = missing.length === OLD_CLAIM_NAMES.length ? [] : missing
  const forms = [
    ...required.map((name) => [name, 'is required'] as const),
    ...Object.entries(claims).map(([name, value]) => [name, wrongForm(name, value, rubric)] as const),
  ].flatMap(([name, message]) => (message === null ? [] : [{ path: `/claims/${name}`, message }]))
  return forms.length > 0 ? forms : contradictions(label, claims, rubric)
}

function outcomeFault({ label, outcome: stated }: ReviewVerdict, verdict: Label | null, { outcome }: Rubric) {
  const path = label === undefined ? '/outcome' : '/label'
  if (label !== undefined && stated !== undefined && labelOf(stated) !== label)
    return { path: '/outcome', message: 'differs from the label: give the label or the outcome' }
  if (verdict === null) return null
  if (outcome.kind === 'sum')
    return /^-?\d{1,15}$/.test(verdict) ? null : { path, message: 'must be a whole number: the outcome is a sum' }
  return outcome.labels.includes(verdict) ? null : { path, message: `must be one of ${outcome.labels.join(', ')}` }
}

/** Returns the expected form of a claim's value; null for a valid value. */
function wrongForm(name: string, value: ClaimValue, rubric: Rubric): string | null {
  const claim = rubric.claims.find(({ id }) => id === claimIdOf(name))
  if (claim === undefined)
    return `is no claim of ${rubric.name}; there are: ${rubric.claims.map(({ id }) => id).join(', ')}`
  const { type, values, minimum, maximum } = claim
  if (value === null) return null
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false, or null where it is unclear'
    case 'enum':
      return values.some((one) => one === value) ? null : `must be one of ${values.join(', ')}`
    case 'agent':
    case 'text':
      return typeof value === 'string' && value.trim() !== '' ? null : 'must be a text'
    case 'list':
      return 'is a list: a review gives its outcome alone'
    default:
      if (typeof value !== 'number' || !Number.isSafeInteger(value))
        return type === 'step' ? 'must be the id of a step' : 'must be a whole number'
      return value >= minimum && value <= maximum ? null : `must lie between ${minimum} and ${maximum}`
  }
}

/** Lists the claims that contradict the label: those of the row of the rubric's table that is nearest to them. */
function contradictions(label: Label | null, given: NonNullable<Review['claims']>, rubric: Rubric): Issue[] {
  const claims = claimsOfReview({ claims: given })
  const made = madeBy(claims, rubric)
  if (label === null)
    return made === null ? [] : wrongClaims(`make the label ${made}: leave them out where it cannot be told`)
  const { outcome } = rubric
  const rows: readonly ClaimValues[] =
    outcome.kind === 'table'
      ? outcome.rows.filter((row) => row.label === label).map(({ when }) => when)
      : [claimsOfOutcome(rubric, label)]
  const against = rows.map((row) => Object.entries(row).filter(([id, wanted]) => differ(claims[id], wanted)))
  const least = against.sort((a, b) => a.length - b.length)[0] ?? []
  const end = made === null ? '' : `; these claims make ${made}`
  if (least.length === 0 && made !== null && made !== label) return wrongClaims(`make the label ${made}, not ${label}`)
  return least.map(([id, wanted]) => {
    const name = Object.keys(given).findLast((one) => claimIdOf(one) === id) ?? id
    return { path: `/claims/${name}`, message: `must be ${String(wanted)} for the label ${label}${end}` }
  })
}

const wrongClaims = (message: string): Issue[] => [{ path: '/claims', message }]

/** Returns the label that the claims make; null where they leave it open. */
function madeBy(claims: ClaimValues, rubric: Rubric): Label | null {
  const { outcome } = rubric
  if (outcome.kind === 'best') return null
  const made = labelOf(claimedOutcome({ values: claims }, rubric))
  if (made !== null || outcome.kind !== 'table') return made
  const certain = outcome.rows.filter(({ when }) => fits(when, claims))
  const [label = null, ...others] = new Set(certain.map((row) => row.label))
  return others.length === 0 ? label : null
}
