import type { ItemRef } from '../db/batches.ts'
import type { AttemptLedger, Freshness, Orphan, PlannedAttempt, StoredReply } from '../db/ledger.ts'
import type { Caps, OverBudget, Payer } from '../db/spending.ts'
import type { Submissions } from '../db/submissions.ts'
import type { Clock } from '../domain/clock.ts'
import { type Digest, digestBytes, digestValue } from '../domain/digest.ts'
import type { BatchApi, Judge, JudgeReply, JudgeRequest } from '../judges/judge.ts'
import type { AttemptSummary, Failure } from '../schemas/grade.ts'
import { boundOfCall } from './money.ts'

/** The place of a question: of which sample of which grade, and in which round. */
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
  /** Spent waiting for a turn, which is not the judge’s fault: the deadline moves by it. */
  readonly waited_ms: number
}

/** The one way to an answer: by a call, through a provider’s batch, or from stored replies. Null: no further reply is stored. */
export type Asker = (asking: Asking, request: JudgeRequest) => Promise<Asked | null>

/** Ends a grade whose question lies with a provider’s batch: the grade is begun anew, and finds the answer stored. */
export class Suspended extends Error {
  override readonly name = 'Suspended'
}

/** For whom a call is made, and how much money there is for it. */
export interface Account {
  /** The item of a batch; null: a single request. */
  readonly item: ItemRef | null
  readonly payer: Payer | null
  readonly caps: Caps
  /** Ends the waiting for a turn, or for a retry; undefined: nothing does. */
  readonly signal: AbortSignal | undefined
  readonly freshness: Freshness
}

/** The settings `retry`, as `config/settings.ts` describes them. */
export type RetryPolicy = Readonly<
  Record<'max_attempts' | `${'deadline' | 'call_timeout' | 'base_delay' | 'max_delay' | 'max_retry_after'}_ms`, number>
>

export interface AskDeps {
  readonly attempts: AttemptLedger
  readonly clock: Clock
  readonly retry: RetryPolicy
  readonly random: () => number
  readonly newId: (prefix: string) => string
  /** Grades that this process makes: their replies are theirs. */
  readonly making: ReadonlySet<string>
}

/** Computes the digest of everything that is sent: an interrupted call is only taken over by the very same call. */
export function requestDigest(judge: Judge, request: JudgeRequest): Digest {
  const { evidence, images, ...text } = request
  const shown = images.map(({ label, picture }) => [label, picture.digest])
  const sent = shown.length === 0 ? text : { ...text, images: shown }
  return digestValue({ judge: judge.info.identity, sent, evidence: evidence.trajectory.id })
}

export const failureOf = (
  code: Failure['code'],
  message: string,
  retryable = true,
  retry_after_s: number | null = null,
): Failure => ({ code, message, retryable, retry_after_s })

/** Failures that the same call can survive a moment later. A refusal or a wrong key stays what it is. */
const TRANSIENT: readonly Failure['code'][] = ['rate_limited', 'judge_unreachable', 'timeout']

export const isTransient = (failure: Failure): boolean => TRANSIENT.includes(failure.code)

/** Makes the reply of a question for which no call was made. */
export const withoutReply = (failure: Failure): JudgeReply => ({
  ok: false,
  failure,
  raw: null,
  usage: null,
  model_resolved: null,
  request_id: null,
})

/** Makes the row of a call in the ledger before the call is made, but for its bound. */
export const planAttempt = (
  { deadline: _, ...asking }: Asking,
  judge: Judge,
  { item, payer }: Pick<Account, 'item' | 'payer'>,
  call: Pick<PlannedAttempt, 'id' | 'request_digest'> & { readonly at: Date },
): Omit<PlannedAttempt, 'reserved_usd'> => ({
  ...asking,
  id: call.id,
  request_digest: call.request_digest,
  judge: judge.info.name,
  started_at: call.at.toISOString(),
  batch: item?.batch ?? null,
  item: item?.index ?? null,
  payer: payer?.key_id ?? null,
})

/** Asks a judge. A judge must not throw; an error is our fault and says so, but it is still no verdict. */
export async function askJudge(judge: Judge, request: JudgeRequest, signal: AbortSignal): Promise<JudgeReply> {
  try {
    return await judge.ask(request, signal)
  } catch (error) {
    if (signal.aborted) return withoutReply(failureOf('timeout', 'the judge did not answer in time'))
    const name = (error as Error)?.name ?? 'something'
    return withoutReply(failureOf('internal', `the judge threw ${name}`, false))
  }
}

const CAPS = {
  batch: { title: 'the batch’s cap', remedy: 'give a higher max_cost_usd (--max-cost-usd)' },
  key: {
    title: 'the limit of this key (max_cost_usd_per_day, by UTC)',
    remedy: 'ask again tomorrow, or with a key of a higher limit',
  },
  day: {
    title: 'the cap of the day (UTC)',
    remedy: 'ask again tomorrow, or raise max_cost_usd_per_day in the configuration',
  },
} as const satisfies Record<OverBudget['cap'], object>

/** Makes the reply where a call could cost more than is left. `bound`: dollars that the call cannot exceed; null: not known. */
export function budgetExceeded(
  { cap, cap_usd, spent_usd, reserved_usd }: OverBudget,
  bound: number | null,
): JudgeReply {
  const { title, remedy } = CAPS[cap]
  const need =
    bound === null
      ? 'the price of this judge is unknown: configure its price, or leave the cap out'
      : `a call may cost up to $${money(bound)}: ${remedy}`
  const message = `${title} is $${money(cap_usd)}, of which $${money(spent_usd)} is spent or reserved; ${need}`
  // The reserved money comes back, but for the costs of its calls.
  const retryable = bound !== null && reserved_usd > 0
  return withoutReply(failureOf('budget_exceeded', message, retryable, retryable ? 1 : null))
}

const money = (usd: number): string => String(Number(usd.toPrecision(4)))

/** The facts of a call in a receipt, beside the reply. `max_output_tokens` null: not known. */
type CallFacts = Pick<AttemptSummary, 'id' | 'latency_ms' | 'cost_usd' | 'replayed'> & {
  readonly request_digest: Digest
  readonly max_output_tokens: number | null
}

export const summarize = ({ sample, round, purpose }: Asking, reply: JudgeReply, facts: CallFacts): AttemptSummary => ({
  sample,
  round,
  purpose,
  ...facts,
  outcome: reply.ok ? 'ok' : reply.failure.code,
  message: reply.ok ? null : reply.failure.message,
  latency_ms: Math.round(facts.latency_ms),
  usage: reply.usage,
  request_id: reply.request_id,
  reply_digest: reply.raw === null ? null : digestBytes(reply.raw),
})

/** Gives a reply that was stored before to the grade of a question. */
export async function adoptReply(
  attempts: Pick<AttemptLedger, 'adopt'>,
  asking: Asking,
  request_digest: Digest,
  { attempt_id: id, reply, cost_usd }: Omit<Orphan, 'grade_id' | 'reply'> & { readonly reply: JudgeReply },
  replayed = true,
) {
  await attempts.adopt(id, asking.grade_id)
  const facts = { id, latency_ms: 0, cost_usd, replayed, request_digest, max_output_tokens: null }
  return { reply, summary: summarize(asking, reply, facts) }
}

const NEVER = new AbortController().signal

/** Asks the judge of this process: free and without a turn; the ledger has begin and end in one unit of work. */
export const askHere =
  ({ attempts, clock, newId }: AskDeps, judge: Judge, account: Account): Asker =>
  async (asking, request) => {
    const at = clock.now()
    const [id, request_digest] = [newId('att'), requestDigest(judge, request)]
    const reply = await askJudge(judge, request, NEVER)
    const latency_ms = clock.now().getTime() - at.getTime()
    const { max_output_tokens } = request
    const facts = { id, latency_ms, cost_usd: 0, replayed: false, request_digest, max_output_tokens }
    const summary = summarize(asking, reply, facts)
    const planned = planAttempt(asking, judge, account, { id, request_digest, at })
    await attempts.record({ ...planned, reserved_usd: 0 }, { ...summary, reply })
    return { reply, attempts: [summary], waited_ms: 0 }
  }

/** Answers from the replies of a stored grade, which are checked again; null where a repair was never asked. */
export function askStored(replies: readonly StoredReply[]): Asker {
  const byPlace = new Map(replies.map((stored) => [placeOf(stored), stored]))
  return async (asking) => {
    const stored = byPlace.get(placeOf(asking))
    if (stored === undefined) return null
    const { attempt_id: id, reply, request_digest } = stored
    const facts = { id, latency_ms: 0, cost_usd: 0, replayed: true, request_digest, max_output_tokens: null }
    return { reply, attempts: [summarize(asking, reply, facts)], waited_ms: 0 }
  }
}

/** Names the place of a reply; of a question that was asked again (a truncated reply, a window that overflowed) the last reply counted. */
const placeOf = ({ sample, purpose, round }: Pick<StoredReply, 'sample' | 'purpose' | 'round'>): string =>
  `${sample}/${purpose}/${round}`

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
      return only(await adoptReply(attempts, asking, request_digest, { ...found, reply: found.reply }, false))
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
  reply,
  waited_ms: 0,
  attempts: summary === undefined ? [] : [summary],
})

const EXPIRED = withoutReply(
  failureOf('timeout', 'the provider’s batches ended several times without running this request'),
)
