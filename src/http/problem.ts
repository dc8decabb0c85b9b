import type { FastifyReply } from 'fastify'
import type { Issue } from '../domain/result.ts'
import type { Problem } from '../schemas/problem.ts'

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
