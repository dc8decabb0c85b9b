import type { OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'

/** Where a run of a batch has its items from. */
export interface ItemSource {
  /** The next item that may be begun now; null: none, now. */
  next(now: number): Promise<OpenItem | null>
  /** When more of what was put back is due, after `now`: what is due already waits for a place, not for the time. */
  nextDue(now: number): number | null
  /** Whether nothing is left that `next` may give, now or later. */
  isEmpty(): boolean
  /** The rest of this scan is left out; `rescan` finds it again. */
  skipRest(): void
  /** Items before the present place may be pending again. */
  rescan(): void
  /** It is to be run again, not before `due`. */
  putBack(item: OpenItem, due: number): void
  /** It has ended, or lies with the provider. */
  end(item: OpenItem): void
  /** It has not ended, and is not run again here. */
  release(item: OpenItem): void
  /** Whether this is the first item of its trajectory now; then the others wait until `gather`. */
  lead(item: OpenItem): boolean
  /** The other items of the leader’s trajectory come next. */
  gather(leader: OpenItem): Promise<void>
  /** Under what it is worked on; null: nobody else has the batch. */
  leaseOf(item: OpenItem): Lease | null
}
