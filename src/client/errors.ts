import type { Problem } from './contract.ts'

/** What the service refused, or why it could not be asked. A judge that failed is no error where it is asked for: see `grade`. */
export abstract class VeridictError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  abstract readonly status: number
  /** For programs: `invalid_request`, `unauthorized`, `overloaded`, …; `unreachable` where there was no answer. */
  abstract readonly code: string
}

/** The service refused: an RFC 9457 problem. */
export class ServiceError extends VeridictError {
  readonly status: number
  readonly code: string
  /** The places that are wrong: `path` is a JSON pointer into what was sent. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** The stored grade of a judge that failed; null: no judge failed. */
  readonly gradeId: string | null
  /** Whether the same request can succeed later; null: the service does not say. */
  readonly retryable: boolean | null
  /** Seconds after which to try again; null: the service does not say. */
  readonly retryAfterS: number | null

  constructor(
    status: number,
    problem: Pick<Problem, 'code' | 'detail'> & Partial<Problem>,
    retryAfterS: number | null = null,
  ) {
    super(problem.detail)
    this.name = 'ServiceError'
    this.status = status
    this.code = problem.code
    this.errors = Array.isArray(problem.errors) ? problem.errors : []
    this.gradeId = problem.grade_id || null
    this.retryable = problem.retryable ?? null
    this.retryAfterS = retryAfterS
  }

  /** Whether the same call may succeed in a moment: the service is starting, stopping or overloaded. */
  get passing(): boolean {
    return this.status === 429 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

/** No answer at all: no server listens there, or the connection broke. */
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

/** What fetch hides in `cause`. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (!(inner instanceof Error)) return 'unknown error'
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.message
}

/** Whether the same call may succeed in a moment. */
export const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ServiceError && error.passing)

/** The problem of a refused response; a body that is none (a proxy’s page, say) is told by its status alone. */
export async function serviceError(response: Response): Promise<ServiceError> {
  const text = await response.text().catch(() => '')
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterS = Number.isFinite(wait) && wait >= 0 ? wait : null
  try {
    const problem = JSON.parse(text) as Partial<Problem>
    if (typeof problem.code === 'string' && typeof problem.detail === 'string')
      return new ServiceError(response.status, { ...problem, code: problem.code, detail: problem.detail }, retryAfterS)
  } catch {
    // Not JSON: told below.
  }
  const detail = `answered ${response.status} ${response.statusText} without saying why: is this a Veridict service?`
  return new ServiceError(response.status, { code: 'not_a_problem', detail }, retryAfterS)
}
