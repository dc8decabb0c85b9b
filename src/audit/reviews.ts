import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReviewStore } from '../db/reviews.ts'
import { defined } from '../domain/defined.ts'
import { pushTo } from '../domain/push-to.ts'
import type { Issue } from '../domain/result.ts'
import {
  type ClaimValues,
  claimIdOf,
  claimsOfReview,
  OLD_CLAIM_NAMES,
  type Rubrics,
  rubricIdOfReview,
  rubricOf,
} from '../domain/rubric/claim-values.ts'
import { claimedOutcome, labelOf } from '../domain/rubric/outcome.ts'
import { claimsOfOutcome, differ } from '../domain/rubric/outcome-claims.ts'
import type { ClaimRule, ClaimValue, OutcomeRule, Rubric } from '../domain/rubric/rubric.ts'
import type { Grade } from '../schemas/grade.ts'
import { faultAt, orNotFound, RequestError } from '../schemas/problem.ts'
import type { ReviewQuery } from '../schemas/queries.ts'
import { decodeCursor, idOf, takePage } from '../schemas/queries.ts'
import type { Review, ReviewRequest } from '../schemas/review.ts'
import { type Label, rubricIdOf } from '../schemas/vocabulary.ts'
import { type AuditContext, hasLabel, labelsOf, requireNames } from './names.ts'
import { subjectOf } from './trials.ts'

const PAGE = 200

interface ReviewFilter {
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

/** Stores the review of a grade. Throws a RequestError for a review that does not fit the rubric of the grade. */
export async function storeReview(context: AuditContext, gradeId: string, body: ReviewRequest): Promise<Review> {
  const { clock, newId, stores } = context
  const grade = orNotFound(await stores.grades.get(gradeId), 'grade', gradeId)
  const rubric = rubricOf(context.rubrics, grade.receipt.rubric)
  if (rubric === null) throw notLoaded(grade.receipt.rubric)
  const errors = findReviewFaults(body, rubric)
  if (errors.length > 0) throw new RequestError('invalid_request', `the review does not fit ${rubric.name}`, { errors })
  const made = makeReview(body, grade, rubric, { id: newId('rev'), at: clock.now() })
  await stores.reviews.put(made)
  return made
}

/** Finds reviews, newest first. */
export async function findReviews(context: AuditContext, query: ReviewQuery) {
  await requireNames(context, { rubric: query.rubric })
  return readReviews(context.stores.reviews, filterOf(query, context.rubrics))
}

/** Lists one page of reviews, newest first. */
export const listReviews = async (context: AuditContext, query: ReviewQuery) =>
  takePage(await findReviews(context, query), query.limit ?? 50, idOf)

function filterOf(query: ReviewQuery, rubrics: Rubrics): ReviewFilter {
  const { rater, grade_id, question, rubric, label, cursor } = query
  const before = decodeCursor(cursor, /^rev_[0-9a-z]{26}$/)
  if (label !== undefined && label !== 'none' && !hasLabel(rubrics, label)) throw noSuchLabel(rubrics, rubric)
  return defined({
    ...{ rater, grade_id, question, before },
    rubric: rubric === undefined ? undefined : rubricIdOf(rubric),
    label: label === 'none' ? null : label,
  })
}

function noSuchLabel(rubrics: Rubrics, asked: string | undefined): RequestError {
  const message = `must be one of ${[...new Set([...labelsOf(rubrics, asked), 'none'])].join(', ')}`
  return faultAt('/label', message, 'invalid_request', 'no loaded rubric has this label')
}

const notLoaded = (name: string): RequestError =>
  new RequestError('unknown_rubric', `the rubric of this grade is not loaded, and says what a review may be: ${name}`)

type ReviewVerdict = Pick<ReviewRequest, 'label' | 'outcome' | 'claims'>

/** Lists the faults of a review: members that its rubric does not have, or claims that make another label. Empty for a valid review. */
function findReviewFaults(review: ReviewVerdict, rubric: Rubric): Issue[] {
  const label = labelOfReview(review)
  if (label === undefined) return [{ path: '/label', message: 'is required' }]
  const outcome = outcomeIssues(review, label, rubric)
  if (outcome.length > 0) return outcome
  const { claims = {} } = review
  const forms = [
    ...oldNameIssues(claims),
    ...Object.entries(claims).flatMap(([name, value]) => formOf(name, value, rubric)),
  ]
  return forms.length > 0 ? forms : contradictions(label, claims, rubric)
}

/** Returns the label of a review; undefined where it has neither label nor outcome. */
const labelOfReview = ({ label, outcome }: ReviewVerdict): Label | null | undefined =>
  label === undefined && outcome !== undefined ? labelOf(outcome) : label

function outcomeIssues({ label, outcome: stated }: ReviewVerdict, verdict: Label | null, { outcome }: Rubric): Issue[] {
  const path = label === undefined ? '/outcome' : '/label'
  if (label !== undefined && stated !== undefined && labelOf(stated) !== label)
    return [{ path: '/outcome', message: 'differs from the label: give the label or the outcome' }]
  if (verdict === null) return []
  if (outcome.kind === 'sum')
    return /^-?\d{1,15}$/.test(verdict) ? [] : [{ path, message: 'must be a whole number: the outcome is a sum' }]
  return outcome.labels.includes(verdict) ? [] : [{ path, message: `must be one of ${outcome.labels.join(', ')}` }]
}

/** Reports missing claims of the old form, in which all three are given, or none. */
function oldNameIssues(claims: object): Issue[] {
  const missing = OLD_CLAIM_NAMES.filter((name) => !Object.hasOwn(claims, name))
  if (missing.length === OLD_CLAIM_NAMES.length) return []
  return missing.map((name) => ({ path: `/claims/${name}`, message: 'is required' }))
}

function formOf(name: string, value: unknown, rubric: Rubric): Issue[] {
  const path = `/claims/${name}`
  const claim = rubric.claims.find(({ id }) => id === claimIdOf(name))
  if (claim === undefined)
    return [
      { path, message: `is no claim of ${rubric.name}; there are: ${rubric.claims.map(({ id }) => id).join(', ')}` },
    ]
  const message = value === null ? null : wrongForm(claim, value)
  return message === null ? [] : [{ path, message }]
}

/** Returns the expected form of a claim's value; null for a valid value. */
function wrongForm({ type, values, minimum, maximum }: ClaimRule, value: unknown): string | null {
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
    default: {
      if (!Number.isSafeInteger(value)) return type === 'step' ? 'must be the id of a step' : 'must be a whole number'
      const number = value as number
      return number >= minimum && number <= maximum ? null : `must lie between ${minimum} and ${maximum}`
    }
  }
}

function contradictions(label: Label | null, given: Readonly<Record<string, unknown>>, rubric: Rubric): Issue[] {
  const names = new Map(Object.keys(given).map((name) => [claimIdOf(name), name]))
  const claims = Object.fromEntries([...names].map(([id, name]) => [id, given[name] as ClaimValue]))
  const made = madeBy(claims, rubric)
  if (label === null)
    return made === null
      ? []
      : [{ path: '/claims', message: `make the label ${made}: leave them out where it cannot be told` }]
  const against = rowsOf(label, rubric).map((row) => conflicts(row, claims))
  const least = against.sort((a, b) => a.length - b.length)[0] ?? []
  const end = made === null ? '' : `; these claims make ${made}`
  if (least.length === 0 && made !== null && made !== label)
    return [{ path: '/claims', message: `make the label ${made}, not ${label}` }]
  return least.map(({ id, wanted }) => ({
    path: `/claims/${names.get(id) ?? id}`,
    message: `must be ${String(wanted)} for the label ${label}${end}`,
  }))
}

/** Returns the label that the claims make; null where they leave it open. */
function madeBy(claims: ClaimValues, rubric: Rubric): Label | null {
  if (rubric.outcome.kind === 'best') return null
  const open = rubric.outcome.claims.filter((id) => (claims[id] ?? null) === null)
  if (open.length === 0) return labelOf(claimedOutcome({ values: claims }, rubric))
  const labels = rubric.outcome.kind === 'table' ? fittingLabels(claims, rubric.outcome.rows) : []
  return labels.length === 1 ? (labels[0] ?? null) : null
}

type Rows = Extract<OutcomeRule, { kind: 'table' }>['rows']
const fittingLabels = (claims: ClaimValues, rows: Rows): Label[] => [
  ...new Set(rows.filter(({ when }) => isCertain(when, claims)).map(({ label }) => label)),
]

/** Tells whether the given claims suffice for a row of the table. */
const isCertain = (when: ClaimValues, claims: ClaimValues): boolean =>
  Object.entries(when).every(([id, value]) => claims[id] === value)

/** Returns the claims of each row that makes the label. */
const rowsOf = (label: Label, rubric: Rubric): readonly ClaimValues[] =>
  rubric.outcome.kind === 'table'
    ? rubric.outcome.rows.filter((row) => row.label === label).map(({ when }) => when)
    : [claimsOfOutcome(rubric, label)]

const conflicts = (row: ClaimValues, claims: ClaimValues): { id: string; wanted: ClaimValue }[] =>
  Object.entries(row).flatMap(([id, wanted]) => (differ(claims[id], wanted) ? [{ id, wanted }] : []))

/** Makes the stored form of a review. Its grade may have any status: a human may decide a question that a judge could not. */
function makeReview(
  request: ReviewRequest,
  { id: grade_id, label: grade_label, receipt }: Pick<Grade, 'id' | 'label' | 'receipt'>,
  rubric: Rubric,
  made: { readonly id: string; readonly at: Date },
): Review {
  const label = labelOfReview(request) ?? null
  return {
    id: made.id,
    grade_id,
    trajectory: receipt.trajectory,
    ground_truth: receipt.ground_truth,
    rubric: receipt.rubric,
    rater: request.rater,
    label,
    outcome: label !== null && rubric.outcome.kind === 'sum' ? Number(label) : label,
    claims: request.claims ?? null,
    comment: request.comment ?? '',
    blind: request.blind ?? false,
    sampling: request.sampling ?? null,
    grade_label,
    created_at: made.at.toISOString(),
  }
}
