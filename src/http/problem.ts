import type { FastifyReply } from 'fastify'
import type { Issue } from '../domain/result.ts'
import type { Refusal } from '../grading/service.ts'
import type { Grade } from '../schemas/grade.ts'
import type { Problem } from '../schemas/problem.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'

/** The words of each status. A static import of `node:http` would load its fetch and its WebSocket too. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

interface ProblemExtras {
  readonly errors?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Pick<Problem, 'grade_id' | 'retryable'>>
}

/** An error that routes and hooks throw and the error handler answers. */
export class HttpProblem extends Error {
  readonly status: number
  readonly code: string
  readonly extras: ProblemExtras

  constructor(status: number, code: string, detail: string, extras: ProblemExtras = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.extras = extras
  }
}

/** Makes the problem of one place of the request. */
export const faultAt = (path: string, message: string, code: string, detail = message, status = 400): HttpProblem =>
  new HttpProblem(status, code, detail, { errors: [{ path, message }] })

/** Makes a 404 about a thing, with the name in the request. */
export const notFound = (what: string, name?: string): HttpProblem =>
  new HttpProblem(404, 'not_found', `there is no such ${what}${name === undefined ? '' : `: ${clipName(name)}`}`)

/** Passes a record on; throws 404 for null. */
export function orNotFound<T>(record: T | null, what: string, name?: string): T {
  if (record === null) throw notFound(what, name)
  return record
}

const LONGEST_NAME = 200
export const clipName = (name: string): string =>
  (name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`).toWellFormed()

export const draining = (): HttpProblem =>
  new HttpProblem(503, 'draining', 'the service is stopping', { headers: { 'retry-after': '1' } })

/** Sends a problem, with the id of its log lines in `x-request-id`. A text in place of the bytes would be given a charset. */
export function sendProblem(reply: FastifyReply, problem: HttpProblem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.extras.headers, 'x-request-id': reply.request.id })
    .type('application/problem+json')
    .send(Buffer.from(problemBody(problem)))
}

export function problemBody(problem: HttpProblem): string {
  const { errors, members } = problem.extras
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...(errors && { errors }),
    ...members,
  } satisfies Omit<Problem, 'errors'> & { errors?: readonly Issue[] })
}

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

/** 504: no answer in time. 503: the judge cannot answer now. 502: every other failure of a judge. */
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

/** Makes the problem of a failed judge, with the id of the stored failed grade. */
export function failureProblem(grade: Grade): HttpProblem {
  const failure = grade.failure
  if (failure === null) return new HttpProblem(500, 'internal', 'a failed grade without a failure')
  const wait = failure.retry_after_s
  return new HttpProblem(FAILURE_STATUS[failure.code], failure.code, failure.message, {
    members: { grade_id: grade.id, retryable: failure.retryable },
    ...(wait !== null && { headers: { 'retry-after': String(Math.ceil(wait)) } }),
  })
}
