import type { Db } from './db.ts'

/** Tells whether a process is gone from this machine: `prc_UUID PID HOST`, on SQLite alone. */
export function isDead(db: Db, name: string | null): boolean {
  if (db.kind !== 'sqlite' || name === db.process) return false
  if (name === null) return true
  const [, pid = '', ...host] = name.split(' ')
  const [, , ...here] = db.process.split(' ')
  if (host.join(' ') !== here.join(' ')) return false
  // The number of this process under another name: the process before it in a container.
  return Number(pid) === process.pid || !pidExists(Number(pid))
}

/** Tells whether this machine has a process with this number. */
export function pidExists(pid: number): boolean {
  // Zero and negative numbers would mean groups of processes.
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
