import { costUsd } from '../domain/cost.ts'
import { type Digest, digestValue } from '../domain/digest.ts'
import type { AttemptSummary, Failure } from '../schemas/grade.ts'
import type { AttemptLedger, Clock, Judge, JudgeReply, JudgeRequest } from './ports.ts'
import { type RetryBudget, type RetryPolicy, retryDelay } from './retry.ts'

export interface AskDeps {
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly retry: RetryPolicy
  readonly budget: RetryBudget
  readonly random: () => number
  readonly newId: (prefix: string) => string
}

/** Which question of which grade is asked. */
export interface Asking {
  readonly grade_id: string
  readonly key: Digest
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  /** Milliseconds since the epoch; no call starts, and none goes on, after it. */
  readonly deadline: number
}

export interface Asked {
  readonly reply: JudgeReply
  readonly attempts: readonly AttemptSummary[]
}

/**
 * Asks a judge one question and retries what a retry can help. Every call stands in the ledger before it is made and again
 * before its reply is used; a reply that an interrupted grade has paid for is used instead of a new call.
 */
export async function askJudge(deps: AskDeps, judge: Judge, asking: Asking, request: JudgeRequest): Promise<Asked> {
  const digest = requestDigest(judge, request)
  const orphan = await deps.attempts.findOrphan(asking.key, asking.sample, asking.round, digest)
  if (orphan !== null) {
    await deps.attempts.adopt(orphan.attempt_id, asking.grade_id)
    const summary = summarize(orphan.attempt_id, asking, orphan.reply, 0, orphan.cost_usd, true)
    return { reply: orphan.reply, attempts: [summary] }
  }
  const attempts: AttemptSummary[] = []
  deps.budget.earn()
  for (;;) {
    const { reply, summary } = await callOnce(deps, judge, asking, request, digest)
    attempts.push(summary)
    if (reply.ok) return { reply, attempts }
    const remaining = asking.deadline - deps.clock.now().getTime()
    const delay = retryDelay(reply.failure, attempts.length, deps.retry, remaining, deps.random)
    if (delay === null || !deps.budget.spend()) return { reply, attempts }
    await deps.clock.sleep(delay)
  }
}

async function callOnce(deps: AskDeps, judge: Judge, asking: Asking, request: JudgeRequest, digest: Digest) {
  const started = deps.clock.now()
  const { deadline, ...planned } = asking
  const id = deps.newId('att')
  await deps.attempts.begin({
    ...planned,
    id,
    request_digest: digest,
    judge: judge.info.name,
    started_at: started.toISOString(),
  })
  const timeout = Math.max(1, Math.min(deps.retry.call_timeout_ms, deadline - started.getTime()))
  const reply = await guarded(judge, request, AbortSignal.timeout(timeout))
  const latency = deps.clock.now().getTime() - started.getTime()
  const cost = judge.info.kind === 'lexical' ? 0 : costUsd(reply.usage, judge.info.price)
  const summary = summarize(id, asking, reply, latency, cost, false)
  await deps.attempts.finish({
    id,
    outcome: summary.outcome,
    message: summary.message,
    reply,
    latency_ms: latency,
    cost_usd: cost,
  })
  return { reply, summary }
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
    return { ok: false, failure, raw: null, usage: null, model_resolved: null, request_id: null }
  }
}

function summarize(
  id: string,
  asking: Asking,
  reply: JudgeReply,
  latency: number,
  cost: number | null,
  replayed: boolean,
): AttemptSummary {
  return {
    id,
    sample: asking.sample,
    round: asking.round,
    purpose: asking.purpose,
    outcome: reply.ok ? 'ok' : reply.failure.code,
    message: reply.ok ? null : reply.failure.message,
    latency_ms: Math.round(latency),
    usage: reply.usage,
    cost_usd: cost,
    request_id: reply.request_id,
    replayed,
  }
}

/** Digest of everything that is sent: an interrupted call is only taken over by the very same one. */
function requestDigest(judge: Judge, request: JudgeRequest): Digest {
  const { evidence, ...sent } = request
  return digestValue({ judge: judge.info.identity, sent, evidence: evidence.trajectory.id })
}
