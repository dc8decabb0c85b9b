import PQueue from 'p-queue'
import { once } from '../domain/result.ts'
import type { JudgeReply } from '../judges/judge.ts'

/** Bounds of the calls of a judge at once, and their number at the beginning. The ledger holds to `max` over all processes. */
export type LaneSettings = Readonly<Record<'initial' | 'min' | 'max', number>>

/** The priority of a call in the lane: a caller waits for a single request. */
export const PRIORITY = { single: 1, batch: 0 } as const

/**
 * The calls of one judge in this process. A call holds its slot from the reservation to the stored reply. The number of slots halves where the judge
 * refuses for its rate, and grows by one after as many good replies as there are slots. A PostgreSQL is asked for the turns of few calls at once: the
 * row of the judge lets one call through after the other anyway, and replies need connections, too.
 */
export class Lane {
  readonly settings: LaneSettings
  private readonly queue: PQueue
  /** The most slots whose calls the ledger has not admitted. */
  private readonly mostAsking: number
  /** Calls in slots that the ledger has admitted. */
  private admitted = 0
  /** Ends the pauses of calls that the limit of the judge has refused, the oldest first. */
  private readonly pauses: AbortController[] = []
  private limit: number
  /** Good replies since the last change of the limit. */
  private successes = 0
  /** Retries that are left to all questions of the judge. */
  private retries = 10
  /** The end of the rest of a judge that does not answer, as the ledger last told; milliseconds since the epoch. */
  restsUntil = 0
  /** Counts the halvings: a call that began before the last halving says nothing about the new limit. */
  private generation = 0

  constructor({ initial, min, max }: LaneSettings, mostAsking = Number.POSITIVE_INFINITY) {
    const least = Math.max(1, Math.floor(min))
    const most = Math.max(least, Math.floor(max))
    this.limit = Math.min(most, Math.max(least, Math.floor(initial)))
    this.settings = { initial: this.limit, min: least, max: most }
    this.mostAsking = mostAsking
    this.queue = new PQueue({ concurrency: Math.min(this.limit, mostAsking) })
  }

  /** The calls that may be in flight, those in flight, and those that wait for a slot. */
  get state() {
    return { limit: this.limit, in_flight: this.queue.pending, waiting: this.queue.size }
  }

  /** Runs the work in a slot, by priority. Rejects where the signal aborts before that. `admit` lets the next call ask. */
  run<T>(priority: number, work: (admit: () => void) => Promise<T>, signal?: AbortSignal): Promise<T> {
    // The queue would reject at an abort while the work runs.
    const waiting = new AbortController()
    const leave = () => waiting.abort(signal?.reason)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave)
    const stay = () => signal?.removeEventListener('abort', leave)
    const begin = async () => {
      stay()
      let admitted = 0
      const admit = () => {
        admitted = 1
        this.count(1)
      }
      try {
        return await work(admit)
      } finally {
        this.count(-admitted)
        if (admitted > 0) this.pauses.shift()?.abort()
      }
    }
    return this.queue.add(begin, { priority, signal: waiting.signal }).finally(stay)
  }

  /** Waits in a slot until a call of this process has ended, or for the sleep: a full judge is not asked by every call that waits for its limit. */
  async pause(sleep: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const pause = new AbortController()
    this.pauses.push(pause)
    await sleep(pause.signal).catch(() => undefined)
    const at = this.pauses.indexOf(pause)
    if (at >= 0) this.pauses.splice(at, 1)
  }

  /** Earns a share of a retry for the first call of a question, so that an outage is not answered with a multiple of the load that caused it. */
  earnRetry(): void {
    this.retries = Math.min(50, this.retries + 0.2)
  }

  /** Takes a retry; false where none is left. */
  spendRetry(): boolean {
    const isLeft = this.retries >= 1
    if (isLeft) this.retries -= 1
    return isLeft
  }

  private count(change: number): void {
    this.admitted += change
    this.queue.concurrency = Math.min(this.limit, this.admitted + this.mostAsking)
  }

  /** Returns the function that tells the lane the reply of a call which begins now. */
  begin(): (reply: JudgeReply) => void {
    const { generation } = this
    return (reply) => {
      if (generation !== this.generation) return
      if (reply.ok) this.succeed()
      else if (reply.failure.code === 'rate_limited') this.halve()
    }
  }

  private succeed(): void {
    const isFull = this.queue.pending >= this.limit
    if (!isFull || this.limit === this.settings.max) return
    this.successes += 1
    if (this.successes >= this.limit) this.set(this.limit + 1)
  }

  private halve(): void {
    this.generation += 1
    this.set(Math.max(this.settings.min, Math.floor(this.limit / 2)))
  }

  private set(limit: number): void {
    this.limit = limit
    this.successes = 0
    this.count(0)
  }
}

export type InFlight = ReturnType<typeof createInFlight>

/** Tracks work that goes on without its client: a call of a judge is paid for, so a stop waits until its result is stored. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>()
  return {
    track<T>(work: Promise<T>): Promise<T> {
      running.add(work)
      void work.catch(() => undefined).then(() => running.delete(work))
      return work
    },
    /** Resolves once no work is in flight. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** Items in work for each call in flight: the others are stored, read or repaired meanwhile. */
export const ITEMS_PER_CALL = 1.5

/** Opens the queues of items in work, one for each judge: a few more items than calls, and at most `most`. */
export const openQueues = (laneOf: (judge: string) => Lane, most: number | null) =>
  once((judge: string) => {
    const items = Math.ceil(ITEMS_PER_CALL * laneOf(judge).settings.max)
    return new PQueue({ concurrency: Math.min(items, most ?? items) })
  })
