import { readFileSync } from 'node:fs'

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
