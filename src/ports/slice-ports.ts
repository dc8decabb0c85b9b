/** Items of one batch that are worked on together: small enough to be spread, large enough to cost little each. */
export const SLICE_ITEMS = 16

/** A part of a batch that one process works on at a time. */
export interface SliceWork {
  readonly project: string
  readonly batch: string
  /** Index of its first item; it ends `SLICE_ITEMS` further. */
  readonly from: number
  /** The judge of its first open item; null: the whole batch, which runs through its provider’s batch endpoint. */
  readonly judge: string | null
  /** How many open slices of its batch came before it when it was planned; absent: as many as there are before it. */
  readonly rank?: number
  /** W3C trace context of the request that made the batch. */
  readonly traceparent?: string
}

/** Work that was fetched; `attempt` tells this fetching from later ones. */
export interface SliceJob extends SliceWork {
  readonly id: string
  readonly attempt: number
}

/** What is missing among some work, and what somebody fetched a while ago and has not ended. */
export interface Survey {
  readonly missing: readonly SliceWork[]
  readonly old: readonly SliceJob[]
}

/**
 * Work that waits for a process, over all projects. It only says where there may be something to do: who may do it is a matter of leases, and
 * what is to be done of the items. Whatever it loses is planned again. Rejects where it is out of reach.
 */
export interface SliceQueue {
  /** Adds what is neither waiting nor fetched. Of one judge, the beginnings of all batches come first. */
  plan(work: readonly SliceWork[]): Promise<void>
  /**
   * Up to `most`, of the judge; null: batches of providers. It is nobody else’s until it is ended, given back, or its process dies. What is of
   * the projects `without` is left to others.
   */
  fetch(judge: string | null, most: number, without?: readonly string[]): Promise<readonly SliceJob[]>
  /** There is nothing left to do. Changes nothing for a job that was fetched again since; so does `giveBack`. */
  complete(jobs: readonly SliceJob[]): Promise<void>
  /** Somebody else may fetch it, at once. */
  giveBack(jobs: readonly SliceJob[]): Promise<void>
  /** `old`: fetched at least so many seconds ago. */
  survey(work: readonly SliceWork[], seconds: number): Promise<Survey>
  /** Judges whose work has waited for long, and that nobody works for. */
  forsaken(): Promise<readonly string[]>
  close(): Promise<void>
}

/** What is open of a slice: of its first pending item. */
interface PendingSlice {
  readonly from: number
  readonly judge: string
}

/** The items of batches by slices. */
export interface SliceStore {
  /** Slices with pending items from `from` (a multiple of `SLICE_ITEMS`) on, in order: those of the next `most` pending items. */
  pending(batch: string, from: number, most: number): Promise<readonly PendingSlice[]>
  /** Cancels the open items of a batch that is being cancelled, but for those under a lease; answers whether that was its end. */
  cancel(batch: string, at: string): Promise<boolean>
}

/** How many slices of its batch come before it. */
export const rankOf = ({ rank, from }: SliceWork): number => rank ?? Math.floor(from / SLICE_ITEMS)

/** The name of the lease under which the work is done. */
export const leaseName = ({ batch, from, judge }: SliceWork): string =>
  judge === null ? `provider:${batch}` : `slice:${batch}:${from}`

/** How the names of all leases of a batch begin. */
export const leasePrefix = (batch: string, mode: 'direct' | 'provider'): string =>
  mode === 'provider' ? `provider:${batch}` : `slice:${batch}:`
