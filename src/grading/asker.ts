import type { Freshness, Payer, PlannedAttempt } from '../db/attempts.ts'
import type { ItemRef } from '../db/items.ts'
import type { Caps, OverBudget } from '../db/spending.ts'
import type { Digest } from '../domain/digest.ts'
import { digestBytes, digestValue } from '../domain/digest.ts'
import type { Judge, JudgeReply, JudgeRequest } from '../ports/judge.ts'
import type { AttemptSummary, Failure } from '../schemas/grade.ts'

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
  /** Spent waiting for a turn, which is not the judge’s fault: the deadline moves by it. */
  readonly waited_ms: number
}

/** The one way to an answer: by a call, through a provider’s batch, or from what is stored. Null: nothing more is stored. */
export type Asker = (asking: Asking, request: JudgeRequest) => Promise<Asked | null>

/**
 * Thrown by an asker whose question lies with a provider’s batch endpoint: the grade is begun anew once the answer has come, and
 * finds it stored. Nothing else of a grade is kept in between, so a crash loses nothing.
 */
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

/** Digest of everything that is sent: an interrupted call is only taken over by the very same one. */
export function requestDigest(judge: Judge, request: JudgeRequest): Digest {
  const { evidence, images, ...text } = request
  const shown = images.map(({ label, picture }) => [label, picture.digest])
  const sent = shown.length === 0 ? text : { ...text, images: shown }
  return digestValue({ judge: judge.info.identity, sent, evidence: evidence.trajectory.id })
}

export const withoutReply = (failure: Failure): JudgeReply => ({
  ok: false,
  failure,
  raw: null,
  usage: null,
  model_resolved: null,
  request_id: null,
})

/** A call as the ledger has it before it is made, but for what it may cost. */
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

/** A judge must not throw; if one does, it is our fault and says so, but it is still no verdict. */
export async function askJudge(judge: Judge, request: JudgeRequest, signal: AbortSignal): Promise<JudgeReply> {
  try {
    return await judge.ask(request, signal)
  } catch (error) {
    const message = signal.aborted
      ? 'the judge did not answer in time'
      : `the judge threw ${(error as Error)?.name ?? 'something'}`
    const code = signal.aborted ? 'timeout' : 'internal'
    return withoutReply({ code, message, retryable: signal.aborted, retry_after_s: null })
  }
}

/** No call is made that could cost more than is left. */
export function budgetExceeded(over: OverBudget, bound: number | null): JudgeReply {
  const need =
    bound === null
      ? 'the price of this judge is unknown: configure its price, or leave the cap out'
      : `a call may cost up to $${money(bound)}: ${REMEDIES[over.cap]}`
  const message = `${CAP_NAMES[over.cap]} is $${money(over.cap_usd)}, of which $${money(over.spent_usd)} is spent or reserved; ${need}`
  // What is reserved comes back, but for what it costs.
  const retryable = bound !== null && over.reserved_usd > 0
  return withoutReply({ code: 'budget_exceeded', message, retryable, retry_after_s: retryable ? 1 : null })
}

const REMEDIES = {
  batch: 'give a higher max_cost_usd (--max-cost-usd)',
  key: 'ask again tomorrow, or with a key of a higher limit',
  day: 'ask again tomorrow, or raise max_cost_usd_per_day in the configuration',
} as const

const CAP_NAMES = {
  batch: 'the batch’s cap',
  key: 'the limit of this key (max_cost_usd_per_day, by UTC)',
  day: 'the cap of the day (UTC)',
} as const satisfies Record<OverBudget['cap'], string>

const money = (usd: number): string => String(Number(usd.toPrecision(4)))

/** The facts of a call in a receipt, beside the reply. */
interface CallFacts {
  readonly latency_ms: number
  readonly cost_usd: number | null
  readonly replayed: boolean
  readonly request_digest: Digest
  /** Null: not known. */
  readonly max_output_tokens: number | null
}

export function summarize(id: string, asking: Asking, reply: JudgeReply, call: CallFacts): AttemptSummary {
  return {
    id,
    sample: asking.sample,
    round: asking.round,
    purpose: asking.purpose,
    outcome: reply.ok ? 'ok' : reply.failure.code,
    message: reply.ok ? null : reply.failure.message,
    latency_ms: Math.round(call.latency_ms),
    usage: reply.usage,
    cost_usd: call.cost_usd,
    request_id: reply.request_id,
    replayed: call.replayed,
    request_digest: call.request_digest,
    reply_digest: reply.raw === null ? null : digestBytes(reply.raw),
    max_output_tokens: call.max_output_tokens,
  }
}
