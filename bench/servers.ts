import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface RunningServer {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server script of this repository and waits for the log line that names its address. */
export async function startScript(script: string, env: NodeJS.ProcessEnv = {}): Promise<RunningServer> {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url))
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A script that ends early leaves no server behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const origin = await addressOf(child)
  return {
    origin,
    pid: child.pid ?? 0,
    async stop() {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)
    if (found === null) continue
    child.stdout.resume()
    return found[0]
  }
  throw new Error('the server ended before it listened')
}

/** `USER_HZ`, which the Linux ABI fixes. */
const TICKS_PER_SECOND = 100

/** Times of another process, in seconds counted in hundredths; null where there is no `/proc`, or no such process. */
export interface ProcessTimes {
  readonly parent: number
  /** User and system time of all threads. */
  readonly own: number
  /** The same of children that have ended. */
  readonly children: number
}

export function readTimes(pid: number | string): ProcessTimes | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process may hold spaces; `utime` and `stime` are fields 14 and 15, the name is field 2.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const sum = (at: number): number => ((fields[at] ?? 0) + (fields[at + 1] ?? 0)) / TICKS_PER_SECOND
    return { parent: Number(fields[1]), own: sum(11), children: sum(13) }
  } catch {
    return null
  }
}

/** Reads the megabytes of a process that are resident now and backed by no file: heap, buffers, stacks; null where there is no `/proc`. */
export function readAnonymousMb(pid: number): number | null {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return null
  }
}
