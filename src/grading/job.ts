import type { ItemRef } from '../ports/batch-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import type { Failure } from '../schemas/grade.ts'

/** For whom a question is asked, and by which way its answers come. */
export type GradingJob = Job &
  (
    | { readonly way: 'call' }
    /** Through the provider’s batch endpoint. */
    | { readonly way: 'provider'; readonly item: ItemRef }
    /** From the stored replies of a grade: no judge is asked. */
    | { readonly way: 'stored'; readonly grade_id: string }
  )

interface Job {
  /** Of a batch; null: one request, whose caller waits. */
  readonly item: ItemRef | null
  readonly payer: Payer | null
  /** Ends the waiting for a turn, or for a retry: what is in flight goes on. */
  readonly signal: AbortSignal | undefined
  /** Hard cap of the batch. */
  readonly cap_usd: number | null
  /** Failures after which the item is asked again later: then no grade is written, and good replies wait to be used. */
  readonly isPassing: (failure: Failure) => boolean
}
