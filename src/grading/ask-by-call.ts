import { ReplyRefused, type StorageError } from '../db/errors.ts'
import type { PlannedAttempt } from '../db/ledger.ts'
import { costUsd } from '../domain/money.ts'
import type { Judge, JudgeReply, JudgeRequest } from '../judges/judge.ts'
import type { AttemptSummary, Failure } from '../schemas/grade.ts'
import type { Account, AskDeps, Asker, Asking, RetryPolicy } from './ask.ts'
import {
  adoptReply,
  askJudge,
  budgetExceeded,
  failureOf,
  isTransient,
  planAttempt,
  requestDigest,
  summarize,
  withoutReply,
} from './ask.ts'
import { type Lane, PRIORITY } from './lane.ts'
import { boundOfCall } from './money.ts'

/** A call has so long to store its reply after its longest time: then the call is lost, and its process makes no call any more. */
const LOST_GRACE_MS = 30_000

/** Computes the age in milliseconds at which a call in flight is lost. */
export const lostMs = ({ call_timeout_ms }: Pick<RetryPolicy, 'call_timeout_ms'>): number =>
  call_timeout_ms + LOST_GRACE_MS

interface CallDeps extends AskDeps {
  readonly lane: Lane
}

/** An hour for a disk that is full or a file that is locked; a minute for other refusals, which may not pass by themselves. */
const MOST_FINISHES = { temporary: 1800, other: 30 } as const
const FINISH_AGAIN_MS = 2000

/** The pauses before a call asks for its turn again. */
const SAME_AGAIN_MS = 500
/** The longest wait of an item for an equal question: the call may be of a dead process. The chunk of the item makes room for others, and comes back. */
const LONGEST_SAME_MS = 2000
const LIMIT_AGAIN_MS = 50
const PAUSE_STEP_MS = 1000

interface Call {
  readonly judge: Judge
  readonly account: Account
  readonly asking: Asking
  readonly request: JudgeRequest
  readonly request_digest: PlannedAttempt['request_digest']
}

/** The end of one turn of a call. */
interface Turn {
  readonly reply: JudgeReply
  /** Null: no call was made. */
  readonly summary: AttemptSummary | null
  /** A retry would meet the same. */
  readonly isFinal: boolean
}

/** `again`: the call gives its slot up, and asks for a slot again after a pause. */
type Try = Turn | { readonly again: number; readonly isSame?: boolean }

/**
 * Asks a judge by calls, and retries failures that a retry can help. Every call stands in the ledger before it is made, and again before its
 * reply is used; a reply that an interrupted grade has paid for is used instead of a new call.
 */
export function askByCall(deps: CallDeps, judge: Judge, account: Account): Asker {
  return async (asking, request) => {
    const attempts: AttemptSummary[] = []
    const call = { judge, account, asking, request, request_digest: requestDigest(judge, request) }
    let waited_ms = 0
    deps.lane.earnRetry()
    for (let made = 1; ; made++) {
      const turn = await takeTurn(deps, call, asking.deadline + waited_ms)
      waited_ms += turn.waited_ms
      if (turn.summary !== null) attempts.push(turn.summary)
      const { reply } = turn
      const end = { reply, attempts, waited_ms }
      if (reply.ok || turn.isFinal) return end
      const remaining = asking.deadline + waited_ms - deps.clock.now().getTime()
      const delay = retryDelay(reply.failure, made, deps.retry, remaining, deps.random)
      if (delay === null || !deps.lane.spendRetry()) return end
      await deps.clock.sleep(delay, account.signal).catch(() => undefined)
    }
  }
}

/** Computes the milliseconds before the next call; null: no further call. Full jitter over an exponential bound. */
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

/** Waits for the turn of a call, and makes the call. Waiting for a slot, an equal question or a paused judge is not the judge’s fault. */
async function takeTurn(deps: CallDeps, call: Call, deadline: number): Promise<Turn & { readonly waited_ms: number }> {
  const { signal, item } = call.account
  const since = deps.clock.now().getTime()
  let waited_ms = 0
  let same_ms = 0
  const tryOnce = (admit: () => void): Promise<Try> => {
    waited_ms = Math.max(0, deps.clock.now().getTime() - since)
    return callOnce(deps, call, deadline + waited_ms, admit)
  }
  for (;;) {
    if (signal?.aborted) return { ...CANCELLED, waited_ms }
    const priority = item === null ? PRIORITY.single : PRIORITY.batch
    const tried = await deps.lane.run(priority, tryOnce, signal).catch((error: unknown): Try => {
      if (signal?.aborted) return CANCELLED
      throw error
    })
    if (!('again' in tried)) return { ...tried, waited_ms }
    same_ms = tried.isSame ? same_ms + tried.again : 0
    if (item !== null && same_ms > LONGEST_SAME_MS) return { ...CANCELLED, waited_ms }
    if (tried.again > 0) await deps.clock.sleep(tried.again, signal).catch(() => undefined)
  }
}

const endWithout = (reply: JudgeReply, isFinal = true): Turn => ({ reply, summary: null, isFinal })

const CANCELLED = endWithout(withoutReply(failureOf('cancelled', 'the call was cancelled before it was made')))
const OVER_DEADLINE =
  'the calls of the grade took longer than its deadline: raise retry.deadline_ms, or ask for fewer windows or samples'
/** No call begins behind the deadline of its grade: the call would be paid for and not waited for. */
const TOO_LONG = endWithout(withoutReply(failureOf('timeout', OVER_DEADLINE)))
const TOO_LATE = 'the process stood still between the reservation and the call, which was not made'

async function callOnce(deps: CallDeps, call: Call, deadline: number, admit: () => void): Promise<Try> {
  const { attempts, clock, lane, retry } = deps
  const { judge, account, asking, request, request_digest } = call
  const at = clock.now()
  if (at.getTime() >= deadline) return TOO_LONG
  const id = deps.newId('att')
  const reserved_usd = boundOfCall(judge.info, request)
  const reserved = await attempts.reserve({
    attempt: { ...planAttempt(asking, judge, account, { id, request_digest, at }), reserved_usd },
    caps: account.caps,
    own: deps.making,
    freshness: account.freshness,
    now: at.getTime(),
    limit: lane.settings.max,
    lost_ms: lostMs(retry),
  })
  switch (reserved.kind) {
    case 'wait': {
      if (reserved.for === 'same') return { again: SAME_AGAIN_MS, isSame: true }
      const wait = LIMIT_AGAIN_MS * (1 + 2 * deps.random())
      await lane.pause((ended) =>
        clock.sleep(wait, AbortSignal.any([ended, ...(account.signal ? [account.signal] : [])])),
      )
      return { again: 0 }
    }
    case 'left':
      return CANCELLED
    case 'over':
      return endWithout(budgetExceeded(reserved.over, reserved_usd), false)
    case 'stored':
      return { ...(await adoptReply(attempts, asking, request_digest, reserved.orphan)), isFinal: true }
    case 'paused': {
      const { rests, failure, paused_until } = reserved.judge
      // A silent judge rests: nobody waits for its return with a call.
      if (rests > 0) lane.restsUntil = paused_until
      if (rests > 0 && failure !== null) return endWithout(withoutReply(failure))
      return { again: Math.min(PAUSE_STEP_MS, paused_until - at.getTime()) }
    }
  }
  admit()
  const begins = clock.now().getTime()
  if (begins - at.getTime() >= LOST_GRACE_MS) {
    // The reply would come after other processes have taken the call for lost, and have asked again.
    const end = { id, outcome: 'cancelled', message: TOO_LATE, latency_ms: 0, cost_usd: 0, now: begins } as const
    await surely(deps, () => attempts.finish({ ...end, reply: CANCELLED.reply }))
    return { again: 0 }
  }
  const timeout = Math.max(1, Math.min(retry.call_timeout_ms, deadline - at.getTime()))
  const tell = lane.begin()
  const reply = withCredibleUsage(await askJudge(judge, request, AbortSignal.timeout(timeout)), judge, reserved_usd)
  tell(reply)
  const now = clock.now().getTime()
  const { max_output_tokens } = request
  const summary = summarize(asking, reply, {
    id,
    request_digest,
    max_output_tokens,
    replayed: false,
    latency_ms: now - at.getTime(),
    cost_usd: costUsd(reply.usage, judge.info.price),
  })
  await surely(deps, () => attempts.finish({ ...summary, reply, now }))
  return { reply, summary, isFinal: false }
}

/** A reported cost above so many times the bound of the call is no measurement. */
const MOST_OVER_BOUND = 10

/** Drops a usage that no call has, so that a provider’s wrong count neither ends nor evades a budget: the reservation stays uncertain. */
function withCredibleUsage(reply: JudgeReply, judge: Judge, reserved_usd: number | null): JudgeReply {
  const { usage } = reply
  if (usage === null) return reply
  const cost = costUsd(usage, judge.info.price)
  const isAbsent = reply.ok && usage.input_tokens === 0 && usage.output_tokens === 0
  const isAbsurd = cost !== null && reserved_usd !== null && reserved_usd > 0 && cost > reserved_usd * MOST_OVER_BOUND
  return isAbsent || isAbsurd ? { ...reply, usage: null } : reply
}

/** Stores a reply that was paid for, also over a disk that is full for a while: the reply is held, and the store asked again. */
async function surely({ clock }: Pick<CallDeps, 'clock'>, finish: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await finish()
    } catch (error) {
      const refusal = error as StorageError
      const isTemporary = refusal.code === 'storage_full' || refusal.code === 'storage_busy'
      if (tries >= MOST_FINISHES[isTemporary ? 'temporary' : 'other']) throw new ReplyRefused(refusal)
      await clock.sleep(FINISH_AGAIN_MS)
    }
  }
}
