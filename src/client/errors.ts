import type { Problem } from './contract.ts'

/** A refusal of the service, or the lack of an answer. A failed judge is no error for its caller: see `grade`. */
export abstract class VeridictError extends Error {
  /** The HTTP status; 0 without an answer. */
  abstract readonly status: number
  /** The code for programs: `invalid_request`, `unauthorized`, `overloaded`, …; `unreachable` without an answer. */
  abstract readonly code: string
}

/** A refusal of the service: an RFC 9457 problem. Its message names the first wrong place, and never repeats the request. */
export class ServiceError extends VeridictError {
  readonly status: number
  readonly code: string
  /** The refusal in the words of the service, without the places. */
  readonly detail: string
  /** The wrong places of the request: `path` is a JSON pointer. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** The stored grade of a failed judge; null: no judge failed. */
  readonly gradeId: string | null
  /** Whether the same request can succeed later; null: the service does not say. */
  readonly retryable: boolean | null
  /** Seconds to wait before the next try; null: the service does not say. */
  readonly retryAfterS: number | null

  constructor(
    status: number,
    problem: Pick<Problem, 'code' | 'detail'> & Partial<Problem>,
    retryAfterS: number | null = null,
  ) {
    const errors = Array.isArray(problem.errors) ? problem.errors : []
    super([problem.detail, ...errors.slice(0, 1).map(({ path, message }) => `${path} ${message}`)].join(': '))
    this.name = 'ServiceError'
    this.status = status
    this.code = problem.code
    this.detail = problem.detail
    this.errors = errors
    this.gradeId = problem.grade_id || null
    this.retryable = problem.retryable ?? null
    this.retryAfterS = retryAfterS
  }

  /** Tells whether the same call may succeed in a moment: the service is starting, stopping or overloaded. */
  get passing(): boolean {
    return this.status === 429 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

/** No answer: no server listens at the address, or the connection broke. */
export class UnreachableError extends VeridictError {
  readonly status = 0
  readonly code = 'unreachable'
  readonly url: string

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${reasonOf(cause)}`, { cause })
    this.name = 'UnreachableError'
    this.url = url
  }
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (!(inner instanceof Error)) return 'unknown error'
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.message
}

/** Makes the error of a refused response. The status alone describes a body that is no problem, such as the page of a proxy. */
export function refusalOf({ status, statusText, headers }: Response, body: unknown): ServiceError {
  const wait = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterS = Number.isFinite(wait) && wait >= 0 ? wait : null
  const { code, detail, ...more } = (body ?? {}) as Partial<Problem>
  if (typeof code === 'string' && typeof detail === 'string')
    return new ServiceError(status, { ...more, code, detail }, retryAfterS)
  const unclear = `answered ${status} ${statusText} without saying why: is this a Veridict service?`
  return new ServiceError(status, { code: 'not_a_problem', detail: unclear }, retryAfterS)
}

/** Makes the error of a 2xx answer that no Veridict service gives. */
export const strangeAnswer = (code: string, detail: string): ServiceError =>
  new ServiceError(200, { code, detail: `${detail}: is this a Veridict service?` })
