import type { FastifyReply } from 'fastify'
import type { Issue } from '../domain/result.ts'
import type { Refusal } from '../grading/refusal.ts'
import type { Grade } from '../schemas/grade.ts'
import type { Problem } from '../schemas/problem.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'

/** The words for a status. Imported as a module, `node:http` would load its fetch and its WebSocket, too. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

interface ProblemExtras {
  readonly errors?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Pick<Problem, 'grade_id' | 'retryable'>>
}

/** Thrown by routes and hooks; the one error handler writes it. */
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

/** What is wrong at one place of the request. */
export const faultAt = (path: string, message: string, code: string, detail = message, status = 400): HttpProblem =>
  new HttpProblem(status, code, detail, { errors: [{ path, message }] })

/** `name`: as it was asked for. */
export const notFound = (what: string, name?: string): HttpProblem =>
  new HttpProblem(404, 'not_found', `there is no such ${what}${name === undefined ? '' : `: ${clipName(name)}`}`)

/** What was looked for; throws where it was not there. */
export function orNotFound<T>(one: T | null, what: string, name?: string): T {
  if (one === null) throw notFound(what, name)
  return one
}

const LONGEST_NAME = 200
export const clipName = (name: string): string =>
  (name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`).toWellFormed()

export const draining = (): HttpProblem =>
  new HttpProblem(503, 'draining', 'the service is stopping', { headers: { 'retry-after': '1' } })

/** The request’s id in `x-request-id` is the one under which the log has it. Bytes, because text would be given a charset. */
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
