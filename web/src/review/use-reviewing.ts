import { useState } from 'preact/hooks'
import { ask, readAll, toApiError } from '../api.ts'
import { rubricId } from '../rubrics.ts'
import type { Label, Review, ReviewRequest, RubricView, Sampling } from '../types.ts'
import { confirmAct } from '../ui/notice.tsx'
import { spaced } from '../words.ts'
import { hasSeen, markSeen, type ReviewItem, readRater, rememberRater, tidyRater } from './review-item.ts'

type Claims = NonNullable<ReviewRequest['claims']>
export type ClaimAnswer = Claims[string]

/** The unsent review of a question. Label `undefined`: not chosen; null: the label cannot be told. */
export interface Draft {
  readonly label: Label | null | undefined
  /** Answers by claim; null: unclear. */
  readonly claims: Claims
  readonly comment: string
}

const EMPTY_DRAFT: Draft = { label: undefined, claims: {}, comment: '' }

export interface Complaint {
  readonly field: 'rater' | 'label' | 'comment'
  readonly message: string
}

/** Finds the missing part of a review. */
function complainOf(draft: Draft, rater: string): Complaint | null {
  if (draft.label === undefined) return { field: 'label', message: 'Choose a label first: by its key, or 0.' }
  if (rater === '') return { field: 'rater', message: 'Say who reviews: your name, or a name that stays the same.' }
  if (draft.label === null && draft.comment.trim() === '')
    return { field: 'comment', message: 'Say in the comment why it cannot be told.' }
  return null
}

function toRequest(
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

/** Finds the claims that a label decides. */
export const decidedBy = (label: Label | null | undefined, rubric: RubricView): Claims =>
  rubric.labels.find((row) => row.label === label)?.claims ?? {}

/** Picks the answers beside the label: the reader may have answered a decided claim before choosing the label. */
function saidBeside({ label, claims }: Draft, rubric: RubricView): Claims {
  const decided = decidedBy(label, rubric)
  return Object.fromEntries(Object.entries(claims).filter(([id]) => !Object.hasOwn(decided, id)))
}

/** Names of three claims of `tab-behavior`, by which programs read its reviews. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  'surface.observed': 'observed',
  'cue.acted': 'cue_acted',
  'distractor.acted': 'distractor_acted',
}

const inOldNames = (claims: Claims): Claims =>
  Object.keys(OLD_NAMES).every((id) => Object.hasOwn(claims, id))
    ? Object.fromEntries(Object.entries(claims).map(([id, value]) => [OLD_NAMES[id] ?? id, value]))
    : claims

/** The review of a question on this page, and its actions. */
export type Reviewing = ReturnType<typeof useReviewing>

/** The work on a question on this page. */
interface Own {
  readonly draft: Draft
  readonly given: readonly Review[]
  /** Null: unchanged since the page was opened. */
  readonly done: boolean | null
  readonly complaint: Complaint | null
  readonly refused: string | null
}

const NOTHING: Own = { draft: EMPTY_DRAFT, given: [], done: null, complaint: null, refused: null }

/** State outside of the drawing: a key may come before the last change was drawn. */
interface Kept {
  rater: string
  sending: boolean
  turn: number
  readonly own: Map<string, Own>
}

/** Unsent drafts by question, also over a sign-in, while the window is open. */
const drafts = new Map<string, Draft>()

interface Asked {
  readonly word: 'settled' | 'reviewed'
  /** Null: not loaded yet. */
  readonly rubric: RubricView | null
}

export function useReviewing(items: readonly ReviewItem[], item: ReviewItem, { word, rubric }: Asked) {
  const [, redraw] = useState(0)
  const [kept] = useState<Kept>(() => ({ rater: readRater(), sending: false, turn: 0, own: new Map() }))
  const { question, place } = item
  const ownOf = (at: string) => kept.own.get(at) ?? { ...NOTHING, draft: drafts.get(at) ?? EMPTY_DRAFT }
  const keep = (change: Partial<Own>) => {
    kept.own.set(place, { ...ownOf(place), ...change })
    if (change.draft !== undefined) drafts.set(place, change.draft)
    redraw((before) => before + 1)
  }
  const isDone = (candidate: ReviewItem) => ownOf(candidate.place).done ?? candidate.done
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
      // A change during the call is the draft of another review.
      keep({ draft: now === draft ? EMPTY_DRAFT : now, given: [...given, review], done })
      unblind()
      const { label, blind } = review
      confirmAct(
        `Stored: ${label === null ? 'cannot be told' : spaced(label)}, ${blind ? 'blind' : 'not blind'}. Key n goes on.`,
      )
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
    /** Whether the labels of judges may be shown: the reader asked for them, or has given a review. */
    revealed: hasSeen(question),
    sending: kept.sending,
    /** The number of items that are done by now. */
    count: items.filter(isDone).length,
    isDone: isDone(item),
    /** Counts submissions: values loaded before a submission are old. */
    turn: kept.turn,
    change: (part: Partial<Draft>) => keep({ draft: { ...ownOf(place).draft, ...part }, complaint: null }),
    nameRater: (typed: string) => {
      kept.rater = typed
      rememberRater(tidyRater(typed))
      keep({ complaint: null })
    },
    unblind,
    submit,
  }
}

/** Stores a review: blind, if no window of this browser has shown the labels of the question. */
const send = (item: ReviewItem, draft: Draft, rater: string, rubric: RubricView): Promise<Review> =>
  ask('createReview', {
    path: { id: item.gradeId },
    body: toRequest(draft, { rater, blind: !hasSeen(item.question), sampling: item.sampling }, rubric),
  })

/** Tells whether the newest reviews of all raters agree, as the queue does. Lists are newest first. */
async function isSettled({ question, rubric }: ReviewItem): Promise<boolean> {
  const { items } = await readAll('listReviews', { question, rubric: rubricId(rubric) }, 2000)
  const newest = new Map<string, Review>()
  for (const review of items) if (!newest.has(review.rater)) newest.set(review.rater, review)
  return new Set([...newest.values()].map(({ label }) => label)).size === 1
}
