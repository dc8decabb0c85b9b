import { readFileSync } from 'node:fs'

/** What another process has cost so far, as Linux tells it; null where there is no `/proc`. */
export interface ProcessCost {
  /** User and system time of all threads, in seconds; counted in hundredths. */
  readonly cpu_s: number
  /** The most that was resident at any time (`VmHWM`), pages of mapped files included. */
  readonly peak_mb: number
  /** What is resident now and backed by no file: heap, buffers, stacks. */
  readonly anonymous_mb: number
}

/** `USER_HZ`, which the Linux ABI fixes. */
const TICKS_PER_SECOND = 100

export function readCost(pid: number): ProcessCost | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process may hold spaces; `utime` and `stime` are fields 14 and 15, the name is field 2.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return {
      cpu_s: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      peak_mb: megabytes(status, 'VmHWM'),
      anonymous_mb: megabytes(status, 'RssAnon'),
    }
  } catch {
    return null
  }
}

const megabytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
