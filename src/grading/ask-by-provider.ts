import type { ItemRef } from '../db/items.ts'
import type { Submissions } from '../db/submissions.ts'
import type { BatchApi, Judge, JudgeReply } from '../judges/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import {
  type Account,
  type AskDeps,
  type Asked,
  type Asker,
  adoptReply,
  budgetExceeded,
  failureOf,
  planAttempt,
  requestDigest,
  Suspended,
  withoutReply,
} from './ask.ts'
import { isTransient } from './ask-by-call.ts'
import { boundOfCall } from './money.ts'

interface ProviderDeps extends AskDeps {
  readonly queue: Submissions
}

/**
 * Asks through the provider’s batch endpoint: a reply that has come back is the answer; a request on its way suspends the grade; a question that was
 * never asked, or has to be asked again, is queued and suspends the grade, too. `max_attempts` bounds the requests for one question: a request that was
 * never run, and a failure that a retry can help, is asked again.
 */
export const askByProvider =
  (
    { queue, attempts, clock, newId, retry: { max_attempts }, making }: ProviderDeps,
    judge: Judge,
    api: BatchApi,
    { item, payer, caps, freshness }: Omit<Account, 'signal'> & { readonly item: ItemRef },
  ): Asker =>
  async (asking, request) => {
    const { key, sample, round } = asking
    const request_digest = requestDigest(judge, request)
    const mark = { key, sample, round, request_digest }
    const found = await queue.find({ ...mark, batch: item.batch })
    if (found?.state === 'open') throw new Suspended()
    const isOver = found !== null && found.tries >= max_attempts
    if (found?.state === 'answered' && found.reply !== null && (isOver || !isWorthRetry(found.reply))) {
      const facts = { latency_ms: found.latency_ms ?? 0, replayed: false }
      return only(await adoptReply(attempts, asking, request_digest, { ...found, reply: found.reply }, facts))
    }
    if (isOver) return only({ reply: EXPIRED })
    const orphan = await attempts.findOrphan(mark, making, freshness)
    if (orphan !== null) return only(await adoptReply(attempts, asking, request_digest, orphan))
    const id = newId('att')
    const planned = planAttempt(asking, judge, { item, payer }, { id, request_digest, at: clock.now() })
    const reserved_usd = boundOfCall(judge.info, request, api.price_factor)
    const line = api.encode(id, request)
    const over = await queue.enqueue({ planned: { ...planned, reserved_usd }, item, line }, caps)
    if (over !== null) return only({ reply: budgetExceeded(over, reserved_usd) })
    throw new Suspended()
  }

/** Tells a failure that may pass between two rounds: a wrong key or an empty account may be mended, too. */
const isWorthRetry = (reply: JudgeReply): boolean =>
  !reply.ok && (isTransient(reply.failure) || MENDED_BETWEEN_ROUNDS.includes(reply.failure.code))
const MENDED_BETWEEN_ROUNDS: readonly Failure['code'][] = ['quota_exhausted', 'authentication']

const only = ({ reply, summary }: { reply: JudgeReply; summary?: Asked['attempts'][number] }): Asked => ({
  ...{ reply, waited_ms: 0 },
  attempts: summary === undefined ? [] : [summary],
})

const EXPIRED = withoutReply(
  failureOf('timeout', 'the provider’s batches ended several times without running this request'),
)
