import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import PQueue from 'p-queue'
import { busy, draining } from '../schemas/problem.ts'
import type { JobReply, StatisticName, Statistics } from './statistics-process.ts'

/** Statistics that wait beside the statistic in work; each holds its input in memory. */
export const MOST_WAITING = 16
/** A statistic that needs more memory ends its process, not the service. */
const HEAP_MB = 1024

export type StatisticsWorker = ReturnType<typeof createStatisticsWorker>
/** Computes a statistic of its input. */
export type Compute = StatisticsWorker['run']

/** Computes statistics, which take seconds, in a process of their own, one after the other: the event loop stays free. */
export function createStatisticsWorker() {
  // No thread: V8 (of Node 24.21) has been seen to abort the whole process where a thread ended while it compiled.
  let child: { readonly process: ChildProcess; readonly ended: AbortSignal } | null = null
  const queue = new PQueue({ concurrency: 1 })
  let closed = false

  /** Sends one statistic to the process, which the first statistic and the first after a crash start. */
  async function compute(name: StatisticName, input: unknown): Promise<unknown> {
    if (closed) throw draining()
    child ??= start()
    const { process: own, ended } = child
    const answered = once(own, 'message', { signal: ended }) as Promise<[JobReply]>
    // A statistic keeps the service alive, an idle process does not.
    own.ref()
    own.channel?.ref()
    own.send({ name, input })
    const [reply] = await answered.catch(() => {
      throw closed ? draining() : new Error('the process that computes statistics ended')
    })
    own.unref()
    own.channel?.unref()
    if (reply.ok) return reply.value
    throw new Error(reply.message)
  }

  function start() {
    const started = fork(fileURLToPath(new URL('./statistics-process.ts', import.meta.url)), {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const ended = new AbortController()
    const forget = () => {
      if (child?.process === started) child = null
      ended.abort()
    }
    started.on('exit', forget).on('error', forget)
    return { process: started, ended: ended.signal }
  }

  return {
    /** Rejects with a RequestError where the worker is stopped or too many statistics wait, and with another error where the process ends. */
    async run<Name extends StatisticName>(name: Name, input: Parameters<Statistics[Name]>[0]) {
      if (closed) throw draining()
      if (queue.size >= MOST_WAITING) throw busy('too many statistics are being computed')
      return (await queue.add(() => compute(name, input))) as ReturnType<Statistics[Name]>
    },
    /** Ends the process; every statistic in work or waiting is rejected as `draining`. */
    async close(): Promise<void> {
      closed = true
      const ending = child?.process
      const ended = ending && new Promise((resolve) => ending.once('exit', resolve))
      ending?.ref()
      ending?.kill('SIGKILL')
      await Promise.all([queue.onIdle(), ended])
    },
  }
}
