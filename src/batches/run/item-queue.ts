import type { BatchStore, OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'
import type { ItemSource } from './item-source.ts'

const PAGE = 256

interface Waiting {
  readonly item: OpenItem
  readonly due: number
}

/**
 * Which item of a batch comes next: first those that were put back and are due, then the others of a trajectory whose first item
 * has just been graded (the provider still has it in its cache), then the rest in order, a page at a time.
 */
export class ItemQueue implements ItemSource {
  private readonly store: BatchStore
  private readonly batch: string
  private readonly lease: Lease | null
  private page: readonly OpenItem[] = []
  private at = 0
  private cursor = -1
  private isLast = false
  private waiting: Waiting[] = []
  private near: OpenItem[] = []
  /** Trajectories whose first item is in flight: the others wait for it. */
  private readonly led = new Set<string>()
  /** Handed out and not given back: in flight, or waiting here. */
  private readonly out = new Set<number>()
  /** Handed out before its turn. */
  private readonly early = new Set<number>()

  constructor(store: BatchStore, batch: string, lease: Lease | null = null) {
    this.store = store
    this.batch = batch
    this.lease = lease
  }

  leaseOf(): Lease | null {
    return this.lease
  }

  async next(now: number): Promise<OpenItem | null> {
    const due = this.waiting.findIndex((one) => one.due <= now)
    if (due !== -1) return this.waiting.splice(due, 1)[0]?.item ?? null
    return this.near.shift() ?? this.nextInOrder()
  }

  nextDue(now: number): number | null {
    const least = this.waiting.reduce((sooner, { due }) => (due > now ? Math.min(sooner, due) : sooner), Infinity)
    return Number.isFinite(least) ? least : null
  }

  isEmpty(): boolean {
    return this.isLast && this.at >= this.page.length && this.waiting.length === 0 && this.near.length === 0
  }

  skipRest(): void {
    this.page = []
    this.isLast = true
  }

  putBack(item: OpenItem, due: number): void {
    this.waiting.push({ item, due })
  }

  end(item: OpenItem): void {
    this.out.delete(item.index)
  }

  release(item: OpenItem): void {
    this.out.delete(item.index)
  }

  lead({ trajectory }: OpenItem): boolean {
    if (this.led.has(trajectory)) return false
    this.led.add(trajectory)
    return true
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

  rescan(): void {
    this.page = []
    this.at = 0
    this.cursor = -1
    this.isLast = false
    this.early.clear()
  }

  private async nextInOrder(): Promise<OpenItem | null> {
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
    this.page = await this.store.pending(this.batch, this.cursor, PAGE)
    this.at = 0
    this.cursor = this.page.at(-1)?.index ?? this.cursor
    this.isLast = this.page.length < PAGE
    for (const index of this.early) if (index < (this.page[0]?.index ?? 0)) this.early.delete(index)
  }
}
