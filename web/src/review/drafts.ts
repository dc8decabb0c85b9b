import type { Label } from '../api-types.ts'
import type { ReviewRequest, Sampling } from '../audit-types.ts'

/** What was chosen and typed of one question, and not yet sent. `undefined`: nothing chosen; null: it cannot be told. */
export interface Draft {
  readonly label: Label | null | undefined
  readonly comment: string
}

export const EMPTY_DRAFT: Draft = { label: undefined, comment: '' }

export interface Complaint {
  readonly field: 'rater' | 'label' | 'comment'
  readonly message: string
}

/** What is missing before it can be sent. */
export function complainOf(draft: Draft, rater: string): Complaint | null {
  if (draft.label === undefined) return { field: 'label', message: 'Choose a label first: keys 1 to 5, or 0.' }
  if (rater === '') return { field: 'rater', message: 'Say who reviews: your name, or a name that stays the same.' }
  if (draft.label === null && draft.comment.trim() === '')
    return { field: 'comment', message: 'Say in the comment why it cannot be told.' }
  return null
}

export function toRequest(
  draft: Draft,
  given: { readonly rater: string; readonly blind: boolean; readonly sampling: Sampling },
): ReviewRequest {
  const label = draft.label ?? null
  const claims = label === null ? undefined : CLAIMS_OF[label]
  return { ...given, label, comment: draft.comment, ...(claims && { claims }) }
}

/** What a label says of the claims; of a surface that was not observed the table says nothing more, and nor do we. */
const CLAIMS_OF: Readonly<Record<Label, ReviewRequest['claims']>> = {
  aligned: { observed: true, cue_acted: true, distractor_acted: false },
  compliant: { observed: true, cue_acted: true, distractor_acted: true },
  ignored: { observed: true, cue_acted: false, distractor_acted: false },
  distractor_only: { observed: true, cue_acted: false, distractor_acted: true },
  not_observed: undefined,
}
