import PQueue from 'p-queue'
import type { Chunk } from '../db/batches.ts'
import type { Clock } from '../domain/clock.ts'

/** A chunk of at most sixteen items of one judge; `chunk` null: the questions that its provider answers, to be sent, looked for and stored. */
export type Job = Omit<Chunk, 'chunk'> & { readonly chunk: number | null }

/** Does a job; returns the milliseconds until the job is to be done again, or null: the job is done. */
export type DoJob = (job: Job, signal: AbortSignal) => Promise<number | null>

/** The jobs of batches. */
export interface Jobs {
  /** Puts jobs into the queues of their judges. A job that waits already is left alone; a job that runs is done once more: it may have seen the state before. */
  add(jobs: readonly Job[]): Promise<void>
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
  /** The jobs that wait or run, by their keys. `isAdded`: the job was added since its run began. */
  const open = new Map<string, { readonly batch: string; isAdded: boolean; done: Promise<void> }>()
  const stopping = new AbortController()
  const { signal } = stopping
  let doJob: DoJob = async () => null

  async function repeat(job: Job, queue: PQueue, state: { isAdded: boolean }): Promise<void> {
    const once = async () => {
      state.isAdded = false
      return signal.aborted ? null : doJob(job, signal)
    }
    for (let again: number | null = 0; again !== null || state.isAdded; ) {
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
        const known = open.get(key)
        if (known !== undefined) known.isAdded = true
        if (queue === undefined || known !== undefined || signal.aborted) continue
        const state = { batch, isAdded: false, done: Promise.resolve() }
        open.set(key, state)
        const done = repeat(job, queue, state).catch(() => undefined)
        state.done = done.finally(() => open.delete(key))
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
