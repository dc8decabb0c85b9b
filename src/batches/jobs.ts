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

/** Creates the jobs of one process: that of the run lock of an SQLite file. */
export function createLocalJobs(chunksAtOnce: (judge: string) => number, clock: Clock): Jobs {
  const queues = new Map<string, PQueue>()
  /** The jobs that wait or run, by their keys, each with its batch. */
  const jobs = new Map<string, { readonly batch: string; readonly done: Promise<void> }>()
  const stopping = new AbortController()
  const { signal } = stopping
  let handlers: JobHandlers | null = null

  /** Starts a job of a judge that this process has, unless the job waits or runs already. */
  function add({ batch, judge }: Poll, name: number | 'poll', work: (queue: PQueue) => Promise<void>): void {
    const queue = queues.get(judge)
    const key = `${batch} ${name} ${judge}`
    if (queue === undefined || jobs.has(key) || signal.aborted) return
    const done = work(queue)
      .catch(() => undefined)
      .finally(() => jobs.delete(key))
    jobs.set(key, { batch, done })
  }

  return {
    async addChunks(chunks) {
      const run = async (chunk: Chunk) => (signal.aborted ? undefined : handlers?.runChunk(chunk, signal))
      // The beginnings of all batches come first.
      for (const chunk of chunks)
        add(chunk, chunk.chunk, (queue) => queue.add(() => run(chunk), { priority: -chunk.chunk }))
    },
    async addPoll(poll, delay_ms) {
      add(poll, 'poll', async () => {
        for (let next: number | null = delay_ms; next !== null && !signal.aborted; ) {
          await clock.sleep(next, signal).catch(() => undefined)
          if (!signal.aborted) next = (await handlers?.poll(poll)) ?? null
        }
      })
    },
    busy: async () => new Set([...jobs.values()].map(({ batch }) => batch)),
    async start(judges, given) {
      handlers = given
      for (const judge of judges) queues.set(judge, new PQueue({ concurrency: chunksAtOnce(judge) }))
    },
    async stop() {
      stopping.abort()
      while (jobs.size > 0) await Promise.all([...jobs.values()].map(({ done }) => done))
    },
  }
}
