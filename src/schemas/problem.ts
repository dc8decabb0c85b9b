import { type Static, Type } from 'typebox'
import * as t from './type.ts'

/** A problem of RFC 9457, with a `code` for programs and the places of bad input. */
export const ProblemSchema = t.Documented('What went wrong (RFC 9457).', {
  type: t.Str('Always `about:blank`: `code` says what it is.'),
  title: t.Str('The words of the HTTP status.'),
  status: Type.Integer(),
  code: t.Str('What went wrong, for programs.'),
  detail: t.Str('What went wrong, for people. Never repeats what was sent.'),
  errors: t.Opt.List(
    t.Closed({
      path: t.Str('JSON pointer into the body; under `/querystring`, `/params`, `/headers` elsewhere.'),
      message: t.Text,
    }),
  ),
  grade_id: t.Opt.Str('The stored failed grade, with every attempt.'),
  retryable: t.Opt.Bool('Whether the same request can succeed later.'),
})
export type Problem = Static<typeof ProblemSchema>

export type Issue = Readonly<NonNullable<Problem['errors']>[number]>

interface ErrorExtras {
  readonly status?: number
  readonly errors?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Pick<Problem, 'grade_id' | 'retryable'>>
}

/** The codes of each HTTP status; other codes are 400. */
const CODES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden cross_origin',
  404: 'not_found unknown_trajectory not_cached',
  405: 'method_not_allowed',
  409: 'findings_open findings_changed not_regraded batch_not_ended batch_ended idempotency_key_in_use',
  413: 'body_too_large',
  415: 'unsupported_encoding unsupported_media_type',
  421: 'wrong_host',
  422: 'idempotency_key_reused',
  429: 'too_many_requests',
  500: 'internal',
  503: 'busy draining overloaded storage_full storage_busy storage_error',
}
const STATUSES = new Map(
  Object.entries(CODES).flatMap(([status, codes]) => codes.split(' ').map((code) => [code, Number(status)])),
)

/** The refusal of a request by its code. The places of `errors` point into the input of the function that throws. */
export class RequestError extends Error {
  readonly code: string
  readonly extras: ErrorExtras

  constructor(code: string, detail: string, extras: ErrorExtras = {}) {
    super(detail)
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return this.extras.status ?? STATUSES.get(this.code) ?? 400
  }
}

export const faultAt = (path: string, message: string, code: string, detail = message): RequestError =>
  new RequestError(code, detail, { errors: [{ path, message }] })

export const notFound = (what: string, name?: string): RequestError =>
  new RequestError('not_found', `there is no such ${what}${name === undefined ? '' : `: ${clipName(name)}`}`)

export function orNotFound<T>(record: T | null, what: string, name?: string): T {
  if (record === null) throw notFound(what, name)
  return record
}

const LONGEST_NAME = 200
export const clipName = (name: string): string =>
  (name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`).toWellFormed()

export const draining = (): RequestError =>
  new RequestError('draining', 'the service is stopping', { headers: { 'retry-after': '1' } })

const BACK_SOON = { headers: { 'retry-after': '5' } }
export const busy = (detail: string): RequestError => new RequestError('busy', detail, BACK_SOON)

const STORAGE_CODES: readonly string[] = ['storage_full', 'storage_busy', 'storage_error']

export function storageRefusal(error: unknown): RequestError | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  // Another process does the same work: a second request finds its answer, or waits for it.
  const code = STORAGE_CODES.find((candidate) => candidate === error.code)
  return code === undefined ? null : new RequestError(code, error.message, BACK_SOON)
}
