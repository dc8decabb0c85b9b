import { STATUS_CODES } from 'node:http'
import { type Static, Type } from 'typebox'
import type { Issue } from '../domain/result.ts'

/** RFC 9457, with a `code` for programs and, for bad input, the places. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    detail: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ path: Type.String({ description: 'JSON pointer into the request.' }), message: Type.String() }),
      ),
    ),
    grade_id: Type.Optional(Type.String({ description: 'The stored failed grade, with every attempt.' })),
    retryable: Type.Optional(Type.Boolean()),
  },
  { description: 'application/problem+json' },
)
export type Problem = Static<typeof ProblemSchema>

interface ProblemExtras {
  readonly errors?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, unknown>>
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

export const notFound = (what: string): HttpProblem => new HttpProblem(404, 'not_found', `there is no such ${what}`)

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
  })
}
