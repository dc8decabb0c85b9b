import { type Transferable, Worker } from 'node:worker_threads'

/** Pure work that is kept from the main thread, done by worker threads. */
interface WorkerPool<Input, Output> {
  /**
   * Rejects where the work throws; with `WorkerLost` where it takes too long or too much memory, or ends its worker; with `WorkerGone` where it
   * was not begun, or can no longer be gone on with, because of what other work did.
   */
  run(make: () => Input, where?: Where): Promise<Done<Output>>
  /** The worker holds what work will go on with, and does not end for having nothing to do, until the answer is called. */
  hold(worker: Worker): () => void
  /** Workers at the most; those that are too many end where they have nothing to do. */
  resize(size: number): void
}

interface Where {
  /** What the worker has from then on, and no other: it is sent to one that does nothing else, and never again. */
  readonly given?: readonly Transferable[]
  /** That worker and no other: it holds what the work goes on with. */
  readonly only?: Worker
  /** That worker, if it lives. */
  readonly rather?: Worker | undefined
  /** Bytes that it works on. */
  readonly weight?: number
}

export interface Done<Output> {
  readonly output: Output
  readonly worker: Worker
}

/** The work took too much memory or time, or ended its worker: it came to nothing, and the code is not known to be at fault. */
export class WorkerLost extends Error {}

/** The worker was lost to other work. */
export class WorkerGone extends Error {}

/** A worker that is not needed gives its memory back. */
const IDLE_MS = 30_000
/** One that takes more dies, and its work with it. */
const HEAP_MB = 768
/** Of what it just made. Left to itself, a thread that works on large texts grows this to some hundred megabytes and keeps them. */
const YOUNG_MB = 8
/** Work that takes longer ends with its worker: what waits behind it has its turn elsewhere. */
const MOST_MS = 60_000
/** Messages sent to one worker at once: the second is begun without waiting for the main thread. */
const MOST_SENT = 2
/** Work that is sent, and answered, in one message, in pieces and bytes: what waits together is stored together, too. */
const MOST_TOGETHER = 32
const MOST_BYTES = 512 * 1024
/** Of work that says nothing of its own. */
const WEIGHT = 16 * 1024

interface Turn<Input, Output> {
  readonly make: () => Input
  readonly where: Where
  resolve(done: Done<Output>): void
  reject(error: unknown): void
}

interface Member<Input, Output> {
  readonly worker: Worker
  /** Messages, in this order; the first is under way. */
  readonly sent: Turn<Input, Output>[][]
  /** Which piece of its message the worker is at. */
  readonly place: Int32Array
  /** For this worker and no other. */
  readonly waiting: Turn<Input, Output>[]
  timer: NodeJS.Timeout | undefined
  /** Reasons to stay without work. */
  holds: number
}

export interface PoolOptions {
  readonly size?: number
  readonly most_ms?: number
}

/**
 * `module`: a file that calls `serveWorker`. Input and output are copied between the threads, so they are plain data. Workers are started when
 * there is work for them, and keep no process alive.
 */
export function createWorkerPool<Input, Output>(module: URL, options: PoolOptions = {}): WorkerPool<Input, Output> {
  const { most_ms = MOST_MS } = options
  let { size = 1 } = options
  const members: Member<Input, Output>[] = []
  const queue: Turn<Input, Output>[] = []
  /** What is asked for in one turn of the event loop is sent together. */
  let isDue = false

  const remove = (member: Member<Input, Output>): boolean => {
    const at = members.indexOf(member)
    if (at !== -1) members.splice(at, 1)
    clearTimeout(member.timer)
    return at !== -1
  }
  const lose = (member: Member<Input, Output>, error: unknown) => {
    if (!remove(member)) return
    void member.worker.terminate()
    const guilty = member.sent[0]?.[Atomics.load(member.place, 0)]
    guilty?.reject(error)
    for (const turn of [...member.sent.flat(), ...member.waiting])
      if (turn !== guilty) turn.reject(new WorkerGone('a worker was lost to other work'))
    dispatch()
  }
  const start = (): Member<Input, Output> => {
    const place = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(module, {
      workerData: place,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    })
    const member: Member<Input, Output> = { worker, sent: [], place, waiting: [], timer: undefined, holds: 0 }
    worker.on('message', (answers: readonly Answer<Output>[]) => {
      const turns = members.includes(member) ? member.sent.shift() : undefined
      if (turns === undefined) return
      watch(member)
      for (const [index, answer] of answers.entries())
        if ('output' in answer) turns[index]?.resolve({ output: answer.output, worker })
        else turns[index]?.reject(new Error(answer.error))
      dispatch()
    })
    worker.once('messageerror', () => lose(member, new WorkerLost('an answer of a worker could not be read')))
    worker.once('error', (error) => lose(member, isOutOfMemory(error) ? new WorkerLost(error.message) : error))
    worker.once('exit', (code) => lose(member, new WorkerLost(`a worker ended with ${code}`)))
    members.push(member)
    return member
  }
  /** Bounds the time of what is under way, or that of doing nothing. */
  const watch = (member: Member<Input, Output>) => {
    clearTimeout(member.timer)
    if (member.sent.length > 0) {
      member.timer = setTimeout(() => lose(member, new WorkerLost(`work took more than ${most_ms} ms`)), most_ms)
      member.worker.ref()
      return
    }
    member.worker.unref()
    if (member.holds > 0) return
    member.timer = setTimeout(() => lose(member, null), members.length > size ? 0 : IDLE_MS).unref()
  }
  const send = (member: Member<Input, Output>, waiting: Turn<Input, Output>[]) => {
    const turns: Turn<Input, Output>[] = []
    const inputs: Input[] = []
    const given: Transferable[] = []
    let weight = 0
    for (let turn = waiting[0]; turn !== undefined; turn = waiting[0]) {
      weight += turn.where.weight ?? WEIGHT
      const isAlone = weight > MOST_BYTES || turns.length === MOST_TOGETHER || turn.where.given !== undefined
      if (turns.length > 0 && isAlone) break
      waiting.shift()
      turns.push(turn)
      inputs.push(turn.make())
      given.push(...(turn.where.given ?? []))
    }
    try {
      member.worker.postMessage(inputs, given)
    } catch (error) {
      if (turns.length === 1) turns[0]?.reject(error)
      else for (const turn of turns) send(member, [turn])
      return
    }
    member.sent.push(turns)
    if (member.sent.length === 1) watch(member)
  }
  const memberOf = (worker: Worker | undefined) => members.find((one) => one.worker === worker)
  /** One that has nothing to do, a new one, or the one that has least. */
  const freest = (): Member<Input, Output> | undefined => {
    const [least] = members.toSorted((a, b) => a.sent.length - b.sent.length)
    if (least?.sent.length === 0) return least
    if (members.length < size) return start()
    const most = queue[0]?.where.given === undefined ? MOST_SENT : 1
    return least !== undefined && least.sent.length < most ? least : undefined
  }
  const dispatch = () => {
    isDue = false
    for (const member of members)
      while (member.waiting.length > 0 && member.sent.length < MOST_SENT) send(member, member.waiting)
    while (queue.length > 0) {
      const member = freest()
      if (member === undefined) return
      send(member, queue)
    }
  }
  return {
    run: (make, where = {}) =>
      new Promise((resolve, reject) => {
        const { only, rather } = where
        const home = memberOf(only ?? rather)
        if (only !== undefined && home === undefined) return reject(new WorkerGone('the worker is no longer there'))
        ;(home?.waiting ?? queue).push({ make, where, resolve, reject })
        if (isDue) return
        isDue = true
        setImmediate(dispatch)
      }),
    hold(worker) {
      const member = memberOf(worker)
      if (member === undefined) return () => undefined
      const count = (change: number) => {
        member.holds += change
        if (member.sent.length === 0) watch(member)
      }
      count(1)
      return () => count(-1)
    },
    resize(most) {
      size = Math.max(1, most)
    },
  }
}

const isOutOfMemory = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

export type Answer<Output> = { readonly output: Output } | { readonly error: string }
