import type { Issue } from '../../domain/result.ts'
import { type ClaimValues, claimIdOf, OLD_CLAIM_NAMES } from '../../domain/rubric/claim-values.ts'
import { claimedOutcome, labelOf } from '../../domain/rubric/outcome.ts'
import { claimsOfOutcome, differ } from '../../domain/rubric/outcome-claims.ts'
import type { ClaimRule, ClaimValue, OutcomeRule, Rubric } from '../../domain/rubric/rubric.ts'
import type { Review, ReviewRequest } from '../../schemas/audit/review.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Label } from '../../schemas/vocabulary.ts'

type ReviewVerdict = Pick<ReviewRequest, 'label' | 'outcome' | 'claims'>

/** Lists the faults of a review: members that its rubric does not have, or claims that make another label. Empty for a valid review. */
export function findReviewFaults(review: ReviewVerdict, rubric: Rubric): Issue[] {
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
export function makeReview(
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
