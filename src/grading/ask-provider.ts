import type { AttemptLedger, Freshness, Payer } from '../db/attempts.ts'
import type { ItemRef } from '../db/items.ts'
import type { ProviderAnswer } from '../db/requests.ts'
import type { Caps } from '../db/spending.ts'
import type { Submissions } from '../db/submissions.ts'
import type { Digest } from '../domain/digest.ts'
import type { Clock } from '../ports/clock.ts'
import type { BatchApi, Judge, JudgeReply, JudgeRequest } from '../ports/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import { takeOrphan } from './ask.ts'
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
import { isTransient } from './retry.ts'

interface ProviderDeps {
  readonly queue: Submissions
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Requests for one question: a request that was never run, and a failure that a retry can help, is asked again. */
  readonly max_attempts: number
  /** Grades that this process makes: their replies are theirs. */
  readonly making: ReadonlySet<string>
}

interface ProviderJob {
  readonly item: ItemRef
  readonly payer: Payer | null
  readonly caps: Caps
  readonly freshness: Freshness
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
    const mark = { key, sample, round, request_digest: digest }
    const orphan = await deps.attempts.findOrphan(mark, deps.making, job.freshness)
    if (orphan !== null) {
      const { reply, summary } = await takeOrphan(deps.attempts, asking, orphan, digest)
      return { reply, attempts: summary === null ? [] : [summary], waited_ms: 0 }
    }
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
  { item, payer, caps }: ProviderJob,
  asking: Asking,
  request: JudgeRequest,
  digest: Digest,
): Promise<JudgeReply | null> {
  const at = deps.clock.now()
  const id = deps.newId('att')
  const planned = planAttempt(asking, judge, { item, payer }, { id, request_digest: digest, at })
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
