import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { FailureCode } from '../../schemas/vocabulary.ts'

/** Bounds of the calls of a judge that may be in flight, and where their number starts. */
export interface LaneSettings {
  readonly initial: number
  readonly min: number
  readonly max: number
}

/**
 * The number of calls that a judge takes at once, found by trying: one more after as many successes as it counts, half as soon as
 * the judge says that it was too many (additive increase, multiplicative decrease; Chiu and Jain 1989).
 */
interface Limit {
  value(): number
  /** Counts the cuts. A call belongs to the generation in which it started. */
  generation(): number
  /** `full`: no further call could have started while this one was in flight. */
  succeeded(generation: number, full: boolean): void
  /** One cut for a generation: the calls that were in flight when it was made say nothing about what it left. */
  rateLimited(generation: number): void
}

/** Settings out of order are read as the nearest that are in order; the least of all is one call. */
function ordered(settings: LaneSettings): LaneSettings {
  const min = Math.max(1, Math.floor(settings.min))
  const max = Math.max(min, Math.floor(settings.max))
  return { min, max, initial: Math.min(max, Math.max(min, Math.floor(settings.initial))) }
}

export function createLimit(settings: LaneSettings): Limit {
  const { initial, min, max } = ordered(settings)
  let value = initial
  let generation = 0
  let successes = 0
  return {
    value: () => value,
    generation: () => generation,
    succeeded(of, full) {
      if (of !== generation || !full || value === max) return
      successes += 1
      if (successes < value) return
      value += 1
      successes = 0
    },
    rateLimited(of) {
      if (of !== generation) return
      value = Math.max(min, Math.floor(value / 2))
      generation += 1
      successes = 0
    },
  }
}

/** Failures in a row, with no answer between them, after which a judge counts as down. */
export const STRIKES = 12
const FIRST_REST_MS = 30_000
const LONGEST_REST_MS = 600_000

/** What a reply says about the judge, whatever it says about the question. */
export type Outcome = 'answered' | 'rate_limited' | 'silent' | 'broken' | 'not_called'

const OUTCOMES: Readonly<Record<FailureCode, Outcome>> = {
  judge_unreachable: 'silent',
  timeout: 'silent',
  rate_limited: 'rate_limited',
  quota_exhausted: 'broken',
  authentication: 'broken',
  refused: 'answered',
  truncated: 'answered',
  schema_invalid: 'answered',
  context_overflow: 'answered',
  budget_exceeded: 'not_called',
  cancelled: 'not_called',
  internal: 'not_called',
}

export function outcomeOf(reply: JudgeReply): Outcome {
  return reply.ok ? 'answered' : OUTCOMES[reply.failure.code]
}

/** How long a judge is left alone that was sent to rest so often in a row. Milliseconds since the epoch. */
function restUntil(rests: number, now: number): number {
  return now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** rests)
}

/** Why a judge is out. `until`: milliseconds since the epoch; null: until an operator mends it. */
export interface Outage {
  readonly failure: Failure
  readonly until: number | null
}

/** A started call, as the breaker knows it again when it ends. */
export interface Pass {
  readonly epoch: number
}

interface Breaker {
  outage(): Outage | null
  /** Whether a call is to be refused at once, rather than to wait for its turn. */
  refuses(single: boolean, now: number): boolean
  /** Whether a call may start: always while the judge is in, one probe at a time while it is out. */
  admits(now: number): boolean
  start(): Pass
  /** Answers which of the waiting calls must go: none (null), those of batches, or all. */
  settle(pass: Pass, outcome: Outcome, failure: Failure | null, now: number): 'batches' | 'all' | null
  /** Opens it, whatever the reason; nothing where it is not out. */
  mend(): void
}

export function createBreaker(): Breaker {
  let outage: Outage | null = null
  let strikes = 0
  let rests = 0
  let probing: Pass | null = null
  /** Counts going out and coming back: what started before the last of them is no news after it. */
  let epoch = 0

  function open(): void {
    outage = null
    strikes = 0
    rests = 0
    epoch += 1
  }
  function breakDown(failure: Failure): void {
    if (outage === null || outage.until !== null) epoch += 1
    outage = { failure, until: null }
  }
  function rest(failure: Failure, now: number): void {
    if (outage === null) epoch += 1
    outage = { failure, until: restUntil(rests, now) }
    rests += 1
  }
  function settleIn(pass: Pass, outcome: Outcome, failure: Failure | null, now: number): 'batches' | 'all' | null {
    if (pass.epoch !== epoch || outcome === 'not_called') return null
    if (failure !== null && outcome === 'broken') {
      breakDown(failure)
      return 'batches'
    }
    strikes = outcome === 'silent' ? strikes + 1 : 0
    if (failure === null || strikes < STRIKES) return null
    rest(failure, now)
    return 'all'
  }
  function settleOut(was: Outage, pass: Pass, outcome: Outcome, failure: Failure | null, now: number) {
    // All that has started since it went out is its probe.
    const decides = pass.epoch === epoch
    if (failure !== null && outcome === 'broken' && (decides || was.until !== null)) {
      breakDown(failure)
      return decides ? 'all' : 'batches'
    }
    if (!decides || outcome === 'not_called') return null
    // A judge that says "too many" is there again, but may still have no money left.
    if (outcome === 'answered' || (outcome === 'rate_limited' && was.until !== null)) {
      open()
      return null
    }
    if (failure !== null && was.until !== null) rest(failure, now)
    return 'all'
  }
  return {
    outage: () => outage,
    refuses: (single, now) => outage !== null && (outage.until === null ? !single : now < outage.until),
    admits: (now) => outage === null || (probing === null && (outage.until === null || now >= outage.until)),
    start() {
      const pass: Pass = { epoch }
      if (outage !== null) probing = pass
      return pass
    },
    settle(pass, outcome, failure, now) {
      if (pass === probing) probing = null
      return outage === null ? settleIn(pass, outcome, failure, now) : settleOut(outage, pass, outcome, failure, now)
    },
    mend() {
      if (outage === null) return
      probing = null
      open()
    },
  }
}

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
  const isClear = (now: number) => pauseAt(now) === null && breaker.admits(now)
  const admits = (now: number) => isClear(now) && inFlight < limit.value()
  function rest(failure: Failure, now: number): void {
    const asked = (failure.retry_after_s ?? 0) * 1000
    if (!(asked > 0)) return
    const until = now + Math.min(LONGEST_PAUSE_MS, asked)
    if (pause !== null && until <= pause.until) return
    pause = { until, failure }
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
    probeIsDue: (now) =>
      breaker.outage() !== null && !breaker.refuses(false, now) && isClear(now) && inFlight < limit.value(),
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
      const who = breaker.settle(call.pass, outcome, failure, now)
      const outage = breaker.outage()
      return who === null || outage === null ? null : { who, outage }
    },
    mend: breaker.mend,
  }
}
