import { readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Finding } from '../grading/upkeep-ports.ts'
import { type Check, mebibytes, note, ok, warning } from './examine-check.ts'

/** Where the numbers stand in the wal-index file, in the byte order of this machine: sqlite.org/walformat.html, section 2. */
const MAX_FRAME_AT = 16
const BACKFILLED_AT = 96
const READ_MARKS_AT = 100
const READERS = 5
const READ_LOCKS_AT = 123
const UNUSED_MARK = 0xffffffff
const LEAST_INDEX_BYTES = 136

export interface WalState {
  /** Frames (pages) that the log holds, and of them those that are back in the file. */
  readonly frames: number
  readonly written_back: number
  /** Up to which frame each reader’s slot sees; null: not in use. */
  readonly marks: readonly (number | null)[]
}

/** The state of the log by its index file. Null where that is none. */
export function parseWalIndex(bytes: Uint8Array): WalState | null {
  if (bytes.byteLength < LEAST_INDEX_BYTES) return null
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const little = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1
  const read = (at: number): number => words.getUint32(at, little)
  return {
    frames: read(MAX_FRAME_AT),
    written_back: read(BACKFILLED_AT),
    marks: Array.from({ length: READERS }, (_, slot) => {
      const mark = read(READ_MARKS_AT + 4 * slot)
      return mark === UNUSED_MARK ? null : mark
    }),
  }
}

export interface Holder {
  readonly pid: number
  readonly slot: number
}

/** Who holds a read lock, by the lines of Linux’s /proc/locks for the index file with that inode. */
export function parseLocks(text: string, inode: number): Holder[] {
  const holders: Holder[] = []
  for (const line of text.split('\n')) {
    const [, kind, , , pid = '', file = '', from = ''] = line.trim().split(/\s+/, 8)
    const slot = Number(from) - READ_LOCKS_AT
    if (kind !== 'POSIX' || Number(file.split(':')[2]) !== inode || slot < 0 || slot >= READERS) continue
    holders.push({ pid: Number(pid), slot })
  }
  return holders
}

/** A log that a calm service keeps is below 4 MiB: it is written back after every thousand pages. */
const BIG_LOG = 64 * 1024 * 1024
const SECOND_LOOK_MS = 300

/** Readers that see less than the newest frame, with what they hold back. */
function findLagging(path: string): string[] {
  const index = `${path}-shm`
  const state = parseWalIndex(readFileSync(index))
  if (state === null) return []
  return parseLocks(readFileSync('/proc/locks', 'utf8'), statSync(index).ino)
    .filter(({ pid }) => pid !== process.pid)
    .flatMap(({ pid, slot }) => {
      const mark = state.marks[slot] ?? null
      const lags = mark !== null && mark < state.frames
      return lags ? [`process ${pid} reads as of page ${mark} of ${state.frames}`] : []
    })
}

/** Only who stands there twice is told: every reader lags for the moment of its reading. */
async function findHolders(path: string): Promise<readonly string[] | null> {
  try {
    const first = findLagging(path)
    if (first.length === 0) return []
    await delay(SECOND_LOOK_MS)
    const second = findLagging(path)
    const processOf = (text: string): string => text.split(' of page ', 1)[0] ?? text
    return second.filter((one) => first.some((other) => processOf(other) === processOf(one)))
  } catch {
    return null
  }
}

export function judgeLog(bytes: number, holders: readonly string[] | null): Finding {
  const found = `the log has ${mebibytes(bytes)}`
  if (holders !== null && holders.length > 0) {
    const rest = {
      means: 'A reading that does not end keeps the log from being written back: it grows with every write.',
      advice: 'End that process or its transaction: a shell of sqlite3, a backup, a doctor --full, a stuck command.',
    }
    const held = `${found}; held back: ${holders.join('; ')}`
    return bytes > BIG_LOG ? warning('log', held, rest) : note('log', held, rest)
  }
  if (bytes <= BIG_LOG) return ok('log', found)
  return warning('log', `${found}${holders === null ? ' (who reads cannot be told on this system)' : ''}`, {
    means: 'It grew while somebody was reading for long. It is written back by and by, and cut at the next clean stop.',
    advice: 'Look again in a minute; where it still grows, restart the service in a quiet hour.',
  })
}

export const WAL_CHECKS: readonly Check[] = [
  {
    name: 'log',
    since: 0,
    async *look({ options: { path } }) {
      const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
      yield judgeLog(bytes, await findHolders(path))
    },
  },
]
