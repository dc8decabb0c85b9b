import type { ItemRef } from '../ports/batch-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import type { Failure } from '../schemas/grade.ts'

/** For whom a question is asked, and by which way its answers come. */
export type Errand =
  /** One request, whose caller waits. */
  | { readonly way: 'call'; readonly item: null; readonly payer: Payer | null }
  | (BatchErrand & { readonly way: 'call' })
  /** Through the provider’s batch endpoint. */
  | (BatchErrand & { readonly way: 'provider' })
  /** From the stored replies of a grade: nobody is asked. */
  | (BatchErrand & { readonly way: 'stored'; readonly grade_id: string })

interface BatchErrand {
  readonly item: ItemRef
  readonly payer: Payer | null
  /** Ends the waiting for a turn, or for a retry: what is in flight goes on. */
  readonly signal: AbortSignal
  /** Hard cap of the batch. */
  readonly cap_usd: number | null
  /** Failures after which the item is asked again later: then no grade is written, and good replies wait to be used. */
  readonly isPassing: (failure: Failure) => boolean
}

export const singleErrand = (payer: Payer | null): Errand => ({ way: 'call', item: null, payer })

export const isPassing = (errand: Errand, failure: Failure): boolean =>
  errand.item !== null && errand.isPassing(failure)
