import { MOST_ANSWERS, MOST_CALLS } from '../../domain/money/history.ts'
import type { AttemptLedger, FinishedAttempt, LedgerEntry, PlannedAttempt } from '../../ports/ledger-ports.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Db, Sql, Work } from '../db.ts'
import { Undo } from '../db.ts'
import { columnOf } from '../statements.ts'
import { refusal } from '../storage-error.ts'
import { parseStored } from '../stored-text.ts'
import {
  type AnswerRow,
  type BatchCallRow,
  END_COLUMNS,
  type EndRow,
  type EntryRow,
  parseBatchCalls,
  parseEntry,
  parseHistory,
  parseReply,
  parseStoredReply,
  type ReplyRow,
  renderEnd,
  renderPlanned,
  type StoredReplyRow,
  WALKED_CALLS,
} from './attempt-rows.ts'
import { type Amounts, addAmounts, addSpending, amountsOf, findBroken } from './spending.ts'

const COUNTED_COLUMNS = 'started_at, batch, payer, reserved_usd'

const FINISH = `
  UPDATE attempts SET ${END_COLUMNS.map((name, index) => `${name} = $${index + 3}`).join(', ')}
  WHERE id = $1 AND outcome = $2 RETURNING ${COUNTED_COLUMNS}`

const IS_ORPHAN = 'NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)'

/** Where there are leases: no process holds that under which the call was begun. */
const IS_NOBODYS = `
  NOT EXISTS (SELECT 1 FROM leases WHERE leases.token = attempts.lease AND leases.until > clock_timestamp())`

const ASKS = 'key = $1 AND sample = $2 AND round = $3 AND request_digest = $4'

const renderOrphan = (more: string): string => `
  SELECT id, grade_id, reply_text, raw_reply, usage, cost_usd, request_id, model_resolved FROM attempts
  WHERE substr(request_digest, 8, 16) = substr($4, 8, 16) AND ${ASKS} AND outcome = 'ok' AND ${IS_ORPHAN} ${more} ORDER BY started_at DESC, seq DESC LIMIT 1`

export const FIND_ORPHAN = renderOrphan('')
const FIND_FREE_ORPHAN = renderOrphan(`AND ${IS_NOBODYS}`)

/** Those on their way are few, and have an index. */
const OUTSTANDING = `
  SELECT process FROM attempts
  WHERE outcome = 'sent' AND ${ASKS} AND lease IS NOT NULL AND ${IS_NOBODYS}`

const ADOPT = `UPDATE attempts SET grade_id = $2 WHERE id = $1 AND ${IS_ORPHAN}`
const ADOPT_LEASED = `
  UPDATE attempts SET grade_id = $2, lease = $3 WHERE id = $1 AND ${IS_ORPHAN} AND (lease = $3 OR ${IS_NOBODYS})`

/** A call from before there were processes has none: its process is gone. */
export const LOST = `
  SELECT id, ${COUNTED_COLUMNS} FROM attempts
  WHERE outcome = 'sent' AND (process IS NULL OR NOT process = ANY($1) OR (batch IS NOT NULL AND process <> $2))
  ORDER BY seq FOR UPDATE`

const INTERRUPT = `
  UPDATE attempts SET outcome = 'unknown', message = 'the process ended while the call was in flight' WHERE id = ANY($1)`

const ENTRY_COLUMNS = `id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd,
    outcome, message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved`

/** Calls that began in the same millisecond stand in the order in which they were begun; their ids are random there. */
export const LIST_FOR_GRADE = `
  SELECT ${ENTRY_COLUMNS} FROM attempts WHERE grade_id = $1 OR id = ANY($2) ORDER BY started_at, seq`

const LIST_FOR_BATCH = `
  SELECT ${ENTRY_COLUMNS}, NOT ${IS_ORPHAN} AS has_grade
  FROM attempts WHERE seq > $2 AND seq <= $3 AND batch = $1 ORDER BY seq`

export const LIST_REPLIES = `
  SELECT id, sample, round, purpose, request_digest, reply_text, raw_reply, usage, request_id, model_resolved
  FROM attempts WHERE outcome = 'ok' AND id = ANY($1) ORDER BY sample, started_at, seq`

/** From the end, in the order of the table: neither an index nor the age of the database matters. */
const ANSWERS = `
  SELECT purpose, usage FROM (
    SELECT seq AS number, judge, outcome, purpose, usage FROM attempts ORDER BY seq DESC LIMIT ${MOST_CALLS}) AS newest
  WHERE judge = $1 AND outcome IN ('ok', 'truncated') AND usage IS NOT NULL ORDER BY number DESC LIMIT ${MOST_ANSWERS}`

const IN_FLIGHT = "SELECT count(*) AS n FROM attempts WHERE outcome = 'sent' AND batch = $1"

type CountedRow = Pick<LedgerEntry, 'started_at' | 'batch' | 'payer' | 'reserved_usd'>

/**
 * The ledger of judge calls. `finish` and `adopt` reject for a call that was never begun, and `finish` for one that
 * has ended already: a reply is never overwritten. `adopt` leaves a call where it is when its own grade was written
 * meanwhile.
 */
export function createAttemptLedger(db: Db): AttemptLedger {
  const insert = (sql: Sql, attempt: PlannedAttempt, end?: EndRow): Work<void> => {
    const { leases = [] } = attempt
    const row = { ...renderPlanned(attempt), process: db.process, outcome: 'sent', ...end }
    return sql.insert('attempts', db.isShared ? { ...row, lease: leases[0] ?? null } : row, leases)
  }
  const namedAttempts = async (gradeId: string): Promise<string[]> => {
    const [row] = await db.rows<{ body: string }>('SELECT body FROM grades WHERE id = $1', [gradeId])
    return row === undefined ? [] : columnOf(parseStored<Grade>(row.body).receipt.attempts, 'id')
  }
  return {
    begin: (attempt, caps) =>
      db.write(function* (sql) {
        yield* insert(sql, attempt)
        const broken = yield* findBroken(sql, attempt, attempt.reserved_usd, caps)
        if (broken !== null) throw new Undo(broken)
        yield* addSpending(sql, [[attempt, { reserved_usd: attempt.reserved_usd ?? 0, calls: 1 }]])
        return null
      }),
    async finish(attempt) {
      const row = renderEnd(attempt)
      await db.write((sql) => finish(sql, attempt, row))
    },
    async record(planned, finished) {
      const row = renderEnd(finished)
      await db.write(function* (sql) {
        yield* insert(sql, planned, row)
        const spent = amountsOf(finished, planned.reserved_usd ?? 0)
        yield* addSpending(sql, [[planned, addAmounts({ calls: 1 }, spent)]])
      })
    },
    async findOrphan(key, sample, round, digest) {
      const [row] = await db.rows<ReplyRow & Pick<LedgerEntry, 'id' | 'grade_id' | 'cost_usd'>>(
        db.isShared ? FIND_FREE_ORPHAN : FIND_ORPHAN,
        [key, sample, round, digest],
      )
      if (row === undefined) return null
      const reply = parseReply(row)
      return { attempt_id: row.id, grade_id: row.grade_id, reply, cost_usd: row.cost_usd }
    },
    async isOutstanding(key, sample, round, digest) {
      if (!db.isShared) return false
      const rows = await db.rows<{ process: string }>(OUTSTANDING, [key, sample, round, digest])
      if (rows.length === 0) return false
      const living = await db.living()
      return rows.some((row) => living.includes(row.process))
    },
    async adopt(attemptId, gradeId, lease) {
      const adopted = db.isShared
        ? db.run(ADOPT_LEASED, [attemptId, gradeId, lease ?? null])
        : db.run(ADOPT, [attemptId, gradeId])
      if ((await adopted) > 0) return
      const known = await db.rows('SELECT 1 FROM attempts WHERE id = $1', [attemptId])
      if (known.length === 0) throw refuse(attemptId, 'does not exist')
    },
    markInterrupted: (isRunner = false) => db.write((sql) => interrupt(sql, isRunner ? db.process : null)),
    async inFlight(batch) {
      return Number((await db.rows<{ n: number }>(IN_FLIGHT, [batch]))[0]?.n ?? 0)
    },
    async listForGrade(gradeId) {
      const rows = await db.rows<EntryRow>(LIST_FOR_GRADE, [gradeId, await namedAttempts(gradeId)])
      return rows.map(parseEntry)
    },
    async listForBatch(batch, after) {
      const rows = await db.rows<BatchCallRow>(LIST_FOR_BATCH, [batch, after, after + WALKED_CALLS])
      const [end] = await db.rows<{ last: number | null }>('SELECT max(seq) AS last FROM attempts')
      return parseBatchCalls(rows, after, end?.last ?? 0)
    },
    outputHistory: async (judge) => parseHistory(await db.rows<AnswerRow>(ANSWERS, [judge])),
    async listReplies(gradeId) {
      const ids = await namedAttempts(gradeId)
      const rows = ids.length === 0 ? [] : await db.rows<StoredReplyRow>(LIST_REPLIES, [ids])
      return rows.map(parseStoredReply)
    },
  }
}

/** `unknown` too: a process that was taken for dead may end its calls after all. */
function* finish(sql: Sql, attempt: FinishedAttempt, end: EndRow): Work<void> {
  for (const outcome of ['sent', 'unknown'] as const) {
    const values = [attempt.id, outcome, ...END_COLUMNS.map((name) => end[name])]
    const [open] = yield* sql.rows<CountedRow>(FINISH, values)
    if (open === undefined) continue
    const reserved = open.reserved_usd ?? 0
    // Takes back what it was counted as.
    const released: Partial<Amounts> =
      outcome === 'sent' ? { reserved_usd: -reserved } : { uncertain_usd: -reserved, unknown_calls: -1 }
    return yield* addSpending(sql, [[open, addAmounts(released, amountsOf(attempt, reserved))]])
  }
  throw refuse(attempt.id, 'is not in flight')
}

/** Marks the calls of dead processes, and the calls for batches of all but the `runner`; null: no process runs all batches. */
function* interrupt(sql: Sql, runner: string | null): Work<number> {
  const lost = yield* sql.rows<CountedRow & { readonly id: string }>(LOST, [yield* sql.living(), runner])
  yield* sql.run(INTERRUPT, [columnOf(lost, 'id')])
  yield* addSpending(
    sql,
    lost.map((row) => {
      const reserved = row.reserved_usd ?? 0
      return [row, { reserved_usd: -reserved, uncertain_usd: reserved, unknown_calls: 1 }]
    }),
  )
  return lost.length
}

const refuse = (id: string, why: string) => refusal(`the attempt ${id} ${why}`)
