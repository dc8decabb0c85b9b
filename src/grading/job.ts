import type { ItemRef } from '../ports/batch-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import type { Failure } from '../schemas/grade.ts'

/** For whom a question is asked, and by which way its answers come. */
export type GradingJob =
  /** One request, whose caller waits. */
  | { readonly way: 'call'; readonly item: null; readonly payer: Payer | null }
  | (BatchJob & { readonly way: 'call' })
  /** Through the provider’s batch endpoint. */
  | (BatchJob & { readonly way: 'provider' })
  /** From the stored replies of a grade: nobody is asked. */
  | (BatchJob & { readonly way: 'stored'; readonly grade_id: string })

interface BatchJob {
  readonly item: ItemRef
  readonly payer: Payer | null
  /** Ends the waiting for a turn, or for a retry: what is in flight goes on. */
  readonly signal: AbortSignal
  /** Hard cap of the batch. */
  readonly cap_usd: number | null
  /** Failures after which the item is asked again later: then no grade is written, and good replies wait to be used. */
  readonly isPassing: (failure: Failure) => boolean
}

export const singleJob = (payer: Payer | null): GradingJob => ({ way: 'call', item: null, payer })

export const isPassing = (job: GradingJob, failure: Failure): boolean => job.item !== null && job.isPassing(failure)
