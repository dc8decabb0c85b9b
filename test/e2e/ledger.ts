import Database from 'better-sqlite3'

/** What the file says of all calls and grades, read when no service has it open. */
export interface Ledger {
  /** Calls by how they ended. */
  readonly outcomes: Readonly<Record<string, number>>
  /** All of them. */
  readonly calls: number
  readonly grades: number
  /** Known costs, in dollars. */
  readonly cost_usd: number
  /** Keys that were graded more than once. */
  readonly graded_twice: number
  /** Calls that began although the good reply to the very same question was stored. */
  readonly paid_twice: number
}

export function readLedger(file: string): Ledger {
  const db = new Database(file, { readonly: true })
  try {
    const count = (sql: string): number => db.prepare(sql).pluck().get() as number
    const rows = db.prepare('SELECT outcome, count(*) FROM attempts GROUP BY outcome').raw().all()
    const outcomes = Object.fromEntries(rows as [string, number][])
    return {
      outcomes,
      calls: Object.values(outcomes).reduce((sum, n) => sum + n, 0),
      grades: count('SELECT count(*) FROM grades'),
      cost_usd: count('SELECT coalesce(sum(cost_usd), 0) FROM attempts'),
      graded_twice: count('SELECT count(*) FROM (SELECT 1 FROM grades GROUP BY key HAVING count(*) > 1)'),
      paid_twice: count(`
        SELECT count(*) FROM attempts AS later JOIN attempts AS stored
          ON stored.key = later.key AND stored.sample = later.sample AND stored.round = later.round
          AND stored.request_digest = later.request_digest
        WHERE stored.outcome = 'ok' AND later.rowid > stored.rowid`),
    }
  } finally {
    db.close()
  }
}
