import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type Database from 'better-sqlite3'
import { pidExists } from '../pid.ts'
import { hasTable } from '../read-file.ts'

/** A process with calls in flight or a draft, and the time of its last beginning. */
interface AtWork {
  readonly process: string
  readonly since: string
}

/** Processes with calls in flight or with a draft of a batch. */
const AT_WORK = `
  SELECT process, max(since) AS since FROM (
    SELECT process, started_at AS since FROM attempts WHERE outcome = 'sent'
    UNION ALL SELECT process, created_at FROM batches WHERE status = 'draft'
  ) WHERE process IS NOT NULL GROUP BY process`

/** A process of this machine may have the number of a dead process; of other machines only the time is known. */
const LONGEST_HERE_MS = 24 * 3_600_000
const LONGEST_ELSEWHERE_MS = 3_600_000

/** Names this process in the rows that it writes, with its number and its machine: other processes see by them whether it lives. */
export const nameProcess = (): string => `prc_${randomUUID()} ${process.pid} ${hostname()}`

/** Reads the processes at work that live; `me` is always among them. */
export function createLiving(db: Database.Database, me: string): () => string[] {
  const atWork = db.prepare<[], AtWork>(AT_WORK)
  return () => {
    const others = atWork.all().filter((row) => row.process !== me && lives(row, Date.now()))
    return [me, ...others.map((row) => row.process)]
  }
}

function lives(row: AtWork, now: number): boolean {
  const [, pid = '', ...host] = row.process.split(' ')
  const age_ms = now - Date.parse(row.since)
  if (host.join(' ') !== hostname()) return age_ms <= LONGEST_ELSEWHERE_MS
  // The number of this process under another name: the process before it in a container.
  return age_ms <= LONGEST_HERE_MS && Number(pid) !== process.pid && pidExists(Number(pid))
}

/** A process of an older version that said nothing for so long is dead. */
const SILENCE_MS = 60_000

/** Tells whether a process of an older version, which registered itself, uses the file. */
export function livesElsewhere(db: Database.Database): boolean {
  if (!hasTable(db, 'processes')) return false
  const rows = db.prepare('SELECT host, pid, seen_at FROM processes').all() as OldProcess[]
  return rows.some(({ host, pid, seen_at }) => {
    if (!(Date.now() - Date.parse(seen_at) <= SILENCE_MS)) return false
    return host !== hostname() || (pid !== process.pid && pidExists(pid))
  })
}

interface OldProcess {
  readonly host: string
  readonly pid: number
  readonly seen_at: string
}
