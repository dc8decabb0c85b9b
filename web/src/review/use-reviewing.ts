import { useState } from 'preact/hooks'
import { ask, readAll, toApiError } from '../api.ts'
import { rubricId } from '../rubrics.ts'
import type { Label, Review, ReviewRequest, RubricView, Sampling } from '../types.ts'
import { hasSeen, markSeen, type ReviewItem, readRater, rememberRater, tidyRater } from './review-item.ts'

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

/** State of the review of one question, and its actions. Drafts outlive the page, also over a sign-in. */
export interface Reviewing {
  readonly draft: Draft
  readonly rater: string
  /** The labels of judges may be shown: they were asked for, or a review was given. */
  readonly revealed: boolean
  readonly sending: boolean
  readonly complaint: Complaint | null
  readonly refused: string | null
  /** Given here, newest last. */
  readonly given: readonly Review[]
  /** Of all items, those that are done by now. */
  readonly count: number
  readonly isDone: boolean
  /** Counts submissions: what was loaded before one is old. */
  readonly turn: number
  readonly change: (change: Partial<Draft>) => void
  readonly nameRater: (rater: string) => void
  readonly unblind: () => void
  readonly submit: () => Promise<void>
}

/** Of one question, what was done here. */
interface Own {
  readonly draft: Draft
  readonly given: readonly Review[]
  /** Null: as it was when the page was opened. */
  readonly done: boolean | null
  readonly complaint: Complaint | null
  readonly refused: string | null
}

const NOTHING: Own = { draft: EMPTY_DRAFT, given: [], done: null, complaint: null, refused: null }

/** Kept outside of what is drawn: a key may come before the last one was drawn. */
interface Kept {
  rater: string
  sending: boolean
  turn: number
  readonly own: Map<string, Own>
}

/** Unsent drafts by question, as long as this window is open. */
const drafts = new Map<string, Draft>()

interface Asked {
  readonly word: 'settled' | 'reviewed'
  /** Null: not loaded yet. */
  readonly rubric: RubricView | null
}

export function useReviewing(items: readonly ReviewItem[], item: ReviewItem, { word, rubric }: Asked): Reviewing {
  const [, redraw] = useState(0)
  const [kept] = useState<Kept>(() => ({ rater: readRater(), sending: false, turn: 0, own: new Map() }))
  const { question, place } = item
  const ownOf = (one: string) => kept.own.get(one) ?? { ...NOTHING, draft: drafts.get(one) ?? EMPTY_DRAFT }
  const keep = (change: Partial<Own>) => {
    kept.own.set(place, { ...ownOf(place), ...change })
    if (change.draft !== undefined) drafts.set(place, change.draft)
    redraw((before) => before + 1)
  }
  const isDone = (one: ReviewItem) => ownOf(one.place).done ?? one.done
  const unblind = () => {
    markSeen([question])
    kept.turn++
    redraw((before) => before + 1)
  }
  const submit = async () => {
    const { draft } = ownOf(place)
    const name = tidyRater(kept.rater)
    const complaint = complainOf(draft, name)
    keep({ complaint, refused: null })
    if (complaint !== null || kept.sending || rubric === null) return
    kept.sending = true
    try {
      const review = await send(item, draft, name, rubric)
      const done = word === 'reviewed' || (await isSettled(item).catch(() => item.done))
      const { draft: now, given } = ownOf(place)
      // What was changed meanwhile is a draft of another review.
      keep({ draft: now === draft ? EMPTY_DRAFT : now, given: [...given, review], done })
      unblind()
    } catch (error) {
      keep({ refused: toApiError(error).message })
    } finally {
      kept.sending = false
      redraw((before) => before + 1)
    }
  }
  const own = ownOf(place)
  return {
    ...own,
    rater: kept.rater,
    revealed: hasSeen(question),
    sending: kept.sending,
    count: items.filter(isDone).length,
    isDone: isDone(item),
    turn: kept.turn,
    change: (part) => keep({ draft: { ...ownOf(place).draft, ...part }, complaint: null }),
    nameRater: (typed) => {
      kept.rater = typed
      rememberRater(tidyRater(typed))
      keep({ complaint: null })
    },
    unblind,
    submit,
  }
}

/** Blind is what no window of this browser has shown the labels of. */
const send = (item: ReviewItem, draft: Draft, rater: string, rubric: RubricView): Promise<Review> =>
  ask('createReview', {
    path: { id: item.gradeId },
    body: toRequest(draft, { rater, blind: !hasSeen(item.question), sampling: item.sampling }, rubric),
  })

/** As the queue has it: the newest reviews of all raters agree. Lists are newest first. */
async function isSettled({ question, rubric }: ReviewItem): Promise<boolean> {
  const { items } = await readAll('listReviews', { question, rubric: rubricId(rubric) }, 2000)
  const newest = new Map<string, Review>()
  for (const review of items) if (!newest.has(review.rater)) newest.set(review.rater, review)
  return new Set([...newest.values()].map(({ label }) => label)).size === 1
}
