import type { Disagreement, Sampling } from '../audit-types.ts'

/** One question to review: only what a blind reader may know. */
export interface ReviewItem {
  /** `sha256:…/sha256:…`: trajectory and ground truth. */
  readonly question: string
  /** `id@version`: what may be answered. */
  readonly rubric: string
  /** Tells it from all others: the question, and its rubric unless that is `tab-behavior`. */
  readonly place: string
  readonly trajectory: string
  /** Any grade of the question: a review is of the question. */
  readonly gradeId: string
  readonly task: string | null
  readonly agent: string | null
  readonly model: string | null
  /** Settled, or reviewed: before this page was opened. */
  readonly done: boolean
  readonly sampling: Sampling
}

export const rubricId = (name: string): string => name.replace(/@\d+$/, '')

export const placeIn = (question: string, rubric: string): string =>
  rubric === 'tab-behavior' ? question : `${question}/${rubric}`

export const placeOfDisagreement = (one: Disagreement): string =>
  placeIn(`${one.trajectory}/${one.ground_truth}`, one.rubric)

/** Null: it has no grade, which cannot be: then there is nothing to review. */
export function itemOfDisagreement(one: Disagreement, judge: string | null): ReviewItem | null {
  const grade = one.grades.find((known) => known.judge === judge) ?? one.grades[0]
  if (grade === undefined) return null
  return {
    question: `${one.trajectory}/${one.ground_truth}`,
    rubric: grade.rubric,
    place: placeOfDisagreement(one),
    trajectory: one.trajectory,
    gradeId: grade.grade_id,
    task: one.task,
    agent: one.agent,
    model: one.model,
    done: one.settled,
    sampling: { design: 'disagreement' },
  }
}
