import type { FastifyReply } from 'fastify'
import type { Issue } from '../domain/result.ts'
import type { Grade } from '../schemas/grade.ts'
import { type Problem, RequestError } from '../schemas/problem.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'

/** The words of each status. A static import of `node:http` would load its fetch and its WebSocket too. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Sends a problem, with the id of its log lines in `x-request-id`. A text in place of the bytes would be given a charset. */
export function sendProblem(reply: FastifyReply, problem: RequestError): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.extras.headers, 'x-request-id': reply.request.id })
    .type('application/problem+json')
    .send(Buffer.from(problemBody(problem)))
}

export function problemBody(problem: RequestError): string {
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

/** 504: no answer in time. 503: the judge cannot answer now. 502: every other failure of a judge. */
const FAILURE_STATUS: Readonly<Partial<Record<FailureCode, 503 | 504>>> = {
  rate_limited: 503,
  quota_exhausted: 503,
  budget_exceeded: 503,
  timeout: 504,
  cancelled: 503,
}

/** Makes the problem of a failed judge, with the id of the stored failed grade. */
export function failureProblem(grade: Grade): RequestError {
  const failure = grade.failure
  if (failure === null) return new RequestError('internal', 'a failed grade without a failure')
  const wait = failure.retry_after_s
  return new RequestError(failure.code, failure.message, {
    status: FAILURE_STATUS[failure.code] ?? 502,
    members: { grade_id: grade.id, retryable: failure.retryable },
    ...(wait !== null && { headers: { 'retry-after': String(Math.ceil(wait)) } }),
  })
}

/** Sends a text that is JSON already. */
export const sendText = (reply: FastifyReply, text: string | Buffer, status = 200): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send(text)
