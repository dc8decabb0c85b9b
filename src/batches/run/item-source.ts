import type { BatchStore, OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'

/** Gives the items of a run: first the items that were put back and are due, then fresh items. */
export abstract class ItemSource {
  private waiting: { readonly item: OpenItem; readonly due: number }[] = []
  /** Trajectories whose first item is in flight; their other items wait. */
  protected readonly led = new Set<string>()

  /** Takes the next item that may begin now, or null. */
  async next(now: number): Promise<OpenItem | null> {
    const due = this.waiting.findIndex((one) => one.due <= now)
    return due === -1 ? this.nextFresh() : (this.waiting.splice(due, 1)[0]?.item ?? null)
  }

  /** Finds the time after `now` at which an item that was put back is due. */
  nextDue(now: number): number | null {
    const least = this.waiting.reduce((sooner, { due }) => (due > now ? Math.min(sooner, due) : sooner), Infinity)
    return Number.isFinite(least) ? least : null
  }

  /** Whether `next` gives no more items, now or later. */
  isEmpty(): boolean {
    return this.waiting.length === 0 && !this.hasFresh()
  }

  /** Takes an item back, to run again at `due`. */
  putBack(item: OpenItem, due: number): void {
    this.waiting.push({ item, due })
  }

  /** Whether the item is the first of its trajectory; then the other items wait until `gather`. */
  lead({ trajectory }: OpenItem): boolean {
    if (this.led.has(trajectory)) return false
    this.led.add(trajectory)
    return true
  }

  /** Puts the other items of the leader’s trajectory first. */
  abstract gather(leader: OpenItem): Promise<void>
  /** Forgets an item that has ended or lies with the provider. */
  abstract end(item: OpenItem): void
  /** Forgets an item that has not ended and does not run again here. */
  abstract release(item: OpenItem): void
  /** Leaves out all items that have not begun. */
  abstract skipRest(): void
  /** The lease that covers the item. */
  abstract leaseOf(item: OpenItem): Lease

  protected abstract nextFresh(): Promise<OpenItem | null>
  protected abstract hasFresh(): boolean

  protected forgetWaiting(isForgotten: (item: OpenItem) => boolean): void {
    this.waiting = this.waiting.filter(({ item }) => !isForgotten(item))
  }
}

const PAGE = 256

/**
 * Gives the items of a whole batch: first the other items of a trajectory whose first item was just graded (the provider still has the trajectory
 * in its cache), then the rest in order, a page at a time.
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
  /** Items that are in flight or wait here. */
  private readonly out = new Set<number>()
  /** Items that went out before their place in the order. */
  private readonly early = new Set<number>()
  private readonly isRunnable: (item: OpenItem) => boolean
  /** In this pass: an item was left to a process that has its judge, and an item was given. */
  private hasLeft = false
  private hasGiven = false

  constructor(store: BatchStore, batch: string, lease: Lease, isRunnable: (item: OpenItem) => boolean) {
    super()
    this.isRunnable = isRunnable
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
      if (this.out.has(item.index) || !this.isRunnable(item)) continue
      this.out.add(item.index)
      this.early.add(item.index)
      this.near.push(item)
    }
  }

  /** Tells whether this pass met only items of judges that the process lacks. */
  hasOnlyLeft(): boolean {
    return this.hasLeft && !this.hasGiven
  }

  /** Reads the items from the beginning: earlier items may be pending again. */
  rescan(): void {
    this.page = []
    this.at = 0
    this.cursor = -1
    this.isLast = false
    this.hasLeft = false
    this.hasGiven = false
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
      if (!this.isRunnable(item)) {
        this.hasLeft = true
        continue
      }
      if (this.early.delete(item.index) || this.out.has(item.index) || this.led.has(item.trajectory)) continue
      this.out.add(item.index)
      this.hasGiven = true
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
