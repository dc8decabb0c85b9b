import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { FailureCode } from '../../schemas/vocabulary.ts'

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
export function restUntil(rests: number, now: number): number {
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
  /** What all processes together have found out; `rests`: how often in a row it was sent to rest. */
  adopt(found: Outage | null, rests: number): void
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
    adopt(found, found_rests) {
      open()
      outage = found
      rests = found_rests
    },
  }
}
