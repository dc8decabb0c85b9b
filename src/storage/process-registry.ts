import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type Database from 'better-sqlite3'
import type { ProcessRegistry } from '../ports/ports.ts'
import { hasTable } from './read-file.ts'
import type { Unit } from './sqlite/unit.ts'
import { toStorageError } from './storage-error.ts'

/** The registry as the other stores of this process use it; `living` and `leave` are synchronous. */
export interface Processes extends ProcessRegistry {
  /** This process, for as long as its stores are open. */
  readonly id: string
  /** Ids of the processes that live, this one always among them; all others are dead. */
  living(): ReadonlySet<string>
  /** What this process holds is free from now on. */
  leave(): void
}

interface ProcessRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly seen_at: string
}

/** A process that said nothing for so long is dead, wherever it runs. */
const SILENCE_MS = 60_000

const SEEN = `
  INSERT INTO processes (id, host, pid, seen_at) VALUES (@id, @host, @pid, @seen_at)
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`

/** Registers this process in the database; the rows of the dead go. Throws a StorageError where that cannot be written. */
export function registerProcess(db: Database.Database, unit: Unit): Processes {
  const me = { id: `prc_${randomUUID()}`, host: hostname(), pid: process.pid }
  const seen = db.prepare(SEEN)
  const all = db.prepare('SELECT id, host, pid, seen_at FROM processes')
  const remove = db.prepare('DELETE FROM processes WHERE id = ?')
  const beat = (): void => void seen.run({ ...me, seen_at: new Date().toISOString() })
  const living = (): ReadonlySet<string> => {
    const rows = all.all() as ProcessRow[]
    return new Set([me.id, ...rows.filter((row) => lives(row, me)).map((row) => row.id)])
  }
  const enter = db.transaction(() => {
    const alive = living()
    for (const row of all.all() as ProcessRow[]) if (!alive.has(row.id)) remove.run(row.id)
    beat()
  })
  try {
    enter.immediate()
  } catch (error) {
    throw toStorageError(error)
  }
  return {
    id: me.id,
    // Inserted again where another process took this one for dead and removed it.
    beat: () => unit.write(beat),
    living,
    leave() {
      try {
        remove.run(me.id)
      } catch {
        // A row that stays names a process that is about to be gone: the others see that for themselves.
      }
    },
  }
}

function lives(row: ProcessRow, me: Omit<ProcessRow, 'seen_at'>): boolean {
  if (row.id === me.id) return true
  // Our own number under another id: the process that had it before us, in a container most of all.
  return looksAlive(row, new Date()) && !(row.host === me.host && row.pid === me.pid)
}

/** As far as a process can tell that is not registered itself. */
function looksAlive({ host, pid, seen_at }: Omit<ProcessRow, 'id'>, now: Date): boolean {
  // A date that cannot be read is no sign of life either.
  const silent_ms = now.getTime() - Date.parse(seen_at)
  if (!(silent_ms <= SILENCE_MS)) return false
  // A clock that was ahead must not keep the dead alive until that time comes; of this machine’s processes the system knows better.
  return host === hostname() ? pidExists(pid) : silent_ms >= -SILENCE_MS
}

export function pidExists(pid: number): boolean {
  // Zero and negative numbers would mean groups of processes.
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Whether another process uses the file, as seen by one that is not registered yet. */
export function livesElsewhere(db: Database.Database): boolean {
  if (!hasTable(db, 'processes')) return false
  const rows = db.prepare('SELECT id, host, pid, seen_at FROM processes').all() as ProcessRow[]
  return rows.some((row) => lives(row, { id: '', host: hostname(), pid: process.pid }))
}

/** Processes that use the file, as seen by one that does not register itself. None where the file knows no processes yet. */
export function livingProcesses(db: Database.Database, now: Date): ReadonlySet<string> {
  if (!hasTable(db, 'processes')) return new Set()
  const rows = db.prepare('SELECT id, host, pid, seen_at FROM processes').all() as ProcessRow[]
  return new Set(rows.filter((row) => looksAlive(row, now)).map(({ id }) => id))
}
