import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { Outage } from './breaker.ts'

export type LaneCall =
  | { readonly kind: 'called'; readonly reply: JudgeReply; readonly waited_ms: number }
  /** No call was made: the judge is out, or (`failure.code` `cancelled`) the signal came first. */
  | {
      readonly kind: 'turned_away'
      readonly failure: Failure
      readonly waited_ms: number
      /** When the judge will be tried again; null: when an operator mends it, or the call was cancelled. */
      readonly until: Date | null
    }

export function turnedAway({ failure, until }: Outage, since: number, now: number): LaneCall {
  return { kind: 'turned_away', failure, waited_ms: Math.max(0, now - since), until: dateOf(until) }
}

/** Of milliseconds since the epoch. */
export function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time)
}

export const CANCELLED: Outage = {
  failure: {
    code: 'cancelled',
    message: 'the call was cancelled before it was made',
    retryable: true,
    retry_after_s: null,
  },
  until: null,
}
