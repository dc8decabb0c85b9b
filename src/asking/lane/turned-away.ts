import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { Outage } from './breaker.ts'

export type LaneCall =
  | { readonly kind: 'called'; readonly reply: JudgeReply; readonly waited_ms: number }
  /** No call was made: the judge is out, or (`failure.code` `cancelled`) the signal came first. */
  | { readonly kind: 'turned_away'; readonly failure: Failure; readonly waited_ms: number }

export function turnedAway({ failure }: Outage, since: number, now: number): LaneCall {
  return { kind: 'turned_away', failure, waited_ms: Math.max(0, now - since) }
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
