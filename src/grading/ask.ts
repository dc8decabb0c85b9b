import type { AttemptLedger, CallRequest, Orphan, PlannedAttempt } from '../db/attempts.ts'
import type { StoredReply } from '../db/ledger.ts'
import { costUsd } from '../domain/money/price.ts'
import type { Clock } from '../ports/clock.ts'
import type { Judge, JudgeReply, JudgeRequest } from '../ports/judge.ts'
import type { AttemptSummary } from '../schemas/grade.ts'
import {
  type Account,
  type Asked,
  type Asker,
  type Asking,
  askJudge,
  budgetExceeded,
  planAttempt,
  requestDigest,
  summarize,
  withoutReply,
} from './asker.ts'
import { type Lane, PRIORITY } from './lane.ts'
import { reservedUsd } from './margin.ts'
import { LOST_GRACE_MS, lostMs, type RetryBudget, type RetryPolicy, retryDelay } from './retry.ts'

interface CallDeps {
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly retry: RetryPolicy
  readonly budget: RetryBudget
  readonly lane: Lane
  readonly random: () => number
  readonly newId: (prefix: string) => string
  /** Grades that this process makes: their replies are theirs. */
  readonly making: ReadonlySet<string>
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

/**
 * Asks a judge by calls, and retries failures that a retry can help. Every call stands in the ledger before it is made, and again before its
 * reply is used; a reply that an interrupted grade has paid for is used instead of a new call.
 */
export function askByCall(deps: CallDeps, judge: Judge, account: Account): Asker {
  return async (asking, request) => {
    const attempts: AttemptSummary[] = []
    const call = { judge, account, asking, request, request_digest: requestDigest(judge, request) }
    let waited = 0
    deps.budget.earn()
    for (let made = 1; ; made++) {
      const turn = await takeTurn(deps, { ...call, asking: { ...asking, deadline: asking.deadline + waited } })
      waited += turn.waited_ms
      if (turn.summary !== null) attempts.push(turn.summary)
      const { reply } = turn
      if (reply.ok || turn.isFinal) return { reply, attempts, waited_ms: waited }
      const remaining = asking.deadline + waited - deps.clock.now().getTime()
      const delay = retryDelay(reply.failure, made, deps.retry, remaining, deps.random)
      if (delay === null || !deps.budget.spend()) return { reply, attempts, waited_ms: waited }
      await deps.clock.sleep(delay, account.signal).catch(() => undefined)
    }
  }
}

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

/** Waits for the turn of a call, and makes the call. Waiting for a slot, an equal question or a paused judge is not the judge’s fault. */
async function takeTurn(deps: CallDeps, call: Call): Promise<Turn & { readonly waited_ms: number }> {
  const { signal, item } = call.account
  const since = deps.clock.now().getTime()
  let waited_ms = 0
  let same_ms = 0
  const tryOnce = (admit: () => void): Promise<Try> => {
    waited_ms = Math.max(0, deps.clock.now().getTime() - since)
    return callOnce(deps, { ...call, asking: { ...call.asking, deadline: call.asking.deadline + waited_ms } }, admit)
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

const CANCELLED: Turn = {
  reply: withoutReply({
    code: 'cancelled',
    message: 'the call was cancelled before it was made',
    retryable: true,
    retry_after_s: null,
  }),
  summary: null,
  isFinal: true,
}

/** No call begins behind the deadline of its grade: the call would be paid for and not waited for. */
const TOO_LONG: Turn = {
  reply: withoutReply({
    code: 'timeout',
    message:
      'the calls of the grade took longer than its deadline: raise retry.deadline_ms, or ask for fewer windows or samples',
    retryable: true,
    retry_after_s: null,
  }),
  summary: null,
  isFinal: true,
}

const TOO_LATE = 'the process stood still between the reservation and the call, which was not made'

async function callOnce(deps: CallDeps, call: Call, admit: () => void): Promise<Try> {
  const { judge, account, asking, request, request_digest } = call
  const at = deps.clock.now()
  if (at.getTime() >= asking.deadline) return TOO_LONG
  const id = deps.newId('att')
  const reserved_usd = reservedUsd(judge.info, request, account.caps)
  const attempt = { ...planAttempt(asking, judge, account, { id, request_digest, at }), reserved_usd }
  const reserved = await deps.attempts.reserve({
    ...{ attempt, caps: account.caps, own: deps.making, freshness: account.freshness, now: at.getTime() },
    limit: deps.lane.settings.max,
    lost_ms: lostMs(deps.retry),
  } satisfies CallRequest)
  if (reserved.kind === 'wait') {
    if (reserved.for === 'same') return { again: SAME_AGAIN_MS, isSame: true }
    await deps.lane.pause((ended) =>
      deps.clock.sleep(LIMIT_AGAIN_MS * (1 + 2 * deps.random()), either(ended, account.signal)),
    )
    return { again: 0 }
  }
  if (reserved.kind === 'over')
    return { reply: budgetExceeded(reserved.over, reserved_usd), summary: null, isFinal: false }
  if (reserved.kind === 'stored') return takeOrphan(deps.attempts, asking, reserved.orphan, request_digest)
  if (reserved.kind === 'paused') {
    const { rests, failure, paused_until } = reserved.judge
    // A silent judge rests: nobody waits for its return with a call.
    if (rests > 0) deps.lane.restsUntil = paused_until
    if (rests > 0 && failure !== null) return { reply: withoutReply(failure), summary: null, isFinal: true }
    return { again: Math.min(PAUSE_STEP_MS, paused_until - at.getTime()) }
  }
  admit()
  const begins = deps.clock.now().getTime()
  if (begins - at.getTime() >= LOST_GRACE_MS) {
    // The reply would come after other processes have taken the call for lost, and have asked again.
    const { reply } = CANCELLED
    const end = { id, outcome: 'cancelled', message: TOO_LATE, reply, latency_ms: 0, cost_usd: 0, now: begins } as const
    await surely(deps, () => deps.attempts.finish(end))
    return { again: 0 }
  }
  const timeout = Math.max(1, Math.min(deps.retry.call_timeout_ms, asking.deadline - at.getTime()))
  const tell = deps.lane.begin()
  const reply = withCredibleUsage(await askJudge(judge, request, AbortSignal.timeout(timeout)), judge, reserved_usd)
  tell(reply)
  if (!reply.ok && (reply.failure.code === 'quota_exhausted' || reply.failure.code === 'authentication'))
    deps.lane.refusedSince = Math.max(deps.lane.refusedSince, at.getTime())
  const now = deps.clock.now().getTime()
  const latency_ms = now - at.getTime()
  const cost_usd = costUsd(reply.usage, judge.info.price)
  const { max_output_tokens } = request
  const facts = { latency_ms, cost_usd, replayed: false, request_digest, max_output_tokens }
  const summary = summarize(id, asking, reply, facts)
  const { outcome, message } = summary
  await surely(deps, () => deps.attempts.finish({ id, outcome, message, reply, latency_ms, cost_usd, now }))
  return { reply, summary, isFinal: false }
}

const either = (one: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
  other === undefined ? one : AbortSignal.any([one, other])

/** Gives an orphan to the grade that uses its reply. */
export async function takeOrphan(
  attempts: Pick<AttemptLedger, 'adopt'>,
  asking: Asking,
  { attempt_id, reply, cost_usd }: Orphan,
  request_digest: PlannedAttempt['request_digest'],
): Promise<Turn> {
  await attempts.adopt(attempt_id, asking.grade_id)
  const facts = { latency_ms: 0, cost_usd, replayed: true, request_digest, max_output_tokens: null }
  return { reply, summary: summarize(attempt_id, asking, reply, facts), isFinal: true }
}

/** A reported cost above so many times the bound of the call is no measurement. */
const MOST_OVER_BOUND = 10

/**
 * Drops a usage that no call has: none at all for an answer, or many times the bound of the call. The reservation of the call then stays uncertain, so that
 * a wrong count of a provider neither ends the budget of everybody nor evades it.
 */
export function withCredibleUsage(reply: JudgeReply, judge: Judge, reserved_usd: number | null): JudgeReply {
  const { usage } = reply
  if (usage === null) return reply
  const cost = costUsd(usage, judge.info.price)
  const isAbsent = reply.ok && usage.input_tokens === 0 && usage.output_tokens === 0
  const isAbsurd = cost !== null && reserved_usd !== null && reserved_usd > 0 && cost > reserved_usd * MOST_OVER_BOUND
  return isAbsent || isAbsurd ? { ...reply, usage: null } : reply
}

/** Stores a reply that was paid for, also over a disk that is full for a while: the reply is held, and the store asked again. */
async function surely(deps: Pick<CallDeps, 'clock'>, finish: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await finish()
    } catch (error) {
      if (tries >= MOST_FINISHES[isTemporary(error) ? 'temporary' : 'other']) throw error
      await deps.clock.sleep(FINISH_AGAIN_MS)
    }
  }
}

const isTemporary = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'storage_full' || code === 'storage_busy'
}

interface HereDeps {
  readonly attempts: Pick<AttemptLedger, 'record'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
}

const NEVER = new AbortController().signal

/**
 * Asks the judge that searches, in this process. The search costs nothing and makes no call: nothing is reserved, no turn is waited for, and the
 * ledger has the search begun and ended in one unit of work.
 */
export const askHere =
  ({ attempts, clock, newId }: HereDeps, judge: Judge, account: Account): Asker =>
  async (asking, request) => {
    const at = clock.now()
    const id = newId('att')
    const request_digest = requestDigest(judge, request)
    const reply = await askJudge(judge, request, NEVER)
    const latency_ms = clock.now().getTime() - at.getTime()
    const { max_output_tokens } = request
    const facts = { latency_ms, cost_usd: 0, replayed: false, request_digest, max_output_tokens }
    const summary = summarize(id, asking, reply, facts)
    const { outcome, message } = summary
    const planned = { ...planAttempt(asking, judge, account, { id, request_digest, at }), reserved_usd: 0 }
    await attempts.record(planned, { id, outcome, message, reply, latency_ms, cost_usd: 0 })
    return { reply, attempts: [summary], waited_ms: 0 }
  }

/**
 * Answers from the good replies of a stored grade, each by its place in the grade: they are checked again, and no judge
 * is asked or paid. Null where the grade has no further reply: a repair that the rules of today want was never asked.
 */
export function askStored(replies: readonly StoredReply[]): Asker {
  const byPlace = new Map(replies.map((one) => [placeOf(one), one]))
  return (asking) => {
    const stored = byPlace.get(placeOf(asking))
    if (stored === undefined) return Promise.resolve(null)
    const { attempt_id: id, reply, request_digest } = stored
    const call = { latency_ms: 0, cost_usd: 0, replayed: true, request_digest, max_output_tokens: null }
    return Promise.resolve({ reply, attempts: [summarize(id, asking, reply, call)], waited_ms: 0 } satisfies Asked)
  }
}

/** Names the place of a reply; of a question that was asked again (a truncated reply, a window that overflowed) the last reply counted. */
const placeOf = ({ sample, purpose, round }: Pick<StoredReply, 'sample' | 'purpose' | 'round'>): string =>
  `${sample}/${purpose}/${round}`
