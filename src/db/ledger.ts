import { sql as raw } from 'kysely'
import type { JudgeReply } from '../judges/judge.ts'
import type { AttemptSummary } from '../schemas/grade.ts'
import { type GoodReply, IN_FLIGHT, IS_GRADED, parseReply, REPLY } from './attempts.ts'
import { all, type Db, first, insert, isDead, isIn, locked, run, type Sql, Undo } from './db.ts'
import { refusal } from './errors.ts'
import { type JudgeState, lockJudge, settleJudge } from './judges.ts'
import type { Attempt, BatchRow, EndColumns, PlannedCall, ReplyColumns } from './schema.ts'
import { addSpending, amountsOf, type Caps, endCalls, type OverBudget, reserveIn } from './spending.ts'
import { encodeRow } from './text.ts'

export type PlannedAttempt = Readonly<PlannedCall>

/** A question to a judge: the call of one round of one sample of one grade. */
export type QuestionMark = Pick<PlannedAttempt, 'key' | 'sample' | 'round' | 'request_digest'>

/** The key that asked and pays, with the dollars that it may spend in a day of UTC (null: no cap). */
export interface Payer {
  readonly key_id: string
  readonly max_cost_usd_per_day: number | null
}

/** The end of a call; batch endpoints know no latency. */
export interface FinishedAttempt extends Pick<EndColumns, 'message' | 'cost_usd' | 'latency_ms'> {
  readonly id: string
  readonly outcome: AttemptSummary['outcome']
  readonly reply: JudgeReply
  /** Milliseconds since the epoch; by default the time of this machine. */
  readonly now?: number
}

/** A good reply whose grade was never written: it was paid for, and answers the same question without a call. */
export interface Orphan {
  readonly attempt_id: string
  readonly grade_id: string
  readonly reply: GoodReply
  /** 0 where the receipt of another grade has the cost. */
  readonly cost_usd: number | null
}

export interface CallRequest {
  readonly attempt: PlannedAttempt
  readonly caps: Caps
  /** The most calls of the judge in flight, over all processes. */
  readonly limit: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Milliseconds after which a call in flight is lost: its process waits no longer for the reply. */
  readonly lost_ms: number
  /** Grades that this process makes: their replies are theirs. */
  readonly own: ReadonlySet<string>
  readonly freshness?: Freshness
}

/** The replies of written grades that answer a call, beside orphans. */
export interface Freshness {
  /** Milliseconds since the epoch: the grade was asked for then. Replies of grades made later answer. */
  readonly since: number
  /** The caller wants a new grade. Else the replies of the grade that answers the key now answer too, whatever its clock says. */
  readonly isRefresh: boolean
}

export type Reserved =
  /** The attempt is in the ledger: make the call, then `finish` it. */
  | { readonly kind: 'call' }
  | { readonly kind: 'stored'; readonly orphan: Orphan }
  /** Ask again: the same question is in flight, or the judge takes no more calls. */
  | { readonly kind: 'wait'; readonly for: 'same' | 'limit' }
  | { readonly kind: 'paused'; readonly judge: JudgeState }
  | { readonly kind: 'over'; readonly over: OverBudget }
  /** The batch does not run any more. */
  | { readonly kind: 'left' }

export type AttemptLedger = ReturnType<typeof createLedger>

/** The ledger of judge calls: a row before the call, which the end of the call completes. */
export const createLedger = (db: Db) => ({
  /** Counts the items of a batch with a direct call in flight, over all processes, and finds the time of the newest call; null: no call. */
  async inFlight(batch: string) {
    const row = await first<{ readonly items: number; readonly newest: string | null }>(db.read)`
      SELECT count(DISTINCT item) AS items, max(started_at) AS newest FROM attempts WHERE batch = ${batch} AND ${IN_FLIGHT}`
    return row ?? { items: 0, newest: null }
  },
  /**
   * Asks for the turn of a call, in one unit of work: a stored reply comes before a call, and an equal question in flight, a paused judge, a full
   * judge and a full cap come before the reservation. A `call` is durable when the promise resolves, and may be made only then.
   */
  reserve: (call: CallRequest): Promise<Reserved> => db.write((sql) => reserve(db, sql, call)),
  /** Stores the end of a call, and its reply, which may be used only afterwards. Rejects for a call that never began, or that has ended. */
  async finish(attempt: FinishedAttempt): Promise<void> {
    const end = encodeRow(renderEnd(attempt))
    await db.write((sql) => finish(db, sql, attempt, end))
  },
  /** Stores a call that costs nothing and leaves this process not at all, begun and ended in one unit of work. */
  async record(planned: PlannedAttempt, finished: FinishedAttempt): Promise<void> {
    const row = { ...planned, process: db.process, ...encodeRow(renderEnd(finished)), id: finished.id }
    await db.write((sql) => Promise.all([insert(sql, 'attempts', row), addSpending(sql, [[row, amountsOf(row)]])]))
  },
  findOrphan: (mark: QuestionMark, own: ReadonlySet<string> = new Set(), freshness?: Freshness) =>
    findOrphan(db.read, mark, own, freshness),
  /** Gives an orphan to the grade that uses its reply; the orphan stays where it is when its own grade was written meanwhile. */
  adopt: (attemptId: string, gradeId: string): Promise<void> =>
    db.write(async (sql) => {
      const given = await run(sql)`
        UPDATE attempts SET grade_id = ${gradeId} WHERE id = ${attemptId} AND NOT ${IS_GRADED}`
      if (given > 0) return
      const known = await first(sql)`SELECT id FROM attempts WHERE id = ${attemptId}`
      if (known === undefined) throw refusal(`the attempt ${attemptId} does not exist`)
    }),
  /**
   * Marks calls in flight as `unknown` whose processes wait for no reply any more: calls that began before `before`, calls of dead processes of
   * this machine, and with `isRunner` calls for batches of every other process: only the holder of the run lock calls for batches. Returns their
   * number.
   */
  markLost: (before: string, isRunner = false): Promise<number> =>
    db.write(async (sql) => {
      type Row = Pick<Attempt, 'id' | 'started_at' | 'process' | 'batch'>
      const sent = await all<Row>(sql)`SELECT id, started_at, process, batch FROM attempts WHERE ${IN_FLIGHT}`
      const lostAt = await lostBefore(db, sql, before)
      const isLost = ({ started_at, process, batch }: Row) =>
        process !== db.process && (started_at <= lostAt || isDead(db, process) || (isRunner && batch !== null))
      const lost = sent.filter(isLost).map(({ id }) => id)
      if (lost.length > 0) await expire(db, sql, lost)
      return lost.length
    }),
})

/** Condition: the call asks the question. The index holds a part of the digest. */
export const asks = ({ key, sample, round, request_digest }: QuestionMark) => raw`
  substr(request_digest, 8, 16) = ${request_digest.slice(7, 23)} AND attempts.key = ${key} AND sample = ${sample}
  AND round = ${round} AND request_digest = ${request_digest}`

/**
 * PostgreSQL answers in three round trips: the lock of the judge with all readings that need the lock, everything that is written, and the commit.
 * Other calls of the judge wait from the first to the last.
 */
async function reserve(db: Db, sql: Sql, call: CallRequest): Promise<Reserved> {
  const { attempt, caps, limit, now, lost_ms, own, freshness } = call
  const lost = new Date(now - lost_ms).toISOString()
  const read = () =>
    Promise.all([
      findOrphan(sql, attempt, own, freshness),
      countInFlight(sql, attempt, lost),
      isRunning(db, sql, attempt.batch),
    ])
  const [judge, [orphan, { n, same_id, same_at }, runs]] = await lockJudge(db, sql, attempt.judge, read)
  if (orphan !== null) return { kind: 'stored', orphan }
  if (same_id !== undefined && same_at !== undefined) {
    if (same_at > (await lostBefore(db, sql, lost))) return { kind: 'wait', for: 'same' }
    await expire(db, sql, [same_id])
  }
  if (!runs) return { kind: 'left' }
  if (judge.paused_until > now) return { kind: 'paused', judge }
  if (n >= limit) return { kind: 'wait', for: 'limit' }
  const row = { ...attempt, process: db.process, outcome: 'sent' } as const
  const [over] = await Promise.all([reserveIn(sql, row, caps), insert(sql, 'attempts', row)])
  if (over !== null) throw new Undo({ kind: 'over', over } satisfies Reserved)
  return { kind: 'call' }
}

/** Tells whether a call may begin for a batch; PostgreSQL lets no other transaction cancel or park the batch before this one ends. */
async function isRunning(db: Db, sql: Sql, batch: string | null): Promise<boolean> {
  if (batch === null) return true
  const row = await first<BatchRow>(sql)`SELECT status FROM batches WHERE id = ${batch} ${locked(db, 'FOR SHARE')}`
  return row === undefined || row.status === 'running'
}

/** Counts the calls of a judge in flight that are not lost, and finds the newest call in flight that asks the same question. */
async function countInFlight(sql: Sql, attempt: PlannedAttempt, lost: string) {
  type Row = { readonly n: number; readonly same: string | null }
  const row = await first<Row>(sql)`
    SELECT count(*) FILTER (WHERE judge = ${attempt.judge} AND started_at > ${lost}) AS n,
      max(started_at || ' ' || id) FILTER (WHERE ${asks(attempt)}) AS same
    FROM attempts WHERE ${IN_FLIGHT}`
  const [same_at, same_id] = row?.same?.split(' ') ?? []
  return { n: row?.n ?? 0, same_id, same_at }
}

/** Processes need so long to store a held reply after the server of the database has come back. */
const GRACE_MS = 30_000

/**
 * Computes the time before which calls in flight are lost. On PostgreSQL no call is lost before the server has run for the grace: its process may hold
 * a reply that the server could not take.
 */
async function lostBefore(db: Db, sql: Sql, before: string): Promise<string> {
  if (db.kind === 'sqlite') return before
  const server = await first<{ ms: number }>(sql)`
    SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 * 1000 AS ms`
  return (server?.ms ?? 0) < GRACE_MS ? '' : before
}

/**
 * Finds the newest orphan of a question, or a fresh reply of a grade that another process has written. A question has few replies: SQLite takes ten
 * times as long to join and sort even none.
 */
async function findOrphan(
  sql: Sql,
  mark: QuestionMark,
  own: ReadonlySet<string>,
  freshness?: Freshness,
): Promise<Orphan | null> {
  const since = freshness && new Date(freshness.since).toISOString()
  const isLaterGrade = since === undefined ? raw`1 = 0` : raw`created_at > ${since}`
  const isCurrent = freshness?.isRefresh === false ? raw`is_current = 1` : raw`1 = 0`
  type Row = Pick<Attempt, 'id' | 'grade_id' | 'cost_usd' | 'started_at' | 'seq'> & ReplyColumns
  const rows = await all<Row & { readonly is_graded: boolean }>(sql)`
    SELECT id, grade_id, cost_usd, started_at, seq, ${REPLY}, ${IS_GRADED} AS is_graded
    FROM attempts WHERE ${asks(mark)} AND outcome = 'ok' AND NOT EXISTS
      (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id AND NOT (${isLaterGrade} OR ${isCurrent}))`
  const isLater = (a: Row, b: Row) => (a.started_at === b.started_at ? a.seq > b.seq : a.started_at > b.started_at)
  const others = rows.filter(({ grade_id }) => !own.has(grade_id))
  const [newest] = others.sort((a, b) => (isLater(a, b) ? -1 : 1))
  if (newest === undefined) return null
  const { id, grade_id, is_graded, cost_usd } = newest
  return { attempt_id: id, grade_id, reply: parseReply(newest), cost_usd: is_graded ? 0 : cost_usd }
}

/** Ends a call; `unknown` too: a process that was taken for dead may end its calls after all. */
async function finish(db: Db, sql: Sql, attempt: FinishedAttempt, end: ReturnType<typeof renderEnd>): Promise<void> {
  const which = raw`id = ${attempt.id}`
  const sent = await endCalls(sql, which, 'sent', end)
  const [ended] = sent.length > 0 ? sent : await endCalls(sql, which, 'unknown', end)
  if (ended === undefined) throw refusal(`the attempt ${attempt.id} is not in flight`)
  const settling = settleJudge(db, sql, ended[0].judge, attempt.reply, attempt.now ?? Date.now())
  await Promise.all([settling, addSpending(sql, [ended])])
}

/** Marks calls as `unknown`: each may have been paid for, and stays counted with its bound. */
async function expire(db: Db, sql: Sql, ids: readonly string[]): Promise<void> {
  const end = { outcome: 'unknown', message: 'the process ended while the call was in flight' } as const
  await addSpending(sql, await endCalls(sql, isIn(db, 'id', ids), 'sent', end))
}

export function renderEnd({ outcome, message, reply, cost_usd, latency_ms }: Omit<FinishedAttempt, 'id'>) {
  const { usage, request_id, model_resolved } = reply
  const texts = { reply_text: reply.ok ? reply.text : null, raw_reply: reply.raw }
  return { outcome, message, cost_usd, latency_ms, usage, request_id, model_resolved, ...texts }
}
