import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { Heard } from '../shared/shared-limits.ts'
import { createBreaker, type Outage, outcomeOf, type Pass } from './breaker.ts'
import { type GateNews, NOBODY } from './lane-sync.ts'
import type { Limit } from './limit.ts'

/** No `Retry-After` stops a judge for longer. */
const LONGEST_PAUSE_MS = 60_000

/** A call in flight: what was true when it started. */
export interface StartedCall {
  readonly generation: number
  readonly pass: Pass
}

/** Times are milliseconds since the epoch. `failure` null and `until` null: open. */
interface GateStatus {
  readonly kind: 'open' | 'paused' | 'out'
  readonly failure: Failure | null
  readonly until: number | null
}

/** Whether a call may start now: the limit, the pauses that the provider asked for, and the breaker. Knows nothing of who waits. */
export interface Gate {
  limit(): number
  /** What batches may count on and divide among themselves. */
  reach(): number
  inFlight(): number
  status(now: number): GateStatus
  /** Why a call that comes now is not even to wait; null: it may. */
  refusal(single: boolean, now: number): Outage | null
  admits(now: number): boolean
  /** The judge is out, and it is time that a batch tries it. */
  probeIsDue(now: number): boolean
  /** When something opens by itself; null: nothing will. */
  nextChange(now: number): number | null
  start(): StartedCall
  /** `reply` null: there was none. Answers who of those that wait must go, and why. */
  end(call: StartedCall, reply: JudgeReply | null, now: number): Dismissal | null
  mend(): void
  /** What others who share the judge have found out, as heard at `now`. Answers who of those that wait must go, and why. */
  adopt(heard: Heard, now: number): Dismissal | null
}

export interface Dismissal {
  readonly who: 'batches' | 'all'
  readonly outage: Outage
}

/** `news`: told of what others who share the judge should know. */
export function createGate(limit: Limit, news: GateNews = NOBODY): Gate {
  const breaker = createBreaker()
  let inFlight = 0
  let pause: { readonly until: number; readonly failure: Failure } | null = null
  /** By the clock of those who share it. */
  let adoptedPause = 0
  let adoptedEpoch = -1

  const pauseAt = (now: number) => (pause !== null && now < pause.until ? pause : null)
  const isClear = (now: number) => pauseAt(now) === null && breaker.admits(now)
  const admits = (now: number) => isClear(now) && inFlight < limit.value()
  function rest(failure: Failure, now: number): void {
    const asked = (failure.retry_after_s ?? 0) * 1000
    if (!(asked > 0)) return
    const until = now + Math.min(LONGEST_PAUSE_MS, asked)
    if (pause !== null && until <= pause.until) return
    pause = { until, failure }
    news.paused(failure, until)
  }
  /** Tells what the end of a call has changed. */
  function judge(before: Outage | null, who: Dismissal['who'] | null): void {
    const { failure, until } = breaker.outage() ?? { failure: null, until: null }
    if (failure === null) {
      if (before !== null) news.changed({ kind: 'opened' })
    } else if (who !== null || before !== breaker.outage())
      news.changed({ kind: until === null ? 'broken' : 'resting', failure })
  }
  function adoptPause(given: Heard['pause'], now: number): void {
    if (given === null || given.until === adoptedPause) return
    adoptedPause = given.until
    const until = now + Math.min(LONGEST_PAUSE_MS, given.for_ms)
    if (pause === null || until > pause.until) pause = { until, failure: given.failure }
  }
  function status(now: number): GateStatus {
    const outage = breaker.outage()
    if (outage !== null) return { kind: 'out', ...outage }
    const resting = pauseAt(now)
    return resting === null ? { kind: 'open', failure: null, until: null } : { kind: 'paused', ...resting }
  }
  return {
    limit: limit.value,
    reach: limit.reach,
    inFlight: () => inFlight,
    status,
    refusal: (single, now) => (breaker.refuses(single, now) ? breaker.outage() : null),
    admits,
    probeIsDue: (now) =>
      breaker.outage() !== null && !breaker.refuses(false, now) && isClear(now) && inFlight < limit.reach(),
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
    end(call, reply, now) {
      const full = inFlight >= limit.value()
      inFlight -= 1
      const failure = reply === null || reply.ok ? null : reply.failure
      const outcome = reply === null ? 'not_called' : outcomeOf(reply)
      if (reply?.ok) limit.succeeded(call.generation, full)
      if (outcome === 'rate_limited') limit.rateLimited(call.generation)
      if (failure !== null && (outcome === 'rate_limited' || outcome === 'silent')) rest(failure, now)
      const before = breaker.outage()
      const who = breaker.settle(call.pass, outcome, failure, now)
      judge(before, who)
      const outage = breaker.outage()
      return who === null || outage === null ? null : { who, outage }
    },
    mend() {
      breaker.mend()
      news.changed({ kind: 'mended' })
    },
    adopt(heard, now) {
      adoptPause(heard.pause, now)
      const { epoch, counted, rests } = heard
      if (epoch === adoptedEpoch) return null
      adoptedEpoch = epoch
      const was = breaker.outage()
      const outage = heard.outage && {
        failure: heard.outage.failure,
        until: heard.outage.for_ms === null ? null : now + heard.outage.for_ms,
      }
      breaker.adopt(outage, rests)
      // Who comes from here on waits for the next try.
      if (outage === null || counted || (outage.until !== null && outage.until <= now)) return null
      return { who: was === null && outage.until === null ? 'batches' : 'all', outage }
    },
  }
}
