import type { Failure } from '../schemas/grade.ts'
import {
  type Asked,
  type Asker,
  type Asking,
  budgetExceeded,
  requestDigest,
  Suspended,
  summarize,
  withoutReply,
} from './asker.ts'
import type { BatchApi } from './batch-api.ts'
import type { ItemRef } from './batch-ports.ts'
import { requestBoundUsd } from './estimate/estimate.ts'
import { type AttemptLedger, type Caps, isCapped, type Payer } from './ledger-ports.ts'
import { takeOrphan } from './orphan.ts'
import type { Clock, Judge, JudgeReply, JudgeRequest } from './ports.ts'
import type { ProviderAnswer, ProviderQueue } from './provider-ports.ts'
import { isTransient } from './retry.ts'

export interface ProviderDeps {
  readonly queue: ProviderQueue
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Requests for one question: what was never run, and what a retry can help, is asked again. */
  readonly max_attempts: number
}

export interface ProviderErrand {
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
  (deps: ProviderDeps, judge: Judge, api: BatchApi, errand: ProviderErrand): Asker =>
  async (asking, request) => {
    const digest = requestDigest(judge, request)
    const { key, sample, round } = asking
    const found = await deps.queue.find({ batch: errand.item.batch, key, sample, round, request_digest: digest })
    if (found?.state === 'open') throw new Suspended()
    if (found?.state === 'answered' && found.reply !== null && !mayAskAgain(found, found.reply, deps))
      return take(deps, asking, found, found.reply)
    if (found !== null && found.tries >= deps.max_attempts) return nothing(EXPIRED)
    const orphan = await takeOrphan(deps.attempts, asking, digest)
    if (orphan !== null) return orphan
    const refusal = await enqueue(deps, judge, api, errand, asking, request, digest)
    if (refusal !== null) return nothing(refusal)
    throw new Suspended()
  }

const mayAskAgain = (found: ProviderAnswer, reply: JudgeReply, deps: ProviderDeps): boolean =>
  !reply.ok && mayPass(reply.failure) && found.tries < deps.max_attempts

/** A wrong key or an empty account may be mended between two rounds. */
const mayPass = (failure: Failure): boolean =>
  isTransient(failure) || failure.code === 'quota_exhausted' || failure.code === 'authentication'

async function take(deps: ProviderDeps, asking: Asking, found: ProviderAnswer, reply: JudgeReply): Promise<Asked> {
  await deps.attempts.adopt(found.attempt_id, asking.grade_id)
  const call = { latency_ms: found.latency_ms ?? 0, cost_usd: found.cost_usd, replayed: false }
  return { reply, attempts: [summarize(found.attempt_id, asking, reply, call)], waited_ms: 0 }
}

async function enqueue(
  deps: ProviderDeps,
  judge: Judge,
  api: BatchApi,
  { item, payer, caps, leases }: ProviderErrand,
  { deadline: _, ...asking }: Asking,
  request: JudgeRequest,
  digest: ReturnType<typeof requestDigest>,
): Promise<JudgeReply | null> {
  const now = deps.clock.now()
  const id = deps.newId('att')
  const isCounted = isCapped(caps) || judge.info.prices.length > 0
  const bound = isCounted ? requestBoundUsd(judge.info, request, now, api.price_factor) : null
  const planned = {
    ...asking,
    id,
    request_digest: digest,
    judge: judge.info.name,
    started_at: now.toISOString(),
    batch: item.batch,
    payer: payer?.key_id ?? null,
    reserved_usd: bound,
    ...(leases.length > 0 && { leases }),
  }
  const over = await deps.queue.enqueue({ planned, item, line: api.encode(id, request) }, caps)
  return over === null ? null : budgetExceeded(over, bound)
}

const nothing = (reply: JudgeReply): Asked => ({ reply, attempts: [], waited_ms: 0 })

const EXPIRED = withoutReply({
  code: 'timeout',
  message: 'the provider’s batches ended several times without running this request',
  retryable: true,
  retry_after_s: null,
})
