import { sql as raw, type Selectable } from 'kysely'
import type { JudgeReply } from '../judges/judge.ts'
import { assignments, type Db, insert, isIn, locked, type Sql } from './db.ts'
import type { Tables } from './schema.ts'

/** A judge as all processes see it. Times are milliseconds since the epoch. */
export type JudgeState = Readonly<Omit<Selectable<Tables['judges']>, 'name' | 'seen_at'>>

const STATE = raw`paused_until, failure, strikes, rests`
const OPEN: JudgeState = { paused_until: 0, failure: null, strikes: 0, rests: 0 }

/** Silent failures in a row after which a judge rests. */
const STRIKES = 12
const FIRST_REST_MS = 30_000
const LONGEST_REST_MS = 600_000
/** No `Retry-After` stops a judge for longer. */
const LONGEST_PAUSE_MS = 60_000
/** A worker that said nothing for so long is gone. */
const SILENCE_MS = 30_000

/** Reads the state of a judge, and locks its row, which the first reading makes. `read` makes the readings that need the lock, and travel with it. */
export async function lockJudge<T>(sql: Sql, name: string, read: () => Promise<T>): Promise<readonly [JudgeState, T]> {
  const row = sql.first<JudgeState>`SELECT ${STATE} FROM judges WHERE name = ${name} ${locked(sql)}`
  const [state, value] = await Promise.all([row, read()])
  if (state !== undefined) return [state, value]
  await insert(sql, 'judges', { name }, raw`ON CONFLICT (name) DO NOTHING`)
  return lockJudge(sql, name, read)
}

/** Pauses a judge for all processes: as a refusal asks for, and after twelve silent failures in a row for half a minute, doubled at each further twelve. */
export async function settleJudge(sql: Sql, name: string, reply: JudgeReply, now: number) {
  const failure = reply.ok ? null : reply.failure
  const isSilent = failure?.code === 'judge_unreachable' || failure?.code === 'timeout'
  const asked = isSilent || failure?.code === 'rate_limited' ? (failure.retry_after_s ?? 0) * 1000 : 0
  // An answer changes the row of a judge only where it ends a count.
  if (!isSilent && asked <= 0)
    return sql.run`UPDATE judges SET strikes = 0, rests = 0 WHERE name = ${name} AND (strikes > 0 OR rests > 0)`
  const [row] = await lockJudge(sql, name, async () => undefined)
  // Calls that began before an outage say nothing about its end.
  if (isSilent && row.rests > 0 && row.paused_until > now) return 0
  const strikes = isSilent ? row.strikes + 1 : 0
  const isOut = strikes >= STRIKES
  const rest = isOut ? Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** row.rests) : 0
  const until = now + Math.max(rest, Math.min(LONGEST_PAUSE_MS, asked))
  const pause = rest > 0 || asked > 0 ? { paused_until: Math.max(row.paused_until, until), failure } : {}
  const counted = { strikes: isOut ? 0 : strikes, rests: isOut ? row.rests + 1 : row.rests }
  return sql.run`UPDATE judges SET ${assignments<'judges'>({ ...counted, ...pause })} WHERE name = ${name}`
}

/** The judges as all processes of the database see them. */
export const createJudges = (db: Db) => ({
  get: async (name: string): Promise<JudgeState> =>
    (await db.read.first<JudgeState>`SELECT ${STATE} FROM judges WHERE name = ${name}`) ?? OPEN,
  /** Ends the pauses of judges: an operator has mended them. */
  resume: (names: readonly string[]) =>
    db.write((sql) => sql.run`UPDATE judges SET ${assignments<'judges'>(OPEN)} WHERE ${isIn(db, 'name', names)}`),
  /** Says that a worker with these judges lives. */
  async announce(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const seen = raw`ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`
    // In the order of names: two workers never wait for each other crosswise.
    const rows = names.toSorted().map((name) => ({ name, seen_at: Date.now() }))
    await db.write((sql) => insert(sql, 'judges', rows, seen))
  },
  hasWorker: async (name: string): Promise<boolean> =>
    (await db.read.all`SELECT 1 FROM judges WHERE name = ${name} AND seen_at > ${Date.now() - SILENCE_MS}`).length > 0,
})
