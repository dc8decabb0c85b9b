import PQueue from 'p-queue'
import type { Sql } from '../db/db.ts'
import type { Chunk } from '../db/items.ts'
import type { Clock } from '../domain/clock.ts'

/** The questions of a batch that a judge’s provider answers: to be sent, looked for, and stored. */
export interface Poll {
  readonly batch: string
  readonly judge: string
}

export interface JobHandlers {
  /** Grades the open items of a chunk. Rejects where the database refuses: the chunk runs again later. */
  runChunk(chunk: Chunk, signal: AbortSignal): Promise<void>
  /** Moves a poll a step further; returns the milliseconds to the next step, or null: nothing lies with the provider any more. */
  poll(poll: Poll): Promise<number | null>
}

/** The jobs of batches: a chunk of at most sixteen items of one judge, or a poll of a provider. */
export interface Jobs {
  /** Puts chunks into the queues of their judges; a chunk that waits or runs already is left alone. `sql`: the unit of work of the jobs. */
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

/** The jobs of one process: that of the run lock of an SQLite file. */
export class LocalJobs implements Jobs {
  private readonly chunksAtOnce: (judge: string) => number
  private readonly clock: Clock
  private readonly queues = new Map<string, PQueue>()
  /** The jobs that wait or run, by their keys, each with its batch. */
  private readonly jobs = new Map<string, { readonly batch: string; readonly done: Promise<void> }>()
  private readonly stopping = new AbortController()
  private handlers: JobHandlers | null = null

  constructor(chunksAtOnce: (judge: string) => number, clock: Clock) {
    this.chunksAtOnce = chunksAtOnce
    this.clock = clock
  }

  async addChunks(chunks: readonly Chunk[]): Promise<void> {
    const { signal } = this.stopping
    const run = async (chunk: Chunk) => (signal.aborted ? undefined : this.handlers?.runChunk(chunk, signal))
    // The beginnings of all batches come first.
    for (const chunk of chunks)
      this.add(chunk, chunk.chunk, (queue) => queue.add(() => run(chunk), { priority: -chunk.chunk }))
  }

  async addPoll(poll: Poll, delay_ms: number): Promise<void> {
    const { signal } = this.stopping
    this.add(poll, 'poll', async () => {
      for (let next: number | null = delay_ms; next !== null && !signal.aborted; ) {
        await this.clock.sleep(next, signal).catch(() => undefined)
        if (!signal.aborted) next = (await this.handlers?.poll(poll)) ?? null
      }
    })
  }

  async busy(): Promise<ReadonlySet<string>> {
    return new Set([...this.jobs.values()].map(({ batch }) => batch))
  }

  async start(judges: readonly string[], handlers: JobHandlers): Promise<void> {
    this.handlers = handlers
    for (const judge of judges) this.queues.set(judge, new PQueue({ concurrency: this.chunksAtOnce(judge) }))
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    while (this.jobs.size > 0) await Promise.all([...this.jobs.values()].map(({ done }) => done))
  }

  /** Starts a job of a judge that this process has, unless the job waits or runs already. */
  private add({ batch, judge }: Poll, name: number | 'poll', work: (queue: PQueue) => Promise<void>): void {
    const queue = this.queues.get(judge)
    const key = `${batch} ${name} ${judge}`
    if (queue === undefined || this.jobs.has(key) || this.stopping.signal.aborted) return
    const done = work(queue)
      .catch(() => undefined)
      .finally(() => this.jobs.delete(key))
    this.jobs.set(key, { batch, done })
  }
}
