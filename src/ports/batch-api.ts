import type { Failure } from '../schemas/grade.ts'
import type { BatchLimits } from '../schemas/providers.ts'
import type { JudgeReply, JudgeRequest } from './judge-ports.ts'

/** A provider’s batch endpoint. */
export interface BatchApi extends BatchLimits, BatchCalls {}

/**
 * What a provider’s batch endpoint is called for: the same questions at half the price, answered within a day and in any order. Never throws for what
 * a provider does. The caller records a submission before it is sent, so that a crash in between is settled by `find`.
 */
export interface BatchCalls {
  /** One line of a submission: exactly the body that `Judge.ask` would send, in the provider’s envelope. */
  encode(customId: string, request: JudgeRequest): string
  submit(submission: Submission, signal: AbortSignal): Promise<Answered<{ readonly provider_id: string }>>
  /**
   * The provider’s id of a submission that may or may not have reached it; null where it surely has not. By our id where the
   * provider keeps one (OpenAI: `metadata`), else by time, counts and the custom ids of results (Anthropic): while a candidate
   * still runs, a retryable failure.
   */
  find(submission: SubmissionMark, signal: AbortSignal): Promise<Answered<{ readonly provider_id: string | null }>>
  poll(providerId: string, signal: AbortSignal): Promise<Answered<BatchState>>
  /** Every request’s own end, in any order; of the output file, the error file, and of what expired or was cancelled. */
  results(providerId: string, signal: AbortSignal): AsyncIterable<Answered<BatchResult>>
  cancel(providerId: string, signal: AbortSignal): Promise<Answered<object>>
}

/** An answer of the provider’s batch endpoint, or why there is none. */
export type Answered<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly failure: Failure }

export interface SubmissionMark {
  /** Our id of it. */
  readonly id: string
  /** When it was recorded, before it was sent. */
  readonly recorded_at: Date
  readonly custom_ids: readonly string[]
}

export interface Submission extends SubmissionMark {
  /** Lines of `encode`, one for each custom id, in the same order. */
  readonly lines: readonly string[]
}

export interface BatchState {
  /** `ended`: results can be read, be they whole or partial. `failed`: nothing was run, nothing is owed. */
  readonly state: 'in_progress' | 'ended' | 'failed'
  /** The provider’s own word for its state, and what it says of a failed one. */
  readonly detail: string
  readonly completed: number
  readonly total: number
}

export interface BatchResult {
  readonly custom_id: string
  /** `expired` and `cancelled` requests were never run and cost nothing: they may be sent again. */
  readonly end: 'answered' | 'expired' | 'cancelled'
  /** For `answered`: what `Judge.ask` would have returned for the same bytes. */
  readonly reply: JudgeReply | null
}
