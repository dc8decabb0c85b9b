import type { Issue } from '../domain/result.ts'

/** Why a request was refused before any judge was asked. `errors` name their places in the request by JSON pointer. */
export interface Refusal {
  readonly code:
    | 'invalid_request'
    | 'unknown_judge'
    | 'unknown_rubric'
    | 'unknown_trajectory'
    | 'not_cached'
    | 'too_many_items'
  readonly detail: string
  readonly errors: readonly Issue[]
}
