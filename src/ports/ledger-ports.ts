import type { Digest } from '../domain/digest.ts'
import type { OutputHistory } from '../domain/money/history.ts'
import type { AttemptSummary, Usage } from '../schemas/grade.ts'
import type { JudgeReply } from './judge-ports.ts'

/** One call of a judge, before it is made. */
export interface PlannedAttempt {
  readonly id: string
  readonly grade_id: string
  /** Cache key of the grade that it is for. */
  readonly key: Digest
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  /** Digest of everything that is sent. */
  readonly request_digest: Digest
  readonly judge: string
  readonly started_at: string
  /** The batch that it is made for. */
  readonly batch: string | null
  /** The key that it is made for; null: none in particular. */
  readonly payer: string | null
  /** Upper bound of its cost; null where it is unknown. */
  readonly reserved_usd: number | null
  /** Tokens of the leases under which it is begun, that of its question first. While that one is held, its reply is no orphan. */
  readonly leases?: readonly string[]
}

/** Who asked and pays: a key, with the dollars that it may spend in a day of UTC (null: no cap). */
export interface Payer {
  readonly key_id: string
  readonly max_cost_usd_per_day: number | null
}

/** Dollars that may be spent; null: no cap. A day is a day of UTC. */
export interface Caps {
  readonly batch_usd: number | null
  /** Of the paying key, for a day. */
  readonly key_usd: number | null
  readonly day_usd: number | null
}
export const NO_CAPS: Caps = { batch_usd: null, key_usd: null, day_usd: null }

export const isCapped = ({ batch_usd, key_usd, day_usd }: Caps): boolean =>
  batch_usd !== null || key_usd !== null || day_usd !== null

/** The cap that a call would break, with what was spent or reserved before it. */
export interface OverBudget {
  readonly cap: 'batch' | 'key' | 'day'
  readonly cap_usd: number
  readonly spent_usd: number
  /** Of `spent_usd`: upper bounds of calls in flight, which come back but for what they cost. */
  readonly reserved_usd: number
}

export interface FinishedAttempt {
  readonly id: string
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly reply: JudgeReply
  readonly latency_ms: number
  readonly cost_usd: number | null
}

/** A stored call, as `GET /v1/grades/{id}` and the audit see it. */
export interface LedgerEntry extends PlannedAttempt {
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly raw_reply: string | null
  readonly usage: Usage | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
  readonly request_id: string | null
  readonly model_resolved: string | null
}

/** A stored call of a batch. `grade_id` is null where no grade was stored for it. */
export interface BatchCall extends Omit<LedgerEntry, 'grade_id'> {
  readonly grade_id: string | null
}

/** Some calls of a batch; `next`: where the following begin, null after the last. */
export interface BatchCalls {
  readonly calls: readonly BatchCall[]
  readonly next: number | null
}

/** A good reply that is kept. */
export interface StoredReply {
  readonly attempt_id: string
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  readonly request_digest: Digest
  readonly reply: Extract<JudgeReply, { ok: true }>
}

export interface AttemptLedger {
  /**
   * Durable before it resolves: the call may only be made afterwards. Reserves its upper bound in the same unit of work; answers
   * the cap that it would break, and then nothing is written. Rejects with `lease_lost` where one of its leases is lost.
   */
  begin(attempt: PlannedAttempt, caps: Caps): Promise<OverBudget | null>
  /** Durable before it resolves: the reply may only be used afterwards. Under no lease: what was paid for is kept. */
  finish(attempt: FinishedAttempt): Promise<void>
  /** A call that costs nothing and leaves this process not at all, begun and ended in one unit of work. Rejects as `begin` and `finish` do. */
  record(planned: PlannedAttempt, finished: FinishedAttempt): Promise<void>
  /**
   * The stored good reply of an interrupted grade (its grade was never written, and no process holds the lease under which it was asked) to
   * the very same request, so that it is not paid for twice. Null where there is none.
   */
  findOrphan(
    key: Digest,
    sample: number,
    round: number,
    requestDigest: Digest,
  ): Promise<{
    attempt_id: string
    grade_id: string
    reply: Extract<JudgeReply, { ok: true }>
    cost_usd: number | null
  } | null>
  /**
   * Whether the very same call is still under way in a process that lives, but whose lease for it is lost: its reply will be an orphan.
   */
  isOutstanding(key: Digest, sample: number, round: number, requestDigest: Digest): Promise<boolean>
  /**
   * Gives an orphan to the grade that uses its reply, and to the lease under which that is made. It stays where it is when another has it by
   * then.
   */
  adopt(attemptId: string, gradeId: string, lease?: string): Promise<void>
  /** Counts the calls of the batch that are in flight, in all processes. */
  inFlight(batch: string): Promise<number>
  /**
   * Marks the calls in flight of dead processes as `unknown`; with `isRunner`, those of batches of every other process too: only the holder of
   * the run lock calls for batches. Answers their number.
   */
  markInterrupted(isRunner?: boolean): Promise<number>
  /** Those that were made for it, and those of another grade that its receipt names. */
  listForGrade(gradeId: string): Promise<readonly LedgerEntry[]>
  /** Those that were made for the batch, in order, a stretch of the ledger at a time: `after` is 0 or what `next` said. */
  listForBatch(batch: string, after: number): Promise<BatchCalls>
  /** What the newest answers of a judge took, among the newest calls of all judges. */
  outputHistory(judge: string): Promise<OutputHistory>
  /** The good replies of a grade, as they were used: to be checked again without a call. */
  listReplies(gradeId: string): Promise<readonly StoredReply[]>
}
