import type { Digest } from '../domain/digest.ts'
import { costUsd } from '../domain/money/price.ts'
import type { JudgeReply, JudgeRequest } from '../ports/judge-ports.ts'
import type { AttemptLedger, StoredReply } from '../ports/ledger-ports.ts'
import type { Clock, Judge } from '../ports/ports.ts'
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
import type { Lane } from './lane/lane.ts'
import { reservedUsd } from './margin.ts'
import { awaitOutstanding } from './orphan.ts'
import { type RetryBudget, type RetryPolicy, retryDelay } from './retry.ts'

interface CallDeps {
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly retry: RetryPolicy
  readonly budget: RetryBudget
  readonly lane: Pick<Lane, 'call'>
  readonly random: () => number
  readonly newId: (prefix: string) => string
}

/** An hour for a disk that is full or a file that is locked; a minute for what may not pass by itself. */
const MOST_FINISHES = { temporary: 1800, other: 30 } as const
const FINISH_AGAIN_MS = 2000

/**
 * Asks a judge by calls, and retries what a retry can help. Every call stands in the ledger before it is made and again before its
 * reply is used; a reply that an interrupted grade has paid for is used instead of a new call.
 */
export const askByCall =
  (deps: CallDeps, judge: Judge, account: Account): Asker =>
  async (asking, request) => {
    const digest = requestDigest(judge, request)
    const { asked, waited_ms } = await awaitOutstanding(deps, asking, digest, account)
    return asked ?? askAnew(deps, judge, account, asking, request, digest, waited_ms)
  }

async function askAnew(
  deps: CallDeps,
  judge: Judge,
  account: Account,
  asking: Asking,
  request: JudgeRequest,
  digest: Digest,
  waitedBefore: number,
): Promise<Asked> {
  const attempts: AttemptSummary[] = []
  let waited = waitedBefore
  deps.budget.earn()
  for (let made = 1; ; made++) {
    const make = async () => {
      const at = { ...asking, deadline: asking.deadline + waited }
      const { reply, summary } = await callOnce(deps, judge, account, at, request, digest)
      if (summary !== null) attempts.push(summary)
      return reply
    }
    const call = await deps.lane.call(account.batch, make, account.signal)
    waited += call.waited_ms
    const reply = call.kind === 'called' ? call.reply : withoutReply(call.failure)
    if (reply.ok || call.kind === 'turned_away') return { reply, attempts, waited_ms: waited }
    const remaining = asking.deadline + waited - deps.clock.now().getTime()
    const delay = retryDelay(reply.failure, made, deps.retry, remaining, deps.random)
    if (delay === null || !deps.budget.spend()) return { reply, attempts, waited_ms: waited }
    // Told to leave, it comes to the lane at once, which then turns it away.
    await deps.clock.sleep(delay, account.signal).catch(() => undefined)
  }
}

async function callOnce(
  deps: CallDeps,
  judge: Judge,
  account: Account,
  asking: Asking,
  request: JudgeRequest,
  digest: Digest,
): Promise<{ reply: JudgeReply; summary: AttemptSummary | null }> {
  const started = deps.clock.now()
  const id = deps.newId('att')
  const planned = planAttempt(asking, judge, account, { id, request_digest: digest, at: started })
  const reserved_usd = reservedUsd(judge.info, request, account.caps)
  const over = await deps.attempts.begin({ ...planned, reserved_usd }, account.caps)
  if (over !== null) return { reply: budgetExceeded(over, reserved_usd), summary: null }
  const timeout = Math.max(1, Math.min(deps.retry.call_timeout_ms, asking.deadline - started.getTime()))
  const reply = withCredibleUsage(await askJudge(judge, request, AbortSignal.timeout(timeout)), judge, reserved_usd)
  const latency_ms = deps.clock.now().getTime() - started.getTime()
  const cost_usd = costUsd(reply.usage, judge.info.price)
  const { max_output_tokens } = request
  const facts = { latency_ms, cost_usd, replayed: false, request_digest: digest, max_output_tokens }
  const summary = summarize(id, asking, reply, facts)
  const { outcome, message } = summary
  await surely(deps, () => deps.attempts.finish({ id, outcome, message, reply, latency_ms, cost_usd }))
  return { reply, summary }
}

/** A reported cost above so many times the bound of the call is no measurement. */
const MOST_OVER_BOUND = 10

/**
 * Drops a usage that no call has: none at all for an answer, or many times the bound of the call. The reservation of the call then stays uncertain, so that
 * a wrong count of a provider neither ends the budget of everybody nor evades it.
 */
function withCredibleUsage(reply: JudgeReply, judge: Judge, reserved_usd: number | null): JudgeReply {
  const { usage } = reply
  if (usage === null) return reply
  const cost = costUsd(usage, judge.info.price)
  const isAbsent = reply.ok && usage.input_tokens === 0 && usage.output_tokens === 0
  const isAbsurd = cost !== null && reserved_usd !== null && reserved_usd > 0 && cost > reserved_usd * MOST_OVER_BOUND
  return isAbsent || isAbsurd ? { ...reply, usage: null } : reply
}

/** A reply that was paid for outlives a disk that is full for a while: it is held, and tried again. */
async function surely(deps: CallDeps, finish: () => Promise<void>): Promise<void> {
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
 * Asks the judge that searches, in this process. It costs nothing and makes no call: nothing is reserved, no turn is waited for, no call is
 * made twice, and the ledger has it begun and ended in one unit of work.
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
 * Answers from the good replies of a stored grade, in the order in which they were given: what they say is checked again, and no judge
 * is asked or paid. Null where the grade has no further reply: what the rules of today want repaired was never asked.
 */
export function askStored(replies: readonly StoredReply[]): Asker {
  const byPlace = new Map(replies.map((one) => [placeOf(one), one]))
  return (asking) => {
    const stored = byPlace.get(placeOf(asking))
    if (stored === undefined) return Promise.resolve(null)
    const { attempt_id: id, reply, request_digest } = stored
    const call = { latency_ms: 0, cost_usd: 0, replayed: true, request_digest, max_output_tokens: null }
    return Promise.resolve({ reply, attempts: [summarize(id, asking, reply, call)], waited_ms: 0 })
  }
}

/** Where a reply was asked for again (a truncated one, a window that overflowed), the last one counted. */
const placeOf = ({ sample, purpose, round }: Pick<StoredReply, 'sample' | 'purpose' | 'round'>): string =>
  `${sample}/${purpose}/${round}`
