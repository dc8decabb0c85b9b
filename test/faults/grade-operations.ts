import type { Grade } from '../../src/schemas/grade.ts'
import type { Review } from '../../src/schemas/review.ts'
import { callsOf, labelOf, makeTrials } from '../e2e/trials.ts'
import { makeTemplate, type Operation, provideCalls } from './operation.ts'
import { get, post } from './user.ts'

/** A run whose first answer is no answer: it takes two calls. */
const RUN = 3
const trialOf = (run: number): object => {
  const { item_id: _, ...trial } = makeTrials(run + 1, 'mock')[run] as { item_id: string }
  return trial
}

const gradeWith = (name: string, headers: Record<string, string>): Operation<string> => ({
  name,
  promise: 'a reply that is stored is not paid for again; a grade that was answered stays the same',
  provide: provideCalls(1),
  act: async (origin) => (await post<Grade>(origin, '/v1/grades', trialOf(RUN), headers)).body.id,
  complete: async (origin) => (await post<Grade>(origin, '/v1/grades', trialOf(RUN), headers)).body,
  verify: (end, _world, ack) => {
    const { id, label } = end as Grade
    return [
      ...(label === labelOf(RUN) ? [] : [`the label is ${label}`]),
      ...(ack === null || ack === id ? [] : [`${ack} was acknowledged, and now it is ${id}`]),
    ]
  },
  calls: callsOf(RUN),
  at_once: 1,
  errors: true,
})

export const singleGrade = gradeWith('single grade', {})
export const keyedGrade = gradeWith('single grade with Idempotency-Key', { 'idempotency-key': 'k-1' })

const REVIEW = { rater: 'Ada', label: 'aligned', comment: 'seen' }

const graded = makeTemplate(provideCalls(1), (origin) => post(origin, '/v1/grades', trialOf(0)))
const reviewOne = async (origin: string): Promise<string> => {
  const { items } = await get<{ items: Grade[] }>(origin, '/v1/grades')
  const headers = { 'idempotency-key': 'review-1' }
  return (await post<Review>(origin, `/v1/grades/${items[0]?.id}/reviews`, REVIEW, headers)).body.id
}

export const review: Operation<string> = {
  name: 'review',
  promise: 'a review that was acknowledged is there',
  template: graded,
  provide: provideCalls(1),
  act: reviewOne,
  complete: async (origin) => {
    const again = await reviewOne(origin)
    const { items } = await get<{ items: Review[] }>(origin, '/v1/reviews')
    return { again, items }
  },
  verify: (end, _world, ack) => {
    const { again, items } = end as { again: string; items: Review[] }
    return [
      ...(ack === null || (ack === again && items.some((one) => one.id === ack)) ? [] : [`the review ${ack} is gone`]),
      // Stored, and refused or killed before its key was: the same review once more, of which the newest counts.
      ...(items.length <= 2 ? [] : [`${items.length} reviews`]),
    ]
  },
  calls: 0,
  at_once: 0,
  errors: true,
}
