import type { Digest } from '../domain/digest.ts'
import type { Batch } from '../schemas/batch.ts'
import type { Failure } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'
import type { BatchKind, BatchMode, BatchStatus, ItemStatus, Label } from '../schemas/vocabulary.ts'
import type { Payer } from './ledger-ports.ts'

/** The reason of a batch that is parked because its command ended. */
export const COMMAND_STOPPED = 'the command that ran it was stopped'

/** A grade request whose trajectory is stored. */
type StoredRequest = Omit<GradeRequest, 'trajectory'>

export interface NewBatch {
  readonly id: string
  readonly kind: BatchKind
  readonly mode: BatchMode
  readonly name: string | null
  readonly key: string | null
  readonly max_cost_usd: number | null
  readonly payer: Payer | null
  readonly created_at: string
}

export interface NewItem {
  readonly index: number
  readonly item_id: string
  readonly trajectory: Digest
  readonly request: StoredRequest
  /** The stored grade that is graded again, in a re-grade. */
  readonly base_grade: string | null
}

/** An item that has not ended. */
export interface OpenItem extends NewItem {
  readonly batch: string
}

/** Which item a grade settles. */
export interface ItemRef {
  readonly batch: string
  readonly index: number
  /** Token of the lease under which it is worked on: a process that lost it settles nothing. */
  readonly lease?: string
}

/** How an item ended. */
export type ItemEnd =
  | { readonly status: 'graded'; readonly label: Label; readonly grade_id: string; readonly cached: boolean }
  | { readonly status: 'unverified'; readonly grade_id: string; readonly cached: boolean }
  | { readonly status: 'failed'; readonly failure: Failure; readonly grade_id: string | null }

/** An item as the results show it: what has ended. */
export interface ItemRecord {
  readonly index: number
  readonly item_id: string
  readonly trajectory: Digest
  readonly status: ItemStatus
  readonly label: Label | null
  readonly grade_id: string | null
  readonly failure: Failure | null
  readonly cached: boolean
  readonly base_grade: string | null
  readonly request: StoredRequest
}

/** A batch of ours rather than a word of the caller’s own metadata. */
export const isOwnBatch = (batch: string | undefined): batch is string => batch?.startsWith('bat_') === true

export interface BatchQuery {
  readonly key?: string
  readonly status?: BatchStatus
  readonly limit: number
  /** Exclusive: batches older than this id. */
  readonly before?: string
}

/** A batch as it is stored: `counts.running` counts only what waits for a provider’s batch. */
export type BatchRecord = Batch

/**
 * Batches and their items. An item ends once: the second settling changes nothing. The counts are those of the items, always.
 */
export interface BatchStore {
  /** A batch that is not listed until it is opened. */
  draft(batch: NewBatch): Promise<void>
  /** Answers the index of the first item whose `item_id` the batch has already; then none of them is added. */
  add(id: string, items: readonly NewItem[]): Promise<number | null>
  /** Ends the draft: the batch runs from now on. */
  open(id: string): Promise<void>
  /** Forgets a draft and its items. */
  discard(id: string): Promise<void>
  /** Forgets drafts whose process has died. */
  discardAbandoned(): Promise<number>
  get(id: string): Promise<BatchRecord | null>
  /** Who pays for the batch, for as long as it runs; null: no key in particular. */
  payer(id: string): Promise<Payer | null>
  /** Newest first. */
  list(query: BatchQuery): Promise<readonly BatchRecord[]>
  /** Ids of batches that should run and that no living process runs. */
  listUnclaimed(): Promise<readonly string[]>
  /** Takes the batch for this process; false where a living process has it, or where it has ended. */
  claim(id: string): Promise<boolean>
  release(id: string): Promise<void>
  /** Pending items after the index, in order. */
  pending(id: string, after: number, limit: number): Promise<readonly OpenItem[]>
  /** Other pending items of the same trajectory. */
  siblings(item: OpenItem, limit: number): Promise<readonly OpenItem[]>
  /** Rejects with `lease_lost` where the item’s lease is lost. */
  settle(item: ItemRef, end: ItemEnd): Promise<void>
  /** False: it did not run. */
  park(id: string, reason: string, resumesAt: string | null): Promise<boolean>
  /** A parked batch runs again; false where it is not parked. */
  resume(id: string): Promise<boolean>
  /** False where the batch has ended. */
  requestCancel(id: string): Promise<boolean>
  /** Every open item is cancelled, and with it the batch. */
  finishCancel(id: string, at: string): Promise<void>
  /** Answers false, and changes nothing, while an item is open. */
  finish(id: string, at: string): Promise<boolean>
  /** The rubrics that items from one index to another (exclusive) ask by, in whatever state they are; null: it says none. */
  rubrics(id: string, from: number, to: number): Promise<readonly (string | null)[]>
  /** Ended items in order, after the index. */
  results(id: string, after: number, limit: number): Promise<readonly ItemRecord[]>
}
