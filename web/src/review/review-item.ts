import { navigate, readPlace } from '../location.ts'
import { rubricId } from '../rubrics.ts'
import type { Disagreement, Grade, Review, Sampling } from '../types.ts'
import { recall, remember } from '../ui/memory.ts'

/** A question to review, with the facts that a blind reader may know. */
export interface ReviewItem {
  /** `sha256:…/sha256:…`: trajectory and ground truth. */
  readonly question: string
  /** `id@version`: the rubric of the answers. */
  readonly rubric: string
  /** The question, with its rubric unless that is `tab-behavior`: unique among items. */
  readonly place: string
  readonly trajectory: string
  /** Any grade of the question: a review is of the question. */
  readonly gradeId: string
  readonly task: string | null
  readonly agent: string | null
  readonly model: string | null
  /** Whether the question was settled, or reviewed, when the page was opened. */
  readonly done: boolean
  readonly sampling: Sampling
}

type Asked = Pick<Review, 'trajectory' | 'ground_truth' | 'rubric'>

/** Names the question of a disagreement, a review or the receipt of a grade. */
export function placeOfQuestion({ trajectory, ground_truth, rubric = 'tab-behavior' }: Asked): string {
  const id = rubricId(rubric)
  return `${trajectory}/${ground_truth}${id === 'tab-behavior' ? '' : `/${id}`}`
}

/** Makes the item of a grade; a grade without a draw was chosen. */
export function itemOfGrade({ id, receipt, metadata }: Grade, sampling: Sampling = { design: 'chosen' }): ReviewItem {
  return {
    question: `${receipt.trajectory}/${receipt.ground_truth}`,
    rubric: receipt.rubric,
    place: placeOfQuestion(receipt),
    trajectory: receipt.trajectory,
    gradeId: id,
    task: metadata.task ?? metadata.trial ?? null,
    agent: metadata.agent ?? null,
    model: metadata.model ?? null,
    done: false,
    sampling,
  }
}

/** Makes the item of a disagreement. Null: a disagreement without a grade, which the service never sends. */
export function itemOfDisagreement(question: Disagreement, judge: string | null): ReviewItem | null {
  const grade = question.grades.find((candidate) => candidate.judge === judge) ?? question.grades[0]
  if (grade === undefined) return null
  return {
    question: `${question.trajectory}/${question.ground_truth}`,
    rubric: grade.rubric,
    place: placeOfQuestion(question),
    trajectory: question.trajectory,
    gradeId: grade.grade_id,
    task: question.task ?? question.trial ?? null,
    agent: question.agent,
    model: question.model,
    done: question.settled,
    sampling: { design: 'disagreement' },
  }
}

/** Finds the question in the address; else the first open question; else the first. */
export function placeOf(items: readonly ReviewItem[], at: string | null): number {
  const named = items.findIndex(({ place }) => place === at)
  if (named !== -1) return named
  return Math.max(
    0,
    items.findIndex(({ done }) => !done),
  )
}

/** Goes to a question, and leaves the place inside of the last question. */
export function goTo(item: ReviewItem | undefined, options: { readonly replace?: boolean } = {}): void {
  if (item === undefined) return
  const { path, query } = readPlace()
  query.set('at', item.place)
  navigate(`${path}?${query}`, options)
}

/** The stored list of questions whose labels the pages have shown: a reload makes no reader blind again. */
const SEEN_KEY = 'veridict.seen'
const MOST = 5000

/** The same list for a browser that refuses to store anything, while the page is open. */
const shown = new Set<string>()

export const hasSeen = (question: string): boolean => shown.has(question) || readSeen().includes(question)

export function markSeen(questions: readonly string[]): void {
  for (const question of questions) shown.add(question)
  const before = readSeen()
  const seen = new Set(before)
  const news = questions.filter((question) => !seen.has(question))
  if (news.length > 0) remember(SEEN_KEY, JSON.stringify([...before, ...news].slice(-MOST)))
}

function readSeen(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(recall(SEEN_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((item) => typeof item === 'string') : []
  } catch {
    return []
  }
}

/** The stored name of the rater. */
const RATER_KEY = 'veridict.rater'

export const readRater = (): string => recall(RATER_KEY) ?? ''
export const rememberRater = (rater: string): void => remember(RATER_KEY, rater)

/** Writes a name as the service wants it: single spaces between words. */
export const tidyRater = (typed: string): string => typed.trim().split(/\s+/).join(' ')
