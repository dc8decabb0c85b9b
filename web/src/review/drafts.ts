import type { Label, RubricView } from '../api-types.ts'
import type { ReviewRequest, Sampling } from '../audit-types.ts'

type Claims = NonNullable<ReviewRequest['claims']>
export type ClaimAnswer = Claims[string]

/** What was chosen and typed of one question, and not yet sent. `undefined`: nothing chosen; null: it cannot be told. */
export interface Draft {
  readonly label: Label | null | undefined
  /** By id; null: unclear. What is absent is not said. */
  readonly claims: Claims
  readonly comment: string
}

export const EMPTY_DRAFT: Draft = { label: undefined, claims: {}, comment: '' }

export interface Complaint {
  readonly field: 'rater' | 'label' | 'comment'
  readonly message: string
}

/** What is missing before it can be sent. */
export function complainOf(draft: Draft, rater: string): Complaint | null {
  if (draft.label === undefined) return { field: 'label', message: 'Choose a label first: by its key, or 0.' }
  if (rater === '') return { field: 'rater', message: 'Say who reviews: your name, or a name that stays the same.' }
  if (draft.label === null && draft.comment.trim() === '')
    return { field: 'comment', message: 'Say in the comment why it cannot be told.' }
  return null
}

export function toRequest(
  draft: Draft,
  given: { readonly rater: string; readonly blind: boolean; readonly sampling: Sampling },
  rubric: RubricView,
): ReviewRequest {
  const label = draft.label ?? null
  const claims = label === null ? {} : { ...decidedBy(label, rubric), ...saidBeside(draft, rubric) }
  return {
    ...given,
    label,
    comment: draft.comment,
    ...(Object.keys(claims).length > 0 && { claims: inOldNames(claims) }),
  }
}

/** What the label says of claims. */
export const decidedBy = (label: Label | null | undefined, rubric: RubricView): Claims =>
  rubric.labels.find((one) => one.label === label)?.claims ?? {}

/** A claim that the label decides may have been answered before another label was chosen. */
function saidBeside({ label, claims }: Draft, rubric: RubricView): Claims {
  const decided = decidedBy(label, rubric)
  return Object.fromEntries(Object.entries(claims).filter(([id]) => !Object.hasOwn(decided, id)))
}

/** The reviews of `tab-behavior` are read by programs that know its three claims by these names. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  'surface.observed': 'observed',
  'cue.acted': 'cue_acted',
  'distractor.acted': 'distractor_acted',
}

const inOldNames = (claims: Claims): Claims =>
  Object.keys(OLD_NAMES).every((id) => Object.hasOwn(claims, id))
    ? Object.fromEntries(Object.entries(claims).map(([id, value]) => [OLD_NAMES[id] ?? id, value]))
    : claims
