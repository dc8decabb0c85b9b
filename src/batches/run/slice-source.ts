import type { OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'
import type { Slice } from '../../ports/slice-ports.ts'
import { ItemSource } from './item-source.ts'

/** A slice with its lease. */
export interface HeldSlice {
  readonly slice: Slice
  readonly lease: Lease
}

interface Working extends HeldSlice {
  /** Not ended yet. */
  readonly open: Set<number>
  flying: number
}

/** The items of a judge in this process. */
export interface Load {
  /** Items in flight, and those that could be. */
  readonly ready: number
  /** All items, those that wait too. */
  readonly held: number
  /** The items that the lane would have in flight for the batches of this process. */
  readonly wanted: number
}

export const NO_LOAD: Load = { ready: 0, held: 0, wanted: 0 }

export const addLoads = (one: Load, other: Load): Load => ({
  ready: one.ready + other.ready,
  held: one.held + other.held,
  wanted: one.wanted + other.wanted,
})

interface SliceSourceDeps {
  /** Tells other processes the items in flight of the slice. */
  readonly note: (lease: Lease, inFlight: number) => void
  /** Every item of the slice has ended. */
  readonly onDone: (slice: HeldSlice) => void
}

/**
 * Gives the items of the held slices of one batch; the other items of a trajectory come after its first, as in `ItemQueue`. A lost slice takes
 * its items along; an item in flight under a lost lease ends by itself and counts for nothing.
 */
export class SliceSource extends ItemSource {
  private readonly deps: SliceSourceDeps
  private readonly slices = new Map<Lease, Working>()
  /** Leases by item object: an item of a slice that was lost and taken again may still be in flight under the old lease. */
  private readonly leases = new WeakMap<OpenItem, Lease>()
  private fresh: OpenItem[] = []

  constructor(deps: SliceSourceDeps) {
    super()
    this.deps = deps
  }

  add(held: HeldSlice, items: readonly OpenItem[]): void {
    const { lease } = held
    this.slices.set(lease, { ...held, open: new Set(items.map(({ index }) => index)), flying: 0 })
    for (const item of items) this.leases.set(item, lease)
    this.fresh.push(...items)
    lease.lost.addEventListener('abort', () => this.lose(lease), { once: true })
    if (lease.lost.aborted) this.lose(lease)
  }

  load(judge: string): Omit<Load, 'wanted'> {
    let [flying, held] = [0, 0]
    for (const slice of this.slices.values()) {
      if (slice.slice.judge !== judge) continue
      flying += slice.flying
      held += slice.open.size
    }
    // The first item of a trajectory goes, and the others wait.
    const able = new Set<string>()
    for (const item of this.fresh) if (this.isOf(item, judge)) able.add(item.trajectory)
    for (const trajectory of this.led) able.delete(trajectory)
    return { ready: flying + able.size, held }
  }

  override async next(now: number): Promise<OpenItem | null> {
    const item = await super.next(now)
    if (item !== null) this.count(item, 1)
    return item
  }

  override putBack(item: OpenItem, due: number): void {
    if (this.count(item, -1) !== null) super.putBack(item, due)
  }

  /** Forgets the items that have not begun. */
  skipRest(): void {
    this.fresh = []
  }

  end(item: OpenItem): void {
    const slice = this.count(item, -1)
    if (slice === null) return
    slice.open.delete(item.index)
    if (slice.open.size > 0) return
    this.slices.delete(slice.lease)
    this.deps.onDone(slice)
  }

  release(item: OpenItem): void {
    this.count(item, -1)
  }

  async gather({ trajectory }: OpenItem): Promise<void> {
    this.led.delete(trajectory)
    const [near, far]: [OpenItem[], OpenItem[]] = [[], []]
    for (const item of this.fresh) (item.trajectory === trajectory ? near : far).push(item)
    this.fresh = [...near, ...far]
  }

  leaseOf(item: OpenItem): Lease {
    const lease = this.leases.get(item)
    if (lease === undefined) throw new Error(`item ${item.index} of ${item.batch} is of no slice that was held here`)
    return lease
  }

  /** Forgets all slices and returns them. */
  drain(): readonly HeldSlice[] {
    const rest = [...this.slices.values()]
    this.slices.clear()
    this.fresh = []
    this.forgetWaiting(() => true)
    return rest
  }

  protected hasFresh(): boolean {
    return this.fresh.length > 0
  }

  protected async nextFresh(): Promise<OpenItem | null> {
    const at = this.fresh.findIndex(({ trajectory }) => !this.led.has(trajectory))
    return at === -1 ? null : (this.fresh.splice(at, 1)[0] ?? null)
  }

  private isOf(item: OpenItem, judge: string): boolean {
    return this.slices.get(this.leaseOf(item))?.slice.judge === judge
  }

  private count(item: OpenItem, by: number): Working | null {
    const slice = this.slices.get(this.leaseOf(item))
    if (slice === undefined) return null
    slice.flying += by
    this.deps.note(slice.lease, slice.flying)
    return slice
  }

  private lose(lease: Lease): void {
    const slice = this.slices.get(lease)
    if (slice === undefined) return
    this.slices.delete(lease)
    const isLost = (item: OpenItem) => this.leases.get(item) === lease
    this.fresh = this.fresh.filter((item) => !isLost(item))
    this.forgetWaiting(isLost)
  }
}
