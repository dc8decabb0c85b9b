import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Job, JobReply, StatisticName, Statistics } from './statistics-process.ts'

/**
 * Statistics that take seconds, in a process of their own: the event loop stays free. One at a time, the others wait in a queue. A
 * process and not a thread: V8 (of Node 24.21) has been seen to abort the whole process where a thread ended while it compiled.
 */
export interface StatisticsWorker {
  /** Rejects with a StatisticsError where it is stopped or too many wait. */
  run<Name extends StatisticName>(
    name: Name,
    input: Parameters<Statistics[Name]>[0],
  ): Promise<ReturnType<Statistics[Name]>>
  /** Ends the process; whatever is asked or waits is rejected as `stopped`. */
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
/** An input that needs more than this ends that process, not the service. */
const HEAP_MB = 1024

interface Asked {
  readonly name: StatisticName
  readonly input: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

export function createStatisticsWorker(): StatisticsWorker {
  const waiting: Asked[] = []
  let child: ChildProcess | null = null
  let asked: Asked | null = null
  let closed = false
  let id = 0

  /** Started by the first that needs it. */
  function start(): ChildProcess {
    const started = fork(fileURLToPath(new URL('./statistics-process.ts', import.meta.url)), {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.on('message', (reply: JobReply) => {
      if (started === child && reply.id === id) settle(reply)
    })
    started.on('error', () => lose(started))
    started.on('exit', () => lose(started))
    return started
  }

  /** It keeps this process alive while something is asked. */
  function hold(isAsked: boolean): void {
    const change = isAsked ? 'ref' : 'unref'
    child?.[change]()
    child?.channel?.[change]()
  }

  function settle(reply: JobReply): void {
    const done = asked
    asked = null
    if (reply.ok) done?.resolve(reply.value)
    else done?.reject(new Error(reply.message))
    next()
  }

  /** Out of memory, say: the one that was being computed fails, the next gets a new process. */
  function lose(ended: ChildProcess): void {
    if (ended !== child) return
    child = null
    const lost = asked
    asked = null
    lost?.reject(new StatisticsError('crashed', 'the process that computes statistics ended'))
    next()
  }

  function next(): void {
    if (asked !== null || closed) return
    asked = waiting.shift() ?? null
    if (asked === null) {
      hold(false)
      return
    }
    child ??= start()
    hold(true)
    const { name, input } = asked
    child.send({ id: ++id, name, input } satisfies Job)
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
      const ending = child
      child = null
      for (const one of [asked, ...waiting.splice(0)]) one?.reject(stopped())
      asked = null
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
      ending.ref()
      const ended = once(ending, 'exit')
      ending.kill('SIGKILL')
      await ended
    },
  }
}

const stopped = (): StatisticsError => new StatisticsError('stopped', 'the service is stopping')
