import type { Failure } from '../schemas/grade.ts'

/** All in milliseconds but the counts. */
export interface RetryPolicy {
  /** Calls for one question, the first included. */
  readonly max_attempts: number
  /** One question with all its retries and repairs. */
  readonly deadline_ms: number
  readonly call_timeout_ms: number
  readonly base_delay_ms: number
  readonly max_delay_ms: number
  /** A longer `Retry-After` is not waited for: the request fails and the caller is told. */
  readonly max_retry_after_ms: number
}

/** A call has so long to store its reply after its longest time: then the call is lost, and its process makes no call any more. */
export const LOST_GRACE_MS = 30_000

/** Computes the age in milliseconds at which a call in flight is lost. */
export const lostMs = ({ call_timeout_ms }: Pick<RetryPolicy, 'call_timeout_ms'>): number =>
  call_timeout_ms + LOST_GRACE_MS

/** Failures that the same call can survive a moment later. A refusal or a wrong key stays what it is. */
const TRANSIENT: readonly Failure['code'][] = ['rate_limited', 'judge_unreachable', 'timeout']

export const isTransient = (failure: Failure): boolean => TRANSIENT.includes(failure.code)

/**
 * A budget of retries shared by all questions of a judge: each first call earns a fifth of a retry, so that an outage is not
 * answered with a multiple of the load that caused it.
 */
export interface RetryBudget {
  earn(): void
  spend(): boolean
}

export function createRetryBudget(initial = 10, share = 0.2, most = 50): RetryBudget {
  let left = initial
  return {
    earn() {
      left = Math.min(most, left + share)
    },
    spend() {
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}

/** How long to wait before the next call, or null: no further call. Full jitter over an exponential bound. */
export function retryDelay(
  failure: Failure,
  made: number,
  policy: RetryPolicy,
  remainingMs: number,
  random: () => number,
): number | null {
  if (!isTransient(failure) || made >= policy.max_attempts) return null
  const asked = failure.retry_after_s === null ? null : failure.retry_after_s * 1000
  if (asked !== null && asked > policy.max_retry_after_ms) return null
  const bound = Math.min(policy.max_delay_ms, policy.base_delay_ms * 2 ** (made - 1))
  const delay = asked ?? random() * bound
  return delay < remainingMs ? delay : null
}
