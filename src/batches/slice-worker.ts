import type { Lane } from '../asking/lane/lane.ts'
import type { Clock } from '../ports/ports.ts'
import { SLICE_ITEMS } from '../ports/slice-ports.ts'
import { createNotifier, type Notifier } from './run/notifier.ts'
import type { Load } from './run/slice-source.ts'

interface SliceWorkerDeps {
  readonly judges: Iterable<string>
  readonly laneOf: (judge: string) => Lane
  /** Sums the items of a judge in this process; of providers’ batches with null. */
  readonly load: (judge: string | null) => Load
  /** Takes up to `most` free slices, which count in `load` from then on. Null: no slice is free. Never rejects. */
  readonly take: (judge: string | null, most: number) => Promise<number | null>
  readonly clock: Clock
}

/** The longest wait without work; engines tell of new work. */
const IDLE_MS = 10_000
const ROOM_MS = 200
const MOST_AT_ONCE = 8
/** Most items of a judge, and most batches at providers, which cost this process little. */
const MOST_HELD = 1024
const MOST_WHOLE = 64

/** The wake-ups of one judge. */
interface Place {
  readonly capacity: Notifier
  readonly work: Notifier
}

/** Takes, for each judge, the slices that keep its lane busy, and one slice more. */
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

  /** Looks for room now. */
  notifyCapacity(): void {
    for (const { capacity } of this.places) capacity.notify()
  }

  /** Looks for work now. */
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
    // Other processes were quicker, and more slices may be free.
    if (taken === 0) return place.capacity.wait(ROOM_MS)
    if (taken === null && !this.stopping.signal.aborted) await place.work.wait(IDLE_MS)
  }

  /** Counts the slices that this process has room for. */
  private capacity(judge: string | null): number {
    const { ready, held, wanted } = this.deps.load(judge)
    if (judge === null) return Math.min(1, MOST_WHOLE - held)
    if (held >= MOST_HELD) return 0
    // Only a call now and then shows whether a judge that was out is back.
    if (this.deps.laneOf(judge).state().kind === 'out') return held === 0 ? 1 : 0
    return Math.ceil((Math.max(1, wanted) - ready) / SLICE_ITEMS)
  }
}
