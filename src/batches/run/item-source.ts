import type { BatchStore, OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'

/** Where a run of a batch has its items from: first those that were put back and are due, then others. */
export abstract class ItemSource {
  private waiting: { readonly item: OpenItem; readonly due: number }[] = []
  /** Trajectories whose first item is in flight: the others wait for it. */
  protected readonly led = new Set<string>()

  /** The next item that may be begun now; null: none, now. */
  async next(now: number): Promise<OpenItem | null> {
    const due = this.waiting.findIndex((one) => one.due <= now)
    return due === -1 ? this.nextFresh() : (this.waiting.splice(due, 1)[0]?.item ?? null)
  }

  /** When more of what was put back is due, after `now`: what is due already waits for a place, not for the time. */
  nextDue(now: number): number | null {
    const least = this.waiting.reduce((sooner, { due }) => (due > now ? Math.min(sooner, due) : sooner), Infinity)
    return Number.isFinite(least) ? least : null
  }

  /** Whether nothing is left that `next` may give, now or later. */
  isEmpty(): boolean {
    return this.waiting.length === 0 && !this.hasFresh()
  }

  /** It is to be run again, not before `due`. */
  putBack(item: OpenItem, due: number): void {
    this.waiting.push({ item, due })
  }

  /** Whether this is the first item of its trajectory now; then the others wait until `gather`. */
  lead({ trajectory }: OpenItem): boolean {
    if (this.led.has(trajectory)) return false
    this.led.add(trajectory)
    return true
  }

  /** The other items of the leader’s trajectory come next. */
  abstract gather(leader: OpenItem): Promise<void>
  /** It has ended, or lies with the provider. */
  abstract end(item: OpenItem): void
  /** It has not ended, and is not run again here. */
  abstract release(item: OpenItem): void
  /** Whatever has not begun is left out. */
  abstract skipRest(): void
  /** Under what it is worked on. */
  abstract leaseOf(item: OpenItem): Lease

  protected abstract nextFresh(): Promise<OpenItem | null>
  protected abstract hasFresh(): boolean

  protected forgetWaiting(isForgotten: (item: OpenItem) => boolean): void {
    this.waiting = this.waiting.filter(({ item }) => !isForgotten(item))
  }
}

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
  private readonly isRunnable: (item: OpenItem) => boolean
  /** Whether an item was left to a process that has its judge. */
  hasLeft = false

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
      if (!this.isRunnable(item)) {
        this.hasLeft = true
        continue
      }
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
