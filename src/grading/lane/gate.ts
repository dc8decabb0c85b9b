import type { Failure } from '../../schemas/grade.ts'
import type { JudgeReply } from '../ports.ts'
import { createBreaker, type Outage, outcomeOf, type Pass } from './breaker.ts'
import { createLimit, type LaneSettings } from './limit.ts'

/** No `Retry-After` stops a judge for longer. */
const LONGEST_PAUSE_MS = 60_000

/** A call in flight, with what was true when it started. */
export interface Flight {
  readonly generation: number
  readonly pass: Pass
}

/** Times are milliseconds since the epoch. `failure` null and `until` null: open. */
export interface GateStatus {
  readonly kind: 'open' | 'paused' | 'out'
  readonly failure: Failure | null
  readonly until: number | null
}

/** Whether a call may start now: the limit, the pauses that the provider asked for, and the breaker. Knows nothing of who waits. */
export interface Gate {
  limit(): number
  inFlight(): number
  status(now: number): GateStatus
  /** Why a call that comes now is not even to wait; null: it may. */
  refusal(single: boolean, now: number): Outage | null
  admits(now: number): boolean
  /** The judge is out, and it is time that a batch tries it. */
  probeIsDue(now: number): boolean
  /** When something opens by itself; null: nothing will. */
  nextChange(now: number): number | null
  start(): Flight
  /** `reply` null: there was none. Answers who of those that wait must go, and why. */
  land(flight: Flight, reply: JudgeReply | null, now: number): Dismissal | null
  mend(): void
}

export interface Dismissal {
  readonly who: 'batches' | 'all'
  readonly outage: Outage
}

export function createGate(settings: LaneSettings): Gate {
  const limit = createLimit(settings)
  const breaker = createBreaker()
  let inFlight = 0
  let pause: { readonly until: number; readonly failure: Failure } | null = null

  const pauseAt = (now: number) => (pause !== null && now < pause.until ? pause : null)
  const admits = (now: number) => inFlight < limit.value() && pauseAt(now) === null && breaker.admits(now)
  function rest(failure: Failure, now: number): void {
    const asked = (failure.retry_after_s ?? 0) * 1000
    if (!(asked > 0)) return
    const until = now + Math.min(LONGEST_PAUSE_MS, asked)
    if (pause === null || until > pause.until) pause = { until, failure }
  }
  function status(now: number): GateStatus {
    const outage = breaker.outage()
    if (outage !== null) return { kind: 'out', ...outage }
    const resting = pauseAt(now)
    return resting === null ? { kind: 'open', failure: null, until: null } : { kind: 'paused', ...resting }
  }
  return {
    limit: limit.value,
    inFlight: () => inFlight,
    status,
    refusal: (single, now) => (breaker.refuses(single, now) ? breaker.outage() : null),
    admits,
    probeIsDue: (now) => breaker.outage() !== null && !breaker.refuses(false, now) && admits(now),
    nextChange(now) {
      const pauseEnd = pauseAt(now)?.until ?? Number.POSITIVE_INFINITY
      const until = breaker.outage()?.until ?? Number.POSITIVE_INFINITY
      const next = Math.min(pauseEnd, until > now ? until : Number.POSITIVE_INFINITY)
      return Number.isFinite(next) ? next : null
    },
    start() {
      inFlight += 1
      return { generation: limit.generation(), pass: breaker.start() }
    },
    land(flight, reply, now) {
      const full = inFlight >= limit.value()
      inFlight -= 1
      const failure = reply === null || reply.ok ? null : reply.failure
      const outcome = reply === null ? 'not_called' : outcomeOf(reply)
      if (reply?.ok) limit.succeeded(flight.generation, full)
      if (outcome === 'rate_limited') limit.rateLimited(flight.generation)
      if (failure !== null && (outcome === 'rate_limited' || outcome === 'silent')) rest(failure, now)
      const who = breaker.settle(flight.pass, outcome, failure, now)
      const outage = breaker.outage()
      return who === null || outage === null ? null : { who, outage }
    },
    mend: breaker.mend,
  }
}
