import type { OpenItem } from '../../ports/batch-ports.ts'
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
