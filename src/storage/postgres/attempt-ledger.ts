import { MOST_ANSWERS, MOST_CALLS } from '../../domain/money/history.ts'
import type { AttemptLedger, FinishedAttempt, PlannedAttempt } from '../../ports/ledger-ports.ts'
import type { Grade } from '../../schemas/grade.ts'
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
  renderEnd,
  type StoredReplyRow,
  WALKED_CALLS,
} from '../attempt-rows.ts'
import type { Outside } from '../outside.ts'
import { fetchReplies, fetchReply, isLarge, keepEnd } from '../outside-replies.ts'
import { type OpenRow, type OrphanRow, releaseOf } from '../sqlite/attempt-ledger.ts'
import { addAmounts, amountsOf } from '../sqlite/spending.ts'
import { StorageError } from '../storage-error.ts'
import { parseStored } from '../stored-text.ts'
import { insertFenced } from './cluster/fencing.ts'
import type { Processes } from './cluster/processes.ts'
import type { Sql } from './connection/pool.ts'
import { Undo, type Unit } from './connection/unit.ts'
import { addSpending, findBroken } from './spending.ts'

const OPEN_COLUMNS = 'id, outcome, started_at, batch, payer, reserved_usd'

/** `unknown` too: a process that was taken for dead may end its calls after all. */
const FINISH = `
  UPDATE attempts SET ${END_COLUMNS.map((name, index) => `${name} = $${index + 2}`).join(', ')}
  FROM (SELECT ${OPEN_COLUMNS} FROM attempts WHERE id = $1 AND outcome IN ('sent', 'unknown') FOR UPDATE) AS open
  WHERE attempts.id = open.id RETURNING open.*`

const IS_ORPHAN = 'NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)'

const IS_NOBODYS = `
  NOT EXISTS (SELECT 1 FROM leases WHERE leases.token = attempts.lease AND leases.until > clock_timestamp())`

const FIND_ORPHAN = `
  SELECT id, grade_id, reply_text, raw_reply, usage, cost_usd, request_id, model_resolved FROM attempts
  WHERE key = $1 AND sample = $2 AND round = $3 AND request_digest = $4 AND outcome = 'ok' AND ${IS_ORPHAN} AND ${IS_NOBODYS}
  ORDER BY started_at DESC, seq DESC LIMIT 1`

/** Those on their way are few, and have an index. */
const OUTSTANDING = `
  SELECT process FROM attempts
  WHERE outcome = 'sent' AND key = $1 AND sample = $2 AND round = $3 AND request_digest = $4 AND lease IS NOT NULL AND ${IS_NOBODYS}`

const ADOPT = `UPDATE attempts SET grade_id = $2, lease = $3 WHERE id = $1 AND ${IS_ORPHAN} AND (lease = $3 OR ${IS_NOBODYS})`

const INTERRUPT = `
  UPDATE attempts SET outcome = 'unknown', message = 'the process ended while the call was in flight'
  FROM (
    SELECT ${OPEN_COLUMNS} FROM attempts
    WHERE outcome = 'sent' AND (process IS NULL OR NOT process = ANY($1)) ORDER BY seq FOR UPDATE
  ) AS open
  WHERE attempts.id = open.id RETURNING open.*`

/** Calls that began in the same millisecond stand in the order in which they were begun; their ids are random there. */
const LIST_FOR_GRADE = `
  SELECT id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, outcome,
    message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved
  FROM attempts WHERE grade_id = $1 OR id = ANY($2) ORDER BY started_at, seq`

const LIST_FOR_BATCH = `
  SELECT id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, outcome,
    message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved, NOT ${IS_ORPHAN} AS has_grade
  FROM attempts WHERE seq > $2 AND seq <= $2::bigint + ${WALKED_CALLS} AND batch = $1 ORDER BY seq`

const LIST_REPLIES = `
  SELECT id, sample, round, purpose, request_digest, reply_text, raw_reply, usage, request_id, model_resolved
  FROM attempts WHERE outcome = 'ok' AND id = ANY($1) ORDER BY sample, started_at, seq`

/** From the end, in the order of the table. */
const ANSWERS = `
  SELECT purpose, usage FROM (
    SELECT seq, judge, outcome, purpose, usage FROM attempts ORDER BY seq DESC LIMIT ${MOST_CALLS}) AS newest
  WHERE judge = $1 AND outcome IN ('ok', 'truncated') AND usage IS NOT NULL ORDER BY seq DESC LIMIT ${MOST_ANSWERS}`

/** The ledger of judge calls over PostgreSQL; it refuses what that over SQLite refuses. */
export function createAttemptLedger(unit: Unit, processes: Processes, outside: Outside): AttemptLedger {
  const insert = async (sql: Sql, attempt: PlannedAttempt): Promise<void> => {
    const { leases = [] } = attempt
    const more = { process: processes.id, lease: leases[0] ?? null, outcome: 'sent' }
    await insertFenced(sql, 'attempts', { ...renderPlanned(attempt), ...more }, leases)
  }
  const count = (sql: Sql, attempt: PlannedAttempt) =>
    addSpending(sql, [[attempt, { reserved_usd: attempt.reserved_usd ?? 0, calls: 1 }]])
  const rowOf = async (attempt: FinishedAttempt): Promise<EndRow> => {
    const end = renderEnd(attempt)
    return isLarge(outside, end) ? keepEnd(outside, end) : end
  }
  return {
    begin: (attempt, caps) =>
      unit.write(async (sql) => {
        await insert(sql, attempt)
        const broken = await findBroken(sql, attempt, attempt.reserved_usd, caps)
        if (broken !== null) throw new Undo(broken)
        await count(sql, attempt)
        return null
      }),
    async finish(attempt) {
      const row = await rowOf(attempt)
      await unit.write((sql) => finish(sql, attempt, row))
    },
    async record(planned, finished) {
      const row = await rowOf(finished)
      await unit.write(async (sql) => {
        await insert(sql, planned)
        await count(sql, planned)
        await finish(sql, finished, row)
      })
    },
    async findOrphan(key, sample, round, digest) {
      const [row] = await unit.rows<OrphanRow>(FIND_ORPHAN, [key, sample, round, digest])
      if (row === undefined) return null
      const reply = parseReply(await fetchReply(outside, row))
      return { attempt_id: row.id, grade_id: row.grade_id, reply, cost_usd: row.cost_usd }
    },
    async isOutstanding(key, sample, round, digest) {
      const rows = await unit.rows<{ process: string }>(OUTSTANDING, [key, sample, round, digest])
      if (rows.length === 0) return false
      const living = await processes.living(unit)
      return rows.some((row) => living.includes(row.process))
    },
    async adopt(attemptId, gradeId, lease) {
      if ((await unit.run(ADOPT, [attemptId, gradeId, lease ?? null])) > 0) return
      const known = await unit.rows('SELECT 1 FROM attempts WHERE id = $1', [attemptId])
      if (known.length === 0) throw refuse(attemptId, 'does not exist')
    },
    markInterrupted: () => unit.write((sql) => interrupt(sql, processes)),
    async listForGrade(gradeId) {
      const rows = await unit.rows<EntryRow>(LIST_FOR_GRADE, [gradeId, await namedAttempts(unit, gradeId)])
      return (await fetchReplies(outside, rows)).map(parseEntry)
    },
    async listForBatch(batch, after) {
      const rows = await unit.rows<BatchCallRow>(LIST_FOR_BATCH, [batch, after])
      const [end] = await unit.rows<{ last: string | number | null }>('SELECT max(seq) AS last FROM attempts')
      return parseBatchCalls(await fetchReplies(outside, rows), after, Number(end?.last ?? 0))
    },
    outputHistory: async (judge) => parseHistory(await unit.rows<AnswerRow>(ANSWERS, [judge])),
    async listReplies(gradeId) {
      const ids = await namedAttempts(unit, gradeId)
      const rows = ids.length === 0 ? [] : await unit.rows<StoredReplyRow>(LIST_REPLIES, [ids])
      return (await fetchReplies(outside, rows)).map(parseStoredReply)
    },
  }
}

/** A planned call as its columns. */
export function renderPlanned(planned: PlannedAttempt) {
  const { id, grade_id, key, sample, round, purpose, request_digest, judge } = planned
  const { started_at, batch, payer, reserved_usd } = planned
  return {
    ...{ id, grade_id, key, sample, round, purpose, request_digest, judge },
    ...{ started_at, batch, payer, reserved_usd },
  }
}

async function finish(sql: Sql, attempt: FinishedAttempt, end: EndRow): Promise<void> {
  const [open] = await sql.rows<OpenRow>(FINISH, [attempt.id, ...END_COLUMNS.map((name) => end[name])])
  if (open === undefined) throw refuse(attempt.id, 'is not in flight')
  await addSpending(sql, [[open, addAmounts(releaseOf(open), amountsOf(attempt, open.reserved_usd ?? 0))]])
}

/** Calls of dead processes. A call from before there were processes has none: its process is gone. */
async function interrupt(sql: Sql, processes: Processes): Promise<number> {
  const lost = await sql.rows<OpenRow>(INTERRUPT, [await processes.living(sql)])
  await addSpending(
    sql,
    lost.map((row) => [row, addAmounts(releaseOf(row), { uncertain_usd: row.reserved_usd ?? 0, unknown_calls: 1 })]),
  )
  return lost.length
}

/** The calls that the grade’s receipt names, whichever grade has paid for them. */
async function namedAttempts(unit: Unit, gradeId: string): Promise<string[]> {
  const [row] = await unit.rows<{ body: string }>('SELECT body FROM grades WHERE id = $1', [gradeId])
  return row === undefined ? [] : parseStored<Grade>(row.body).receipt.attempts.map(({ id }) => id)
}

const refuse = (id: string, why: string) => new StorageError('storage_error', `the attempt ${id} ${why}`)
