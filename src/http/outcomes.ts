import type { Refusal } from '../grading/refusal.ts'
import type { Grade } from '../schemas/grade.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'
import { HttpProblem } from './problem.ts'

/** What the outcomes of the service are in HTTP when they are not an answer. */

const REFUSAL_STATUS: Readonly<Record<Refusal['code'], number>> = {
  invalid_request: 400,
  unknown_judge: 400,
  unknown_rubric: 400,
  unknown_trajectory: 404,
  not_cached: 404,
  too_many_items: 400,
}

export const refusalProblem = (refusal: Refusal): HttpProblem =>
  new HttpProblem(REFUSAL_STATUS[refusal.code], refusal.code, refusal.detail, { errors: refusal.errors })

/** 504: no answer in time. 503: the judge is there, but not now. 502: everything else that a judge can do wrong. */
const FAILURE_STATUS: Readonly<Record<FailureCode, 502 | 503 | 504>> = {
  judge_unreachable: 502,
  rate_limited: 503,
  quota_exhausted: 503,
  authentication: 502,
  refused: 502,
  truncated: 502,
  schema_invalid: 502,
  context_overflow: 502,
  budget_exceeded: 503,
  timeout: 504,
  cancelled: 503,
  internal: 502,
}

/** A failed judge is an error of the gateway, with the id under which the failed grade can be read. */
export function failureProblem(grade: Grade): HttpProblem {
  const failure = grade.failure
  if (failure === null) return new HttpProblem(500, 'internal', 'a failed grade without a failure')
  const wait = failure.retry_after_s
  return new HttpProblem(FAILURE_STATUS[failure.code], failure.code, failure.message, {
    members: { grade_id: grade.id, retryable: failure.retryable },
    ...(wait !== null && { headers: { 'retry-after': String(Math.ceil(wait)) } }),
  })
}
