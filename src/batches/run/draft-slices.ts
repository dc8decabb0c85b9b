import type { NewBatch, NewItem, OpenItem } from '../../ports/batch-ports.ts'
import { type FreeSlice, SLICE_ITEMS, type Slice } from '../../ports/slice-ports.ts'

/** Items that are kept for this process; more are left in the store, for any process, once the batch is open. */
const MOST_KEPT = 1024

/**
 * The items of a draft by slices, as they arrive, for the process that takes the draft in. No other process sees a draft: a slice whose lease is held
 * while it is one has been held by nobody before.
 */
export class DraftSlices {
  readonly batch: NewBatch
  private readonly whole = new Map<number, readonly OpenItem[]>()
  private arriving: OpenItem[] = []

  constructor(batch: NewBatch) {
    this.batch = batch
  }

  /** Items that have just been stored at the end of the draft. */
  feed(items: readonly NewItem[]): void {
    for (const item of items) {
      this.arriving.push({ ...item, batch: this.batch.id })
      if ((item.index + 1) % SLICE_ITEMS !== 0) continue
      if (this.backlog < MOST_KEPT) this.whole.set(item.index + 1 - SLICE_ITEMS, this.arriving)
      this.arriving = []
    }
  }

  /** Items of whole slices that were not taken. */
  get backlog(): number {
    return this.whole.size * SLICE_ITEMS
  }

  /** Up to `most` whole slices of the judge. */
  free(judge: string, most: number): FreeSlice[] {
    const ofJudge = [...this.whole].filter(([, [first]]) => first?.request.judge === judge)
    return ofJudge.slice(0, most).map(([from], rank) => ({ batch: this.batch.id, from, judge, rank }))
  }

  /** The items of a slice, once. */
  take({ from }: Slice): readonly OpenItem[] {
    const items = this.whole.get(from) ?? []
    this.whole.delete(from)
    return items
  }
}
