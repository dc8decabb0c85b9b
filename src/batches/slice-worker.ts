import type { Lane } from '../asking/lane/lane.ts'
import type { Clock } from '../ports/ports.ts'
import { SLICE_ITEMS } from '../ports/slice-ports.ts'
import { createNotifier, type Notifier } from './run/notifier.ts'
import type { Load } from './run/slice-source.ts'

interface SliceWorkerDeps {
  readonly judges: Iterable<string>
  readonly laneOf: (judge: string) => Lane
  /** What this process holds of a judge; of providers’ batches with null. */
  readonly load: (judge: string | null) => Load
  /** Takes up to so many free slices: what was taken counts in `load` by then. Null: there are none. Never rejects. */
  readonly take: (judge: string | null, most: number) => Promise<number | null>
  readonly clock: Clock
}

/** How long a worker with free capacity waits where there was no work; engines tell of more. */
const IDLE_MS = 10_000
const ROOM_MS = 200
const MOST_AT_ONCE = 8
/** Items of a judge; batches at providers, which hardly cost anything here. */
const MOST_HELD = 1024
const MOST_WHOLE = 64

/** One judge’s work. */
interface Place {
  readonly capacity: Notifier
  readonly work: Notifier
}

/** Takes, for each judge, as much work as keeps its lane busy, and one slice more. */
export class SliceWorker {
  private readonly deps: SliceWorkerDeps
  private readonly stopping = new AbortController()
  private readonly places: Place[] = []
  private readonly busy: Promise<void>[] = []

  constructor(deps: SliceWorkerDeps) {
    this.deps = deps
  }

  start(): void {
    const { clock, judges } = this.deps
    for (const judge of [null, ...judges]) {
      const place: Place = { capacity: createNotifier(clock), work: createNotifier(clock) }
      this.places.push(place)
      this.busy.push(this.draw(judge, place))
    }
  }

  /** There may be capacity for more. */
  notifyCapacity(): void {
    for (const { capacity } of this.places) capacity.notify()
  }

  /** There may be more work. */
  notifyWork(): void {
    for (const { work } of this.places) work.notify()
  }

  /** Resolves once nothing more is taken. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.notifyCapacity()
    this.notifyWork()
    await Promise.all(this.busy)
  }

  private async draw(judge: string | null, place: Place): Promise<void> {
    while (!this.stopping.signal.aborted) await this.drawOnce(judge, place)
  }

  private async drawOnce(judge: string | null, place: Place): Promise<void> {
    const most = Math.min(MOST_AT_ONCE, this.capacity(judge))
    if (most <= 0) return place.capacity.wait(ROOM_MS)
    const taken = await this.deps.take(judge, most)
    // Others were quicker, and there may be more.
    if (taken === 0) return place.capacity.wait(ROOM_MS)
    if (taken === null && !this.stopping.signal.aborted) await place.work.wait(IDLE_MS)
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
