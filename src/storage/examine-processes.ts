import type Database from 'better-sqlite3'
import { count } from '../domain/count.ts'
import { type Check, note, ok } from './examine-check.ts'
import { looksAlive, type ProcessRow } from './process-registry.ts'

/** Processes that use the file, as seen by one that does not register itself. None where the file knows no processes yet. */
export function livingProcesses(db: Database.Database, now: Date): ReadonlySet<string> {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'processes'").get() !== undefined
  if (!known) return new Set()
  const rows = db.prepare('SELECT id, host, pid, seen_at FROM processes').all() as ProcessRow[]
  return new Set(rows.filter((row) => looksAlive(row, now)).map(({ id }) => id))
}

export const PROCESS_CHECKS: readonly Check[] = [
  {
    name: 'processes',
    since: 3,
    *look({ db, living }) {
      const rows = db.prepare('SELECT count(*) FROM processes').pluck().get() as number
      const dead = rows - living.size
      const found = `${count(living.size, 'process', 'processes')} in use of this file`
      if (dead <= 0) return yield ok('processes', found)
      yield note('processes', `${found}, ${dead} that ended without saying so`, {
        means: 'A crash or a kill. What they held is anybody’s; the next start takes it over.',
      })
    },
  },
]
