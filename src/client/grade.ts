import type { Grade, Operations } from './contract.ts'
import type { ServiceError } from './errors.ts'

export type GradeRequest = Operations['createGrade']['given']['body']

/** `graded`, with a label, or `unverified`: claimed, but the evidence does not hold. */
export type GivenGrade = Grade & { readonly status: 'graded' | 'unverified' }

/**
 * A judge that failed: no verdict. The service has stored it, with every call, under `id`: `readGrade` reads it. `failure` says why, whether
 * the same request can succeed later, and after how many seconds.
 */
export interface FailedGrade {
  readonly id: string
  readonly status: 'failed'
  readonly label: null
  readonly claimed_label: null
  readonly failure: NonNullable<Grade['failure']>
}

/** Told apart by `status`. */
export type GradeOutcome = GivenGrade | FailedGrade

/** Null where no judge failed: the service refused. */
export function failedGrade({ gradeId, code, message, retryable, retryAfterS }: ServiceError): FailedGrade | null {
  if (gradeId === null) return null
  return {
    id: gradeId,
    status: 'failed',
    label: null,
    claimed_label: null,
    failure: {
      code: code as FailedGrade['failure']['code'],
      message,
      retryable: retryable ?? false,
      retry_after_s: retryAfterS,
    },
  }
}
