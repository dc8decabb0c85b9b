import type { Lane } from '../../asking/lane/lane.ts'
import type { Clock } from '../../ports/ports.ts'
import { SLICE_ITEMS } from '../../ports/slice-ports.ts'
import { createNotifier, type Notifier } from '../run/notifier.ts'
import type { Load } from './slice-source.ts'

export interface SliceWorkerDeps {
  readonly judges: Iterable<string>
  readonly laneOf: (judge: string) => Lane
  /** What all projects of this process hold of a judge; of providers’ batches with null. */
  readonly load: (judge: string | null) => Load
  /** Takes up to so many slices that nobody holds; answers how many there seemed to be. What was taken counts in `load` by then. */
  readonly take: (judge: string | null, most: number) => Promise<number>
  readonly clock: Clock
  readonly onTrouble: (error: unknown) => void
}

/** How long a worker with free capacity waits where there was no work and no notice: the longer the more often there was none. */
const POLL_MS = 250
const MOST_POLL_MS = 10_000
const AGAIN_MS = 2_000
const ROOM_MS = 200
const MOST_AT_ONCE = 8
/** Items of a judge; batches at providers, which hardly cost anything here. */
const MOST_HELD = 1024
const MOST_WHOLE = 64

/** One judge’s work. */
interface Place {
  readonly capacity: Notifier
  readonly work: Notifier
  poll_ms: number
  hasFailed: boolean
}

/** Takes, for each judge, as much work as keeps its lane busy, and one slice more. */
export class SliceWorker {
  private readonly deps: SliceWorkerDeps
  private readonly stopping = new AbortController()
  private readonly places = new Map<string | null, Place>()
  private readonly busy: Promise<void>[] = []

  constructor(deps: SliceWorkerDeps) {
    this.deps = deps
  }

  start(): void {
    for (const judge of [null, ...this.deps.judges]) this.begin(judge)
  }

  /** There may be capacity for more. */
  notifyCapacity(): void {
    for (const { capacity } of this.places.values()) capacity.notify()
  }

  /** There may be more work. */
  notifyWork(): void {
    for (const { work } of this.places.values()) work.notify()
  }

  /** Resolves once nothing more is taken. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.notifyCapacity()
    this.notifyWork()
    await Promise.all(this.busy)
  }

  private begin(judge: string | null): void {
    if (this.places.has(judge)) return
    const [capacity, work] = [createNotifier(this.deps.clock), createNotifier(this.deps.clock)]
    const place: Place = { capacity, work, poll_ms: POLL_MS, hasFailed: false }
    this.places.set(judge, place)
    this.busy.push(this.draw(judge, place))
  }

  private async draw(judge: string | null, place: Place): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.drawOnce(judge, place)
        place.hasFailed = false
      } catch (error) {
        // Once, for as long as it lasts.
        if (!place.hasFailed) this.deps.onTrouble(error)
        place.hasFailed = true
        await this.deps.clock.sleep(AGAIN_MS, this.stopping.signal).catch(() => undefined)
      }
    }
  }

  private async drawOnce(judge: string | null, place: Place): Promise<void> {
    const most = Math.min(MOST_AT_ONCE, this.capacity(judge))
    if (most <= 0) return place.capacity.wait(ROOM_MS)
    if ((await this.deps.take(judge, most)) > 0) {
      place.poll_ms = POLL_MS
      return
    }
    if (!this.stopping.signal.aborted) await place.work.wait(place.poll_ms)
    place.poll_ms = Math.min(MOST_POLL_MS, place.poll_ms * 2)
  }

  /** Slices that there is capacity for. */
  private capacity(judge: string | null): number {
    const { ready, held, wanted } = this.deps.load(judge)
    if (judge === null) return Math.min(1, MOST_WHOLE - held)
    if (held >= MOST_HELD) return 0
    // A judge that is out is asked now and then: only that shows whether it is there again.
    if (this.deps.laneOf(judge).state().kind === 'out') return held === 0 ? 1 : 0
    return Math.ceil((Math.max(1, wanted) - ready) / SLICE_ITEMS)
  }
}
