import type { BatchStore, OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'
import { ItemSource } from './item-source.ts'

const PAGE = 256

/**
 * The items of a whole batch: the others of a trajectory whose first item has just been graded (the provider still has it in its cache), then
 * the rest in order, a page at a time.
 */
export class ItemQueue extends ItemSource {
  private readonly store: BatchStore
  private readonly batch: string
  private readonly lease: Lease
  private page: readonly OpenItem[] = []
  private at = 0
  private cursor = -1
  private isLast = false
  private near: OpenItem[] = []
  /** Handed out and not given back: in flight, or waiting here. */
  private readonly out = new Set<number>()
  /** Handed out before its turn. */
  private readonly early = new Set<number>()

  constructor(store: BatchStore, batch: string, lease: Lease) {
    super()
    this.store = store
    this.batch = batch
    this.lease = lease
  }

  leaseOf(): Lease {
    return this.lease
  }

  skipRest(): void {
    this.page = []
    this.isLast = true
  }

  end(item: OpenItem): void {
    this.out.delete(item.index)
  }

  release(item: OpenItem): void {
    this.out.delete(item.index)
  }

  async gather(leader: OpenItem): Promise<void> {
    this.led.delete(leader.trajectory)
    for (const item of await this.store.siblings(leader, PAGE)) {
      if (this.out.has(item.index)) continue
      this.out.add(item.index)
      this.early.add(item.index)
      this.near.push(item)
    }
  }

  /** Items before the present place may be pending again. */
  rescan(): void {
    this.page = []
    this.at = 0
    this.cursor = -1
    this.isLast = false
    this.early.clear()
  }

  protected hasFresh(): boolean {
    return !this.isLast || this.at < this.page.length || this.near.length > 0
  }

  protected async nextFresh(): Promise<OpenItem | null> {
    const near = this.near.shift()
    if (near !== undefined) return near
    for (;;) {
      const item = this.page[this.at]
      if (item === undefined) {
        if (this.isLast) return null
        await this.turnPage()
        continue
      }
      this.at++
      if (this.early.delete(item.index) || this.out.has(item.index) || this.led.has(item.trajectory)) continue
      this.out.add(item.index)
      return item
    }
  }

  private async turnPage(): Promise<void> {
    const { cursor } = this
    const page = await this.store.pending(this.batch, cursor, PAGE)
    // A rescan may have begun meanwhile.
    if (this.cursor !== cursor) return
    this.page = page
    this.at = 0
    this.cursor = page.at(-1)?.index ?? cursor
    this.isLast = page.length < PAGE
    for (const index of this.early) if (index < (this.page[0]?.index ?? 0)) this.early.delete(index)
  }
}
