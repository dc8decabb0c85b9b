import PQueue from 'p-queue'
import type { Sql } from '../db/db.ts'
import type { Chunk } from '../db/items.ts'
import type { Clock } from '../ports/clock.ts'

/** The questions of a batch that a judge’s provider answers: to be sent, looked for, and stored. */
export interface Poll {
  readonly batch: string
  readonly judge: string
}

/** The work of jobs. */
export interface JobHandlers {
  /** Grades the open items of a chunk. Rejects where the database refuses: the chunk runs again later. */
  runChunk(chunk: Chunk, signal: AbortSignal): Promise<void>
  /** Moves a poll a step further; returns the milliseconds to the next step, or null: nothing lies with the provider any more. */
  poll(poll: Poll): Promise<number | null>
}

/** The jobs of batches: a chunk of at most sixteen items of one judge, or a poll of a provider. */
export interface Jobs {
  /** Puts chunks into the queues of their judges; a chunk that waits or runs already is left alone. `sql`: the unit of work that the jobs belong to. */
  addChunks(chunks: readonly Chunk[], sql?: Sql): Promise<void>
  /** Puts a poll into the queue of its judge; a poll that waits already is left alone. */
  addPoll(poll: Poll, delay_ms: number): Promise<void>
  /** Lists the batches whose jobs wait or run. */
  busy(): Promise<ReadonlySet<string>>
  /** Works on jobs of these judges. */
  start(judges: readonly string[], handlers: JobHandlers): Promise<void>
  /** Begins no job; resolves once no job runs here. */
  stop(): Promise<void>
}

const keyOf = ({ batch, chunk, judge }: Chunk): string => `${batch} ${chunk} ${judge}`

/** The jobs of one process: that of the run lock of an SQLite file. */
export class LocalJobs implements Jobs {
  private readonly chunksAtOnce: (judge: string) => number
  private readonly clock: Clock
  private readonly queues = new Map<string, PQueue>()
  /** The batches of the jobs that wait or run, by the keys of the jobs. */
  private readonly batches = new Map<string, string>()
  private readonly running = new Set<Promise<void>>()
  private readonly stopping = new AbortController()
  private handlers: JobHandlers | null = null

  constructor(chunksAtOnce: (judge: string) => number, clock: Clock) {
    this.chunksAtOnce = chunksAtOnce
    this.clock = clock
  }

  async addChunks(chunks: readonly Chunk[]): Promise<void> {
    for (const chunk of chunks) {
      const queue = this.queues.get(chunk.judge)
      if (queue === undefined) continue
      // The beginnings of all batches come first.
      const run = () => queue.add(() => this.runChunk(chunk), { priority: -chunk.chunk })
      this.track(keyOf(chunk), chunk.batch, run)
    }
  }

  async addPoll(poll: Poll, delay_ms: number): Promise<void> {
    if (!this.queues.has(poll.judge)) return
    this.track(`${poll.batch} poll ${poll.judge}`, poll.batch, () => this.keepPolling(poll, delay_ms))
  }

  async busy(): Promise<ReadonlySet<string>> {
    return new Set(this.batches.values())
  }

  async start(judges: readonly string[], handlers: JobHandlers): Promise<void> {
    this.handlers = handlers
    for (const judge of judges) this.queues.set(judge, new PQueue({ concurrency: this.chunksAtOnce(judge) }))
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    while (this.running.size > 0) await Promise.all(this.running)
  }

  private track(key: string, batch: string, work: () => Promise<void>): void {
    if (this.batches.has(key) || this.stopping.signal.aborted) return
    this.batches.set(key, batch)
    const done = work()
      .catch(() => undefined)
      .finally(() => {
        this.batches.delete(key)
        this.running.delete(done)
      })
    this.running.add(done)
  }

  private async runChunk(chunk: Chunk): Promise<void> {
    const { signal } = this.stopping
    if (!signal.aborted) await this.handlers?.runChunk(chunk, signal)
  }

  private async keepPolling(poll: Poll, delay_ms: number): Promise<void> {
    const { signal } = this.stopping
    for (let next: number | null = delay_ms; next !== null && !signal.aborted; ) {
      await this.clock.sleep(next, signal).catch(() => undefined)
      if (!signal.aborted) next = (await this.handlers?.poll(poll)) ?? null
    }
  }
}
