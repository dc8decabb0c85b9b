import type { Problem } from '../../schemas/problem.ts'

/** The service refused: an RFC 9457 problem. */
export class ServiceError extends Error {
  readonly status: number
  readonly code: string
  readonly errors: readonly { readonly path: string; readonly message: string }[]

  constructor(status: number, problem: Pick<Problem, 'code' | 'detail' | 'errors'>) {
    super(problem.detail)
    this.name = 'ServiceError'
    this.status = status
    this.code = problem.code
    this.errors = problem.errors ?? []
  }

  /** Whether the same call may succeed in a moment: the service is starting, stopping or overloaded. */
  get passing(): boolean {
    return this.status === 429 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

/** No answer at all: nobody listens there, or the connection broke. */
export class UnreachableError extends Error {
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

/** The problem of a refused response; a body that is none (a proxy’s page, say) is told by its status alone. */
export async function serviceError(response: Response): Promise<ServiceError> {
  const text = await response.text().catch(() => '')
  try {
    const problem = JSON.parse(text) as Partial<Problem>
    if (typeof problem.code === 'string' && typeof problem.detail === 'string')
      return new ServiceError(response.status, { ...problem, code: problem.code, detail: problem.detail })
  } catch {
    // Not JSON: told below.
  }
  const detail = `answered ${response.status} ${response.statusText} without saying why: is this a Veridict service?`
  return new ServiceError(response.status, { code: 'not_a_problem', detail })
}
