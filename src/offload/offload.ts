import { type Transferable, Worker } from 'node:worker_threads'

/** Pure work that is too long for the main thread, done by a thread of its own. */
interface Offload<Input, Output> {
  /**
   * In the order of the calls, one at a time; the input is made when its turn comes. Rejects where the work throws, where it takes too long, and
   * where the thread dies: then only this call is lost. What is in `given` is the thread’s from then on.
   */
  run(make: () => Input, given?: readonly Transferable[]): Promise<Output>
}

/** The thread died, took too much memory or ran out of time: its call came to nothing, and the code is not known to be at fault. */
export class ThreadLost extends Error {}

/** A thread that nobody needs gives its memory back. */
const IDLE_MS = 30_000
/** One that takes more dies, and its call with it. */
const HEAP_MB = 768
/** Of what it just made. Left to itself, a thread that works on large texts grows this to some hundred megabytes and keeps them. */
const YOUNG_MB = 16

/** Work that takes longer ends with its thread: what waits behind it has its turn. */
const MOST_MS = 60_000

interface Waiting<Input, Output> {
  readonly make: () => Input
  readonly given: readonly Transferable[]
  resolve(output: Output): void
  reject(error: unknown): void
}

/**
 * `module`: a file that calls `serveOffload`. Input and output are copied between the threads, so they are plain data. The thread is started with
 * the first call, and keeps no process alive.
 */
export function createOffload<Input, Output>(module: URL, most_ms = MOST_MS): Offload<Input, Output> {
  const queue: Waiting<Input, Output>[] = []
  let worker: Worker | null = null
  let current: Waiting<Input, Output> | null = null
  let idle: NodeJS.Timeout | undefined
  let late: NodeJS.Timeout | undefined

  const settle = (tell: (waiting: Waiting<Input, Output>) => void) => {
    clearTimeout(late)
    const waiting = current
    current = null
    if (waiting !== null) tell(waiting)
    next()
  }
  const start = (): Worker => {
    const started = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    })
    const gone = (error: unknown) => {
      if (worker !== started) return
      worker = null
      settle((waiting) => waiting.reject(error))
    }
    started.on('message', (answer: Answer<Output>) => {
      if (worker !== started) return
      settle((waiting) =>
        'output' in answer ? waiting.resolve(answer.output) : waiting.reject(new Error(answer.error)),
      )
    })
    started.once('error', (error) => gone(isOutOfMemory(error) ? new ThreadLost(error.message) : error))
    started.once('exit', (code) => gone(new ThreadLost(`a thread of the service ended with ${code}`)))
    return started
  }
  const next = () => {
    clearTimeout(idle)
    if (current !== null) return
    current = queue.shift() ?? null
    if (current === null) {
      worker?.unref()
      idle = setTimeout(() => {
        const old = worker
        worker = null
        void old?.terminate()
      }, IDLE_MS).unref()
      return
    }
    worker ??= start()
    worker.ref()
    try {
      worker.postMessage(current.make(), current.given)
      const asked = worker
      late = setTimeout(() => {
        // What comes next gets a thread of its own: nothing is sent to one that is ending.
        if (worker === asked) worker = null
        void asked.terminate()
        settle((waiting) => waiting.reject(new ThreadLost(`a thread of the service took more than ${most_ms} ms`)))
      }, most_ms)
    } catch (error) {
      settle((waiting) => waiting.reject(error))
    }
  }
  return {
    run: (make, given = []) =>
      new Promise((resolve, reject) => {
        queue.push({ make, given, resolve, reject })
        next()
      }),
  }
}

const isOutOfMemory = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

export type Answer<Output> = { readonly output: Output } | { readonly error: string }
