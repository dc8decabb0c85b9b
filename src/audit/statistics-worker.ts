import { Worker } from 'node:worker_threads'
import type { StatisticName, Statistics, ThreadJob, ThreadReply } from './statistics-thread.ts'

/** Statistics that take seconds, in a thread of their own: the event loop stays free. One at a time, the others wait in a queue. */
export interface StatisticsWorker {
  /** Rejects with a StatisticsError where it is stopped or too many wait. */
  run<Name extends StatisticName>(
    name: Name,
    input: Parameters<Statistics[Name]>[0],
  ): Promise<ReturnType<Statistics[Name]>>
  /** Ends the thread; whatever is asked or waits is rejected as `stopped`. */
  close(): Promise<void>
}

export class StatisticsError extends Error {
  readonly code: 'stopped' | 'busy' | 'crashed'

  constructor(code: StatisticsError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Each holds its input in memory. */
export const MOST_WAITING = 16
/** An input that needs more than this ends the thread, not the service. */
const HEAP_MB = 1024

interface Asked {
  readonly name: StatisticName
  readonly input: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

export function createStatisticsWorker(): StatisticsWorker {
  const waiting: Asked[] = []
  let thread: Worker | null = null
  let asked: Asked | null = null
  let closed = false
  let id = 0

  /** Started by the first that needs it; it does not keep the process alive. */
  function start(): Worker {
    const worker = new Worker(new URL('./statistics-thread.ts', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    worker.unref()
    worker.on('message', (reply: ThreadReply) => {
      if (worker === thread && reply.id === id) settle(reply)
    })
    worker.on('error', () => lose(worker))
    worker.on('exit', () => lose(worker))
    return worker
  }

  function settle(reply: ThreadReply): void {
    const done = asked
    asked = null
    if (reply.ok) done?.resolve(reply.value)
    else done?.reject(new Error(reply.message))
    next()
  }

  /** Out of memory, say: the one that was being computed fails, the next gets a new thread. */
  function lose(worker: Worker): void {
    if (worker !== thread) return
    thread = null
    const lost = asked
    asked = null
    lost?.reject(new StatisticsError('crashed', 'the thread that computes statistics ended'))
    next()
  }

  function next(): void {
    if (asked !== null || closed) return
    asked = waiting.shift() ?? null
    if (asked === null) return
    thread ??= start()
    const { name, input } = asked
    thread.postMessage({ id: ++id, name, input } satisfies ThreadJob)
  }

  return {
    run: (name, input) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(stopped())
        if (waiting.length >= MOST_WAITING)
          return reject(new StatisticsError('busy', 'too many statistics are asked for'))
        waiting.push({ name, input, resolve: (value) => resolve(value as ReturnType<Statistics[typeof name]>), reject })
        next()
      }),
    async close() {
      closed = true
      const worker = thread
      thread = null
      for (const one of [asked, ...waiting.splice(0)]) one?.reject(stopped())
      asked = null
      await worker?.terminate()
    },
  }
}

const stopped = (): StatisticsError => new StatisticsError('stopped', 'the service is stopping')
