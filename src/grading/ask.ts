import { costUsd } from '../domain/cost.ts'
import type { Digest } from '../domain/digest.ts'
import { priceOn } from '../domain/price.ts'
import type { AttemptSummary, Failure } from '../schemas/grade.ts'
import {
  type Asked,
  type Asker,
  type Asking,
  budgetExceeded,
  isCapped,
  type Payer,
  requestDigest,
  summarize,
  withoutReply,
} from './asker.ts'
import { requestBoundUsd } from './estimate/estimate.ts'
import type { Lane } from './lane/lane.ts'
import { takeOrphan } from './orphan.ts'
import type { AttemptLedger, Clock, FinishedAttempt, Judge, JudgeReply, JudgeRequest } from './ports.ts'
import { type RetryBudget, type RetryPolicy, retryDelay } from './retry.ts'

export interface CallDeps {
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly retry: RetryPolicy
  readonly budget: RetryBudget
  readonly lane: Lane
  readonly random: () => number
  readonly newId: (prefix: string) => string
}

const MOST_FINISHES = 30
const FINISH_AGAIN_MS = 2000

/**
 * Asks a judge by calls, and retries what a retry can help. Every call stands in the ledger before it is made and again before its
 * reply is used; a reply that an interrupted grade has paid for is used instead of a new call.
 */
export const askByCall =
  (deps: CallDeps, judge: Judge, payer: Payer): Asker =>
  async (asking, request) => {
    const digest = requestDigest(judge, request)
    return (await takeOrphan(deps.attempts, asking, digest)) ?? askAnew(deps, judge, payer, asking, request, digest)
  }

async function askAnew(
  deps: CallDeps,
  judge: Judge,
  payer: Payer,
  asking: Asking,
  request: JudgeRequest,
  digest: Digest,
): Promise<Asked> {
  const attempts: AttemptSummary[] = []
  let waited = 0
  deps.budget.earn()
  for (let made = 1; ; made++) {
    const make = async () => {
      const at = { ...asking, deadline: asking.deadline + waited }
      const { reply, summary } = await callOnce(deps, judge, payer, at, request, digest)
      if (summary !== null) attempts.push(summary)
      return reply
    }
    const call = await deps.lane.call(payer.batch, make, payer.signal)
    waited += call.waited_ms
    const reply = call.kind === 'called' ? call.reply : withoutReply(call.failure)
    if (reply.ok || call.kind === 'turned_away') return { reply, attempts, waited_ms: waited }
    const remaining = asking.deadline + waited - deps.clock.now().getTime()
    const delay = retryDelay(reply.failure, made, deps.retry, remaining, deps.random)
    if (delay === null || !deps.budget.spend()) return { reply, attempts, waited_ms: waited }
    // Told to leave, it comes to the lane at once, which then turns it away.
    await deps.clock.sleep(delay, payer.signal).catch(() => undefined)
  }
}

async function callOnce(
  deps: CallDeps,
  judge: Judge,
  payer: Payer,
  asking: Asking,
  request: JudgeRequest,
  digest: Digest,
): Promise<{ reply: JudgeReply; summary: AttemptSummary | null }> {
  const started = deps.clock.now()
  const { deadline, ...planned } = asking
  const id = deps.newId('att')
  const bound = isCapped(payer) ? requestBoundUsd(judge.info, request, started, 1) : null
  const over = await deps.attempts.begin(
    {
      ...planned,
      id,
      request_digest: digest,
      judge: judge.info.name,
      started_at: started.toISOString(),
      batch: payer.batch,
      reserved_usd: bound,
    },
    payer.caps,
  )
  if (over !== null) return { reply: budgetExceeded(over, bound), summary: null }
  const timeout = Math.max(1, Math.min(deps.retry.call_timeout_ms, deadline - started.getTime()))
  const reply = await guarded(judge, request, AbortSignal.timeout(timeout))
  const latency_ms = deps.clock.now().getTime() - started.getTime()
  const cost_usd = judge.info.kind === 'lexical' ? 0 : costUsd(reply.usage, priceOn(judge.info.prices, started))
  const summary = summarize(id, asking, reply, { latency_ms, cost_usd, replayed: false })
  const { outcome, message } = summary
  await finishSurely(deps, { id, outcome, message, reply, latency_ms, cost_usd })
  return { reply, summary }
}

/** A reply that was paid for outlives a disk that is full for a while: it is held, and tried again. */
async function finishSurely(deps: CallDeps, attempt: FinishedAttempt): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await deps.attempts.finish(attempt)
    } catch (error) {
      if (tries >= MOST_FINISHES) throw error
      await deps.clock.sleep(FINISH_AGAIN_MS)
    }
  }
}

/** A judge must not throw; if one does, it is our fault and says so, but it is still no verdict. */
async function guarded(judge: Judge, request: JudgeRequest, signal: AbortSignal): Promise<JudgeReply> {
  try {
    return await judge.ask(request, signal)
  } catch (error) {
    const failure: Failure = {
      code: signal.aborted ? 'timeout' : 'internal',
      message: signal.aborted
        ? 'the judge did not answer in time'
        : `the judge threw ${(error as Error)?.name ?? 'something'}`,
      retryable: signal.aborted,
      retry_after_s: null,
    }
    return withoutReply(failure)
  }
}
