import PQueue from 'p-queue'
import type { Sql } from '../db/db.ts'
import type { Chunk } from '../db/items.ts'
import type { Clock } from '../domain/clock.ts'

/** A chunk of at most sixteen items of one judge; `chunk` null: the questions that its provider answers, to be sent, looked for and stored. */
export type Job = Omit<Chunk, 'chunk'> & { readonly chunk: number | null }

/** Does a job; returns the milliseconds until the job is to be done again, or null: the job is done. */
export type DoJob = (job: Job, signal: AbortSignal) => Promise<number | null>

/** The jobs of batches. */
export interface Jobs {
  /** Puts jobs into the queues of their judges, in a unit of work where one is given; a job that waits or runs already is left alone. */
  add(jobs: readonly Job[], sql?: Sql): Promise<void>
  /** Lists the batches whose jobs wait or run. */
  busy(): Promise<ReadonlySet<string>>
  /** Works on jobs of these judges. */
  start(judges: readonly string[], doJob: DoJob): Promise<void>
  /** Begins no job; resolves once no job runs here. */
  stop(): Promise<void>
}

/** Creates the jobs of one process: that of the run lock of an SQLite file. */
export function createLocalJobs(chunksAtOnce: (judge: string) => number, clock: Clock): Jobs {
  const queues = new Map<string, PQueue>()
  /** The jobs that wait or run, by their keys, each with its batch. */
  const open = new Map<string, { readonly batch: string; readonly done: Promise<void> }>()
  const stopping = new AbortController()
  const { signal } = stopping
  let doJob: DoJob = async () => null

  async function repeat(job: Job, queue: PQueue): Promise<void> {
    const once = async () => (signal.aborted ? null : doJob(job, signal))
    for (let again: number | null = 0; again !== null; ) {
      // The beginnings of all batches come first; a provider takes no place of a chunk.
      again = await (job.chunk === null ? once() : queue.add(once, { priority: -job.chunk }))
      if (again !== null) await clock.sleep(again, signal)
    }
  }

  return {
    async add(jobs) {
      for (const job of jobs) {
        const { batch, judge, chunk } = job
        const queue = queues.get(judge)
        const key = `${batch} ${chunk} ${judge}`
        if (queue === undefined || open.has(key) || signal.aborted) continue
        const done = repeat(job, queue).catch(() => undefined)
        open.set(key, { batch, done: done.finally(() => open.delete(key)) })
      }
    },
    busy: async () => new Set([...open.values()].map(({ batch }) => batch)),
    async start(judges, given) {
      doJob = given
      for (const judge of judges) queues.set(judge, new PQueue({ concurrency: chunksAtOnce(judge) }))
    },
    async stop() {
      stopping.abort()
      while (open.size > 0) await Promise.all([...open.values()].map(({ done }) => done))
    },
  }
}
