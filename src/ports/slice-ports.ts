import type { BatchMode } from '../schemas/vocabulary.ts'
import type { LeaseStore } from './lease-ports.ts'

/** Items of one batch that are worked on together: small enough to be spread, large enough to cost little each. */
export const SLICE_ITEMS = 16

/** A part of a batch that one process works on at a time: the one that holds its lease. */
export interface Slice {
  readonly batch: string
  /** Index of its first item; it ends `SLICE_ITEMS` further. */
  readonly from: number
  /** The judge of its first open item; null: the whole batch, which runs through its provider’s batch endpoint, or on SQLite. */
  readonly judge: string | null
}

/** A slice with open items that was free a moment ago. */
export interface FreeSlice extends Slice {
  /** How many slices of its batch with open items come before it. */
  readonly rank: number
}

/** A batch that has not ended. */
interface OpenBatch {
  readonly id: string
  readonly mode: BatchMode
  readonly status: 'running' | 'cancelling' | 'parked'
  /** Of a parked one that wakes by itself; ISO 8601. */
  readonly resumes_at: string | null
  /** No item is pending any more; some may be with the provider. */
  readonly is_over: boolean
}

/** The items of batches by slices. */
export interface SliceStore {
  /** Those of the batches that have not ended. */
  open(batches: readonly string[]): Promise<readonly OpenBatch[]>
  /**
   * Up to `most` slices of the judge (null: of any) with pending items that no process holds, the beginnings of all these batches first. Of each,
   * only so much of its beginning is looked through that it costs little.
   */
  free(batches: readonly string[], judge: string | null, most: number): Promise<readonly FreeSlice[]>
  /** The same of batches that are worked on as a whole. */
  freeWhole(batches: readonly string[], most: number): Promise<readonly FreeSlice[]>
  /** Cancels the open items of a batch that is being cancelled, but for those under a lease; answers whether that was its end. */
  cancel(batch: string, at: string): Promise<boolean>
}

/** There may be work in a batch; a process that hears of it looks. */
export interface WorkNotice {
  readonly batch: string
}

/** Wakes those who work, in all processes of a database. What is missed is found by the next look. */
export interface WorkNotices {
  send(notice: WorkNotice): Promise<void>
  /** Null: some may have been missed. `onNotice` may not throw. */
  onNotice(onNotice: (notice: WorkNotice | null) => void): void
}

/** What several processes on one PostgreSQL share. */
export interface Cluster {
  /** Says that this process lives; to be called every few seconds. */
  beat(): Promise<void>
  readonly leases: LeaseStore
  readonly slices: SliceStore
  readonly notices: WorkNotices
}

/** The name of the lease under which the work is done. */
export const leaseName = ({ batch, from, judge }: Slice): string =>
  judge === null ? `provider:${batch}` : `slice:${batch}:${from}`

/** The batch as one slice. */
export const wholeOf = (batch: string): FreeSlice => ({ batch, from: 0, judge: null, rank: 0 })

/** How the names of all leases of a batch begin. */
export const leasePrefix = (batch: string, mode: BatchMode): string =>
  mode === 'provider' ? `provider:${batch}` : `slice:${batch}:`

/** The lease that one process holds for all that have the judge: while none holds it, none can work on the judge’s slices. */
export const judgeLease = (judge: string): string => `judge:${judge}`
