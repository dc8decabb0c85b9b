import type { Digest } from '../domain/digest.ts'
import type { ItemRef } from './batch-ports.ts'
import type { JudgeReply } from './judge-ports.ts'
import type { Caps, OverBudget, PlannedAttempt } from './ledger-ports.ts'

/** One question of one item, on its way through a provider’s batch endpoint. */
export interface NewProviderRequest {
  /** Its id is the provider’s `custom_id`; the row of the ledger is written when the answer has come. */
  readonly planned: PlannedAttempt
  readonly item: ItemRef
  /** What is sent. */
  readonly line: string
}

/** What tells one question of a batch from another. */
export interface QuestionMark {
  readonly batch: string
  readonly key: Digest
  readonly sample: number
  readonly round: number
  readonly request_digest: Digest
}

/** What has become of a question. */
export interface ProviderAnswer {
  readonly attempt_id: string
  /** `open`: queued or sent. `void`: it was never run and cost nothing. */
  readonly state: 'open' | 'answered' | 'void'
  /** Of `answered`. */
  readonly reply: JudgeReply | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
  /** Requests that were made for this question in its batch, this one included. */
  readonly tries: number
}

export interface ProviderBatchRecord {
  readonly id: string
  readonly judge: string
  readonly batch: string
  readonly status: 'recorded' | 'submitted'
  readonly provider_id: string | null
  readonly recorded_at: string
  readonly requests: number
  /** Another process that lives is sending it right now. */
  readonly is_being_sent?: true
}

/** What of a batch lies with its provider now. */
export interface ProviderRound {
  /** Submissions of the batch that came back before it, and one. */
  readonly number: number
  readonly questions: number
  readonly begun_at: string
  /** The median of the judge’s newest twenty submissions that came back; null: none has. */
  readonly usual_seconds: number | null
}

/** How a request came back. */
export type ProviderEnd =
  | { readonly id: string; readonly end: 'void' }
  | {
      readonly id: string
      readonly end: 'answered'
      readonly reply: JudgeReply
      readonly cost_usd: number | null
    }

export interface SubmissionLimits {
  readonly most_requests: number
  readonly most_bytes: number
}

/**
 * Questions in a provider’s batch endpoint. What is sent is recorded before it is sent; what comes back is recorded before it is
 * used; each result counts once, however often it is read.
 */
export interface ProviderQueue {
  /**
   * Queues the question, reserves its upper bound, and its item waits from now on: one unit of work. Answers the cap that it would
   * break, and then nothing is written. Rejects with `lease_lost` where one of its leases is lost: the process that has the batch by then may have
   * queued the same question.
   */
  enqueue(request: NewProviderRequest, caps: Caps): Promise<OverBudget | null>
  /** The newest request for the question in its batch. */
  find(question: QuestionMark): Promise<ProviderAnswer | null>
  /** Judges that the batch has queued questions for. */
  queuedJudges(batch: string): Promise<readonly string[]>
  /**
   * Takes the oldest queued requests of a judge, within the limits, into one recorded submission; null where none is queued. A
   * single request over `most_bytes` is taken alone.
   */
  record(
    submission: { readonly id: string; readonly batch: string; readonly judge: string; readonly at: string },
    limits: SubmissionLimits,
  ): Promise<ProviderBatchRecord | null>
  /** Ids and lines of a submission’s requests that have no answer yet, in their order. */
  lines(id: string): Promise<readonly { readonly id: string; readonly line: string }[]>
  /** This process is about to send it, or has ended doing so. */
  sending(id: string, is: boolean): Promise<void>
  markSubmitted(id: string, providerId: string): Promise<void>
  /**
   * The submission surely never reached the provider, or ran nothing: its requests are queued again. `providerId`: as which
   * it was seen to run nothing; by default it was seen not to have been sent. Nothing where that is not so any more: the process that has the batch by
   * then has sent it.
   */
  withdraw(id: string, detail: string, at: string, providerId?: string | null): Promise<void>
  /** Null: nothing of the batch lies with a provider. */
  round(batch: string): Promise<ProviderRound | null>
  /** Recorded or submitted, oldest first. */
  listOpen(batch: string): Promise<readonly ProviderBatchRecord[]>
  /**
   * Records how requests came back: ledger, spending, and their items become `pending` where no other question of theirs is open.
   * One unit of work. A request that has its end already, or that is not of this submission, is left alone. Answers how many
   * counted.
   */
  storeEnds(id: string, ends: readonly ProviderEnd[], at: string): Promise<number>
  /** The submission is over: what still has no answer is `void`, and its items go on. */
  close(id: string, detail: string, at: string): Promise<void>
  /** Queued requests that were never sent are dropped, their reservation with them. */
  dropQueued(batch: string): Promise<void>
}
