import { sql as raw } from 'kysely'
import { historyOf, MOST_ANSWERS, MOST_CALLS, type OutputHistory } from '../domain/money.ts'
import type { JudgeReply } from '../judges/judge.ts'
import type { AttemptSummary, Grade, Usage } from '../schemas/grade.ts'
import { lockBatch } from './batches.ts'
import { type Db, insert, isDead, isIn, type Sql, Undo } from './db.ts'
import { refusal } from './errors.ts'
import { type JudgeState, lockJudge, settleJudge } from './judges.ts'
import type { Attempt, EndColumns, PlannedAttempt, ReplyColumns } from './schema.ts'
import { addSpending, type Caps, endCalls, IN_FLIGHT, NO_CAPS, type OverBudget, reserveIn } from './spending.ts'
import { encodeRow } from './text.ts'

export type { PlannedAttempt } from './schema.ts'

/** A question to a judge: the call of one round of one sample of one grade. */
export type QuestionMark = Pick<PlannedAttempt, 'key' | 'sample' | 'round' | 'request_digest'>

/** The end of a call; batch endpoints know no latency. */
export interface FinishedAttempt extends Pick<EndColumns, 'message' | 'cost_usd' | 'latency_ms'> {
  readonly id: string
  readonly outcome: AttemptSummary['outcome']
  readonly reply: JudgeReply
  /** Milliseconds since the epoch; by default the time of this machine. */
  readonly now?: number
}

type GoodReply = Extract<JudgeReply, { ok: true }>

/** A good reply whose grade was never written: it was paid for, and answers the same question without a call. */
export interface Orphan {
  readonly attempt_id: string
  readonly grade_id: string
  readonly reply: GoodReply
  /** 0 where the receipt of another grade has the cost. */
  readonly cost_usd: number | null
}

/** A good reply of a stored grade. */
export type StoredReply = Pick<PlannedAttempt, 'sample' | 'round' | 'purpose' | 'request_digest'> &
  Pick<Orphan, 'attempt_id' | 'reply'>

/** A stored call, as the audit sees it. `grade_id` is null where no grade was stored for a call of a batch. */
export interface LedgerEntry extends Omit<PlannedAttempt & Readonly<EndColumns>, 'item' | 'reply_text' | 'grade_id'> {
  readonly outcome: AttemptSummary['outcome']
  readonly grade_id: string | null
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

/** Calls of the ledger, which no index leads to, and calls of the batch in one turn of `listForBatch`. */
const WALKED_CALLS = 1000
const LISTED_CALLS = 100

/** The ledger of judge calls: a row before the call, which the end of the call completes. */
export function createLedger(db: Db) {
  /** Condition: the receipt of a grade names the call. */
  async function namedBy(gradeId: string) {
    const row = await db.read.first<{ grade: Grade }>`SELECT body AS grade FROM grades WHERE id = ${gradeId}`
    const ids = (row?.grade.receipt.attempts ?? []).map(({ id }) => id)
    return isIn(db, 'id', ids)
  }
  return {
    /** Asks for the turn of a call. A `call` is durable when the promise resolves, and may be made only then. */
    reserve: (call: CallRequest): Promise<Reserved> => db.write((sql) => reserve(sql, db.process, call)),
    /** Stores the end of a call, and its reply, which may be used only afterwards. Rejects for a call that never began, or that has ended. */
    finish(attempt: FinishedAttempt): Promise<void> {
      const end = renderEnd(attempt)
      return db.write(async (sql) => {
        const which = raw`id = ${attempt.id}`
        const sent = await endCalls(sql, which, 'sent', end)
        // A process that was taken for dead may end its calls after all.
        const [ended] = sent.length > 0 ? sent : await endCalls(sql, which, 'unknown', end)
        if (ended === undefined) throw refusal(`the attempt ${attempt.id} is not in flight`)
        const settling = settleJudge(sql, ended[0].judge, attempt.reply, attempt.now ?? Date.now())
        await Promise.all([settling, addSpending(sql, [ended])])
      })
    },
    /** Stores a call that costs nothing and leaves this process not at all, begun and ended in one unit of work. */
    async record(planned: PlannedAttempt, finished: FinishedAttempt): Promise<void> {
      const row = { ...planned, process: db.process, ...renderEnd(finished), id: finished.id }
      await db.write((sql) => Promise.all([insert(sql, 'attempts', row), reserveIn(sql, row, NO_CAPS)]))
    },
    findOrphan: (mark: QuestionMark, own: ReadonlySet<string> = new Set(), freshness?: Freshness) =>
      findOrphan(db.read, mark, own, freshness),
    /** Gives an orphan to the grade that uses its reply; the orphan stays where it is when its own grade was written meanwhile. */
    adopt: (id: string, gradeId: string): Promise<void> =>
      db.write(async (sql) => {
        const given = await sql.run`UPDATE attempts SET grade_id = ${gradeId} WHERE id = ${id} AND NOT ${IS_GRADED}`
        if (given === 0 && (await sql.first`SELECT id FROM attempts WHERE id = ${id}`) === undefined)
          throw refusal(`the attempt ${id} does not exist`)
      }),
    /** Marks calls in flight as `unknown` that are lost, with `isRunner` also those of other processes for batches. Returns their number. */
    markLost: (before: string, isRunner = false): Promise<number> =>
      db.write(async (sql) => {
        const sent = await sql.all<Attempt>`SELECT id, started_at, process, batch FROM attempts WHERE ${IN_FLIGHT}`
        const lostAt = await lostBefore(sql, before)
        // Only the holder of the run lock calls for batches.
        const isLost = ({ started_at, process, batch }: Attempt) =>
          process !== db.process && (started_at <= lostAt || isDead(db, process) || (isRunner && batch !== null))
        const lost = sent.filter(isLost)
        if (lost.length > 0) await expire(sql, lost)
        return lost.length
      }),
    /** Counts the items of a batch with a direct call in flight, over all processes, and finds the time of the newest call; null: no call. */
    inFlight: async (batch: string) =>
      (await db.read.first<{ readonly items: number; readonly newest: string | null }>`
        SELECT count(DISTINCT item) AS items, max(started_at) AS newest FROM attempts
        WHERE batch = ${batch} AND ${IN_FLIGHT}`) ?? { items: 0, newest: null },
    /** Lists the calls of a grade, and the calls of other grades that its receipt names, oldest first. */
    listForGrade: async (gradeId: string): Promise<readonly LedgerEntry[]> =>
      db.read.all<LedgerEntry>`SELECT ${ENTRY}, grade_id FROM attempts
        WHERE (grade_id = ${gradeId} OR ${await namedBy(gradeId)}) AND ${IS_LISTED} ORDER BY started_at, seq`,
    /** Lists calls of a batch in order, a stretch of the ledger at a time: `after` is 0 or the `next` of the stretch before, which is null after the last. */
    async listForBatch(batch: string, after: number) {
      const end = after + WALKED_CALLS
      const rows = await db.read.all<LedgerEntry & { seq: number }>`
        SELECT ${ENTRY}, CASE WHEN ${IS_GRADED} THEN grade_id END AS grade_id, seq FROM attempts
        WHERE seq > ${after} AND seq <= ${end} AND batch = ${batch} AND ${IS_LISTED} ORDER BY seq LIMIT ${LISTED_CALLS}`
      const last = await db.read.first<{ seq: number | null }>`SELECT max(seq) AS seq FROM attempts`
      const next = rows.length < LISTED_CALLS ? end : (rows.at(-1)?.seq ?? end)
      const calls = rows.map(({ seq: _, ...row }): LedgerEntry => row)
      return { calls, next: next < (last?.seq ?? 0) ? next : null }
    },
    /** Lists the good replies of a grade, as they were used: to be checked again without a call. */
    async listReplies(gradeId: string): Promise<readonly StoredReply[]> {
      const rows = await db.read.all<Attempt>`
        SELECT id, sample, round, purpose, request_digest, ${REPLY} FROM attempts
        WHERE outcome = 'ok' AND ${await namedBy(gradeId)} ORDER BY sample, started_at, seq`
      return rows.map((row) => {
        const { id: attempt_id, sample, round, purpose, request_digest } = row
        return { attempt_id, sample, round, purpose, request_digest, reply: parseReply(row) }
      })
    },
    /** Sums the output of a judge’s newest answers, among the newest calls of all judges. */
    async outputHistory(judge: string): Promise<OutputHistory> {
      const newest = raw`SELECT seq, judge, outcome, purpose, usage FROM attempts ORDER BY seq DESC LIMIT ${MOST_CALLS}`
      const rows = await db.read.all<Pick<Attempt, 'purpose'> & { readonly usage: Usage }>`
        SELECT purpose, usage FROM (${newest}) AS newest
        WHERE judge = ${judge} AND outcome IN ('ok', 'truncated') AND usage IS NOT NULL
        ORDER BY seq DESC LIMIT ${MOST_ANSWERS}`
      return historyOf(rows)
    },
  }
}

/** Condition: a grade was written for the call. */
const IS_GRADED = raw`EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)`
/** Condition: the call is no question of a provider’s batch that has no answer. */
const IS_LISTED = raw`(outcome NOT IN ('queued', 'sent', 'void') OR (${IN_FLIGHT}))`

export const REPLY = raw`reply_text, raw_reply, usage, request_id, model_resolved`
const ENTRY = raw`id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd,
  outcome, message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved`

/** Condition: the call asks the question. The index holds a part of the digest. */
export const asks = ({ key, sample, round, request_digest }: QuestionMark) => raw`
  substr(request_digest, 8, 16) = ${request_digest.slice(7, 23)} AND attempts.key = ${key} AND sample = ${sample}
  AND round = ${round} AND request_digest = ${request_digest}`

/** Takes three round trips on PostgreSQL, in which other calls of the judge wait: the lock with all readings, all that is written, and the commit. */
async function reserve(sql: Sql, process: string, call: CallRequest): Promise<Reserved> {
  const { attempt, caps, limit, now, lost_ms, own, freshness } = call
  const lost = new Date(now - lost_ms).toISOString()
  const [judge, [orphan, { n, same_id, same_at }, batch]] = await lockJudge(sql, attempt.judge, () =>
    Promise.all([
      findOrphan(sql, attempt, own, freshness),
      countInFlight(sql, attempt, lost),
      // PostgreSQL lets no other transaction cancel or park the batch before this one ends.
      attempt.batch === null ? undefined : lockBatch(sql, attempt.batch, 'FOR SHARE'),
    ]),
  )
  if (orphan !== null) return { kind: 'stored', orphan }
  if (same_id !== undefined && same_at !== undefined) {
    if (same_at > (await lostBefore(sql, lost))) return { kind: 'wait', for: 'same' }
    await expire(sql, [{ id: same_id }])
  }
  if (batch !== undefined && batch.status !== 'running') return { kind: 'left' }
  if (judge.paused_until > now) return { kind: 'paused', judge }
  if (n >= limit) return { kind: 'wait', for: 'limit' }
  const row = { ...attempt, process, outcome: 'sent' } as const
  const [over] = await Promise.all([reserveIn(sql, row, caps), insert(sql, 'attempts', row)])
  if (over !== null) throw new Undo('over', { cause: { kind: 'over', over } satisfies Reserved })
  return { kind: 'call' }
}

/** Counts the calls of a judge in flight that are not lost, and finds the newest call in flight that asks the same question. */
async function countInFlight(sql: Sql, attempt: PlannedAttempt, lost: string) {
  const row = await sql.first<{ n: number; same: string | null }>`
    SELECT count(*) FILTER (WHERE judge = ${attempt.judge} AND started_at > ${lost}) AS n,
      max(started_at || ' ' || id) FILTER (WHERE ${asks(attempt)}) AS same
    FROM attempts WHERE ${IN_FLIGHT}`
  const [same_at, same_id] = row?.same?.split(' ') ?? []
  return { n: row?.n ?? 0, same_id, same_at }
}

/** Processes need so long to store a held reply after the server of the database has come back. */
const GRACE_MS = 30_000

/** Computes the time before which calls in flight are lost: on PostgreSQL none, while processes may hold replies that the server could not take. */
async function lostBefore(sql: Sql, before: string): Promise<string> {
  if (sql.kind === 'sqlite') return before
  const server = await sql.first<{ ms: number }>`
    SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 * 1000 AS ms`
  return (server?.ms ?? 0) < GRACE_MS ? '' : before
}

/** Finds the newest orphan of a question, or a fresh reply of another process’s grade. The few replies are sorted here: SQLite takes ten times as long. */
async function findOrphan(sql: Sql, mark: QuestionMark, own: ReadonlySet<string>, freshness?: Freshness) {
  const since = freshness && new Date(freshness.since).toISOString()
  const isLaterGrade = since === undefined ? raw`1 = 0` : raw`created_at > ${since}`
  const isCurrent = freshness?.isRefresh === false ? raw`is_current = 1` : raw`1 = 0`
  const rows = await sql.all<Attempt & { readonly is_graded: boolean }>`
    SELECT id, grade_id, cost_usd, started_at, seq, ${REPLY}, ${IS_GRADED} AS is_graded
    FROM attempts WHERE ${asks(mark)} AND outcome = 'ok' AND NOT EXISTS
      (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id AND NOT (${isLaterGrade} OR ${isCurrent}))`
  rows.sort((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at) || b.seq - a.seq)
  const newest = rows.find(({ grade_id }) => !own.has(grade_id))
  if (newest === undefined) return null
  const { id, grade_id, is_graded, cost_usd } = newest
  return { attempt_id: id, grade_id, reply: parseReply(newest), cost_usd: is_graded ? 0 : cost_usd }
}

/** Parses a good reply; a CHECK holds its texts in every row of outcome `ok`. */
export const parseReply = ({ reply_text, raw_reply, usage, request_id, model_resolved }: ReplyColumns): GoodReply => ({
  ...{ ok: true, text: reply_text ?? '', raw: raw_reply ?? '' },
  ...{ usage, model_resolved, request_id },
})

/** Marks calls as `unknown`: each may have been paid for, and stays counted with its bound. */
async function expire(sql: Sql, calls: readonly Pick<Attempt, 'id'>[]): Promise<void> {
  const end = { outcome: 'unknown', message: 'the process ended while the call was in flight' } as const
  const ids = calls.map(({ id }) => id)
  await addSpending(sql, await endCalls(sql, isIn(sql, 'id', ids), 'sent', end))
}

/** Renders the columns of an end, encoded before the write lock is taken: long texts are compressed. */
export function renderEnd({ outcome, message, reply, cost_usd, latency_ms }: Omit<FinishedAttempt, 'id'>) {
  const { usage, request_id, model_resolved } = reply
  const texts = { reply_text: reply.ok ? reply.text : null, raw_reply: reply.raw }
  return encodeRow({ outcome, message, cost_usd, latency_ms, usage, request_id, model_resolved, ...texts })
}
