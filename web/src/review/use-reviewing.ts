import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { postJson, withQuery } from '../api.ts'
import type { Review } from '../audit-types.ts'
import { readAll } from '../use-all.ts'
import { toApiError } from '../use-load.ts'
import { type Complaint, complainOf, type Draft, EMPTY_DRAFT, toRequest } from './drafts.ts'
import { readRater, rememberRater, tidyRater } from './rater.ts'
import type { ReviewItem } from './review-item.ts'
import { hasSeen, markSeen } from './seen.ts'

/** What the reader of one question has done so far, and what can be done. Drafts outlive going to other questions. */
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

interface State {
  readonly drafts: Readonly<Record<string, Draft>>
  readonly given: Readonly<Record<string, readonly Review[]>>
  readonly done: Readonly<Record<string, boolean>>
  readonly complaint: Complaint | null
  readonly refused: string | null
}

const START: State = { drafts: {}, given: {}, done: {}, complaint: null, refused: null }
const NONE: readonly Review[] = []

export function useReviewing(items: readonly ReviewItem[], item: ReviewItem, word: 'settled' | 'reviewed'): Reviewing {
  const [state, setState] = useState(START)
  const [rater, setRater] = useState(readRater)
  const [sending, setSending] = useState(false)
  const [turn, setTurn] = useState(0)
  const busy = useRef(false)
  const { question } = item
  const revealed = useMemo(() => hasSeen(question), [question, turn])
  const draft = state.drafts[question] ?? EMPTY_DRAFT
  const isDone = (one: ReviewItem) => state.done[one.question] ?? one.done

  const change = (part: Partial<Draft>) =>
    setState((before) => {
      const drafts = { ...before.drafts, [question]: { ...(before.drafts[question] ?? EMPTY_DRAFT), ...part } }
      return { ...before, drafts, complaint: null }
    })
  const unblind = useCallback(() => {
    markSeen([question])
    setTurn((before) => before + 1)
  }, [question])
  const submit = async () => {
    const name = tidyRater(rater)
    const complaint = complainOf(draft, name)
    setState((before) => ({ ...before, complaint, refused: null }))
    if (complaint !== null || busy.current) return
    busy.current = true
    setSending(true)
    try {
      const body = toRequest(draft, { rater: name, blind: !revealed, sampling: item.sampling })
      const review = await postJson<Review>(`/v1/grades/${encodeURIComponent(item.gradeId)}/reviews`, body)
      rememberRater(name)
      unblind()
      const done = word === 'reviewed' || (await isSettled(question).catch(() => item.done))
      setState((before) => ({
        ...before,
        drafts: { ...before.drafts, [question]: EMPTY_DRAFT },
        given: { ...before.given, [question]: [...(before.given[question] ?? NONE), review] },
        done: { ...before.done, [question]: done },
      }))
    } catch (error) {
      setState((before) => ({ ...before, refused: toApiError(error).message }))
    } finally {
      busy.current = false
      setSending(false)
    }
  }
  return {
    draft,
    rater,
    revealed,
    sending,
    complaint: state.complaint,
    refused: state.refused,
    given: state.given[question] ?? NONE,
    count: items.filter(isDone).length,
    isDone: isDone(item),
    turn,
    change,
    nameRater: (typed) => {
      setRater(typed)
      rememberRater(tidyRater(typed))
      setState((before) => ({ ...before, complaint: null }))
    },
    unblind,
    submit,
  }
}

/** As the queue has it: the newest reviews of all raters agree. Lists are newest first. */
async function isSettled(question: string): Promise<boolean> {
  const { items } = await readAll<Review>(withQuery('/v1/reviews', { question }), 2000)
  const newest = new Map<string, Review>()
  for (const review of items) if (!newest.has(review.rater)) newest.set(review.rater, review)
  return new Set([...newest.values()].map(({ label }) => label)).size === 1
}
