import type { BatchStore, OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'
import type { ItemSource } from './item-source.ts'

const PAGE = 256
/** Items that are kept here as they arrive; more are read from the store in their turn. */
const MOST_FED = 1024

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
  #isOpen: boolean
  /** Some that have arrived stand in the store alone. */
  private isBehind = false
  private waiting: Waiting[] = []
  private near: OpenItem[] = []
  /** Trajectories whose first item is in flight: the others wait for it. */
  private readonly led = new Set<string>()
  /** Handed out and not given back: in flight, or waiting here. */
  private readonly out = new Set<number>()
  /** Handed out before its turn. */
  private readonly early = new Set<number>()

  /** `isOpen`: items arrive by `feed` until `close`. */
  constructor(store: BatchStore, batch: string, lease: Lease | null = null, isOpen = false) {
    this.store = store
    this.batch = batch
    this.lease = lease
    this.#isOpen = isOpen
  }

  /** Items that have just been stored at the end of the batch. */
  feed(items: readonly OpenItem[]): void {
    const left = this.page.length - this.at
    const follows = items[0]?.index === this.cursor + 1
    if (!follows || left + items.length > MOST_FED) {
      this.isBehind = true
      return
    }
    this.page = [...this.page.slice(this.at), ...items]
    this.at = 0
    this.cursor = items.at(-1)?.index ?? this.cursor
  }

  /** Items that were fed and not yet given. */
  get backlog(): number {
    return this.page.length - this.at
  }

  /** No more items arrive. */
  close(): void {
    this.#isOpen = false
  }

  /** More items may arrive at the end of the batch. */
  get isOpen(): boolean {
    return this.#isOpen
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
        if (this.isLast || (this.#isOpen && !this.isBehind)) return null
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
    if (this.cursor !== cursor) return
    this.page = page
    this.at = 0
    this.cursor = page.at(-1)?.index ?? cursor
    this.isBehind = page.length === PAGE
    this.isLast = !this.isBehind && !this.#isOpen
    for (const index of this.early) if (index < (this.page[0]?.index ?? 0)) this.early.delete(index)
  }
}
