import type { Digest } from '../domain/digest.ts'
import type { BatchApi } from '../ports/batch-api.ts'
import type { ItemRef } from '../ports/batch-ports.ts'
import type { JudgeReply, JudgeRequest } from '../ports/judge-ports.ts'
import type { AttemptLedger, Caps, Payer } from '../ports/ledger-ports.ts'
import type { Clock, Judge } from '../ports/ports.ts'
import type { ProviderAnswer, ProviderQueue } from '../ports/provider-ports.ts'
import type { Failure } from '../schemas/grade.ts'
import {
  type Asked,
  type Asker,
  type Asking,
  budgetExceeded,
  planAttempt,
  requestDigest,
  Suspended,
  summarize,
  withoutReply,
} from './asker.ts'
import { reservedUsd } from './margin.ts'
import { takeOrphan } from './orphan.ts'
import { isTransient } from './retry.ts'

interface ProviderDeps {
  readonly queue: ProviderQueue
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Requests for one question: what was never run, and what a retry can help, is asked again. */
  readonly max_attempts: number
}

interface ProviderJob {
  readonly item: ItemRef
  readonly payer: Payer | null
  readonly caps: Caps
  /** Tokens under which questions are queued, that of the question first. */
  readonly leases: readonly string[]
}

/**
 * Asks through the provider’s batch endpoint: what has come back is the answer; what is on its way suspends the grade; what was
 * never asked, or has to be asked again, is queued and suspends it too.
 */
export const askByProvider =
  (deps: ProviderDeps, judge: Judge, api: BatchApi, job: ProviderJob): Asker =>
  async (asking, request) => {
    const digest = requestDigest(judge, request)
    const { key, sample, round } = asking
    const found = await deps.queue.find({ batch: job.item.batch, key, sample, round, request_digest: digest })
    if (found?.state === 'open') throw new Suspended()
    if (found?.state === 'answered' && found.reply !== null && !mayAskAgain(found, found.reply, deps))
      return take(deps, asking, digest, found, found.reply)
    if (found !== null && found.tries >= deps.max_attempts) return nothing(EXPIRED)
    const orphan = await takeOrphan(deps.attempts, asking, digest)
    if (orphan !== null) return orphan
    const refusal = await enqueue(deps, judge, api, job, asking, request, digest)
    if (refusal !== null) return nothing(refusal)
    throw new Suspended()
  }

const mayAskAgain = (found: ProviderAnswer, reply: JudgeReply, deps: ProviderDeps): boolean =>
  !reply.ok && mayPass(reply.failure) && found.tries < deps.max_attempts

/** A wrong key or an empty account may be mended between two rounds. */
const mayPass = (failure: Failure): boolean =>
  isTransient(failure) || failure.code === 'quota_exhausted' || failure.code === 'authentication'

async function take(
  deps: ProviderDeps,
  asking: Asking,
  request_digest: Digest,
  found: ProviderAnswer,
  reply: JudgeReply,
): Promise<Asked> {
  await deps.attempts.adopt(found.attempt_id, asking.grade_id)
  const { cost_usd } = found
  const call = { latency_ms: found.latency_ms ?? 0, cost_usd, replayed: false, request_digest, max_output_tokens: null }
  return { reply, attempts: [summarize(found.attempt_id, asking, reply, call)], waited_ms: 0 }
}

async function enqueue(
  deps: ProviderDeps,
  judge: Judge,
  api: BatchApi,
  { item, payer, caps, leases }: ProviderJob,
  asking: Asking,
  request: JudgeRequest,
  digest: Digest,
): Promise<JudgeReply | null> {
  const at = deps.clock.now()
  const id = deps.newId('att')
  const planned = planAttempt(asking, judge, { batch: item.batch, payer, leases }, { id, request_digest: digest, at })
  const reserved_usd = reservedUsd(judge.info, request, caps, api.price_factor)
  const line = api.encode(id, request)
  const over = await deps.queue.enqueue({ planned: { ...planned, reserved_usd }, item, line }, caps)
  return over === null ? null : budgetExceeded(over, reserved_usd)
}

const nothing = (reply: JudgeReply): Asked => ({ reply, attempts: [], waited_ms: 0 })

const EXPIRED = withoutReply({
  code: 'timeout',
  message: 'the provider’s batches ended several times without running this request',
  retryable: true,
  retry_after_s: null,
})
