import type Database from 'better-sqlite3'
import { MOST_ANSWERS, MOST_CALLS } from '../../domain/money/history.ts'
import type { AttemptLedger, FinishedAttempt, LedgerEntry, PlannedAttempt } from '../../ports/ledger-ports.ts'
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
  type StoredReplyRow,
  WALKED_CALLS,
} from '../attempt-rows.ts'
import type { Outside } from '../outside.ts'
import { fetchReplies, fetchReply, isLarge, keepEnd } from '../outside-replies.ts'
import type { Processes } from '../process-registry.ts'
import { StorageError } from '../storage-error.ts'
import { type Amounts, addAmounts, amountsOf, type Spending } from './spending.ts'
import type { Unit } from './unit.ts'

const BEGIN = `
  INSERT INTO attempts (
    id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, process,
    outcome
  ) VALUES (
    @id, @grade_id, @key, @sample, @round, @purpose, @request_digest, @judge, @started_at, @batch, @payer,
    @reserved_usd, @process, 'sent'
  )`

/** `unknown` too: a process that was taken for dead may end its calls after all. */
const OPEN_ATTEMPT = `
  SELECT id, outcome, started_at, batch, payer, reserved_usd FROM attempts WHERE id = ? AND outcome IN ('sent', 'unknown')`

const FINISH = `UPDATE attempts SET ${END_COLUMNS.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`

const IS_ORPHAN = 'NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)'

export const FIND_ORPHAN = `
  SELECT id, grade_id, reply_text, raw_reply, usage, cost_usd, request_id, model_resolved FROM attempts
  WHERE key = ? AND sample = ? AND round = ? AND request_digest = ? AND outcome = 'ok' AND ${IS_ORPHAN}
  ORDER BY started_at DESC, rowid DESC LIMIT 1`

const ADOPT = `UPDATE attempts SET grade_id = ? WHERE id = ? AND ${IS_ORPHAN}`

export const IN_FLIGHT = `
  SELECT id, outcome, started_at, batch, payer, reserved_usd, process FROM attempts WHERE outcome = 'sent'`

const INTERRUPT = `
  UPDATE attempts SET outcome = 'unknown', message = 'the process ended while the call was in flight' WHERE id = ?`

/** Calls that began in the same millisecond stand in the order in which they were begun; their ids are random there. */
export const LIST_FOR_GRADE = `
  SELECT id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, outcome,
    message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved
  FROM attempts WHERE grade_id = @id OR id IN (
    SELECT value ->> '$.id' FROM json_each((SELECT body FROM grades WHERE id = @id), '$.receipt.attempts')
  ) ORDER BY started_at, rowid`

const LIST_FOR_BATCH = `
  SELECT id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, outcome,
    message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved, NOT ${IS_ORPHAN} AS has_grade
  FROM attempts WHERE rowid > @after AND rowid <= @after + ${WALKED_CALLS} AND batch = @batch ORDER BY rowid`

export const LIST_REPLIES = `
  SELECT id, sample, round, purpose, request_digest, reply_text, raw_reply, usage, request_id, model_resolved
  FROM attempts WHERE outcome = 'ok' AND id IN (
    SELECT value ->> '$.id' FROM json_each((SELECT body FROM grades WHERE id = ?), '$.receipt.attempts')
  ) ORDER BY sample, started_at, rowid`

/** From the end, in the order of the table: neither an index nor the age of the database matters. */
const ANSWERS = `
  SELECT purpose, usage FROM (SELECT judge, outcome, purpose, usage FROM attempts ORDER BY rowid DESC LIMIT ${MOST_CALLS})
  WHERE judge = ? AND outcome IN ('ok', 'truncated') AND usage IS NOT NULL LIMIT ${MOST_ANSWERS}`

export type OrphanRow = ReplyRow & Pick<LedgerEntry, 'id' | 'grade_id' | 'cost_usd'>

export type OpenRow = Pick<LedgerEntry, 'id' | 'outcome' | 'started_at' | 'batch' | 'payer' | 'reserved_usd'>

/**
 * The ledger of judge calls. `finish` and `adopt` reject for a call that was never begun, and `finish` for one that
 * has ended already: a reply is never overwritten. `adopt` leaves a call where it is when its own grade was written
 * meanwhile.
 */
export function createAttemptLedger(
  db: Database.Database,
  unit: Unit,
  spending: Spending,
  processes: Processes,
  outside: Outside,
): AttemptLedger {
  const begin = db.prepare(BEGIN)
  const orphan = db.prepare(FIND_ORPHAN)
  const exists = db.prepare('SELECT 1 FROM attempts WHERE id = ?').pluck()
  const adopt = db.prepare(ADOPT)
  const list = db.prepare(LIST_FOR_GRADE)
  const ofBatch = db.prepare(LIST_FOR_BATCH)
  const last = db.prepare('SELECT max(rowid) FROM attempts').pluck()
  const replies = db.prepare(LIST_REPLIES)
  const answers = db.prepare(ANSWERS)
  const finish = prepareFinish(db, spending)
  const interrupt = prepareInterrupt(db, spending, processes)
  const write = (attempt: PlannedAttempt): void => {
    begin.run({ ...attempt, process: processes.id })
    spending.add(attempt, { reserved_usd: attempt.reserved_usd ?? 0, calls: 1 })
  }
  const rowOf = async (attempt: FinishedAttempt): Promise<EndRow> => {
    const end = renderEnd(attempt)
    return isLarge(outside, end) ? keepEnd(outside, end) : end
  }
  return {
    begin: (attempt, caps) =>
      unit.write(() => {
        const broken = spending.findBroken(attempt, attempt.reserved_usd, caps)
        if (broken === null) write(attempt)
        return broken
      }),
    async finish(attempt) {
      const row = await rowOf(attempt)
      await unit.write(() => finish(attempt, row))
    },
    async record(planned, finished) {
      const row = await rowOf(finished)
      await unit.write(() => {
        write(planned)
        finish(finished, row)
      })
    },
    // There are no leases here.
    isOutstanding: async () => false,
    async findOrphan(key, sample, round, digest) {
      const row = await unit.read(() => orphan.get(key, sample, round, digest) as OrphanRow | undefined)
      if (row === undefined) return null
      const reply = parseReply(await fetchReply(outside, row))
      return { attempt_id: row.id, grade_id: row.grade_id, reply, cost_usd: row.cost_usd }
    },
    adopt: (attemptId, gradeId) =>
      unit.write(() => {
        if (exists.get(attemptId) === undefined) throw refuse(attemptId, 'does not exist')
        adopt.run(gradeId, attemptId)
      }),
    markInterrupted: () => unit.write(interrupt),
    async listForGrade(gradeId) {
      const rows = await unit.read(() => list.all({ id: gradeId }) as EntryRow[])
      return (await fetchReplies(outside, rows)).map(parseEntry)
    },
    async listForBatch(batch, after) {
      const [rows, end] = await unit.read(
        () => [ofBatch.all({ batch, after }) as BatchCallRow[], last.get() as number | null] as const,
      )
      return parseBatchCalls(await fetchReplies(outside, rows), after, end)
    },
    outputHistory: (judge) => unit.read(() => parseHistory(answers.all(judge) as AnswerRow[])),
    async listReplies(gradeId) {
      const rows = await unit.read(() => replies.all(gradeId) as StoredReplyRow[])
      return (await fetchReplies(outside, rows)).map(parseStoredReply)
    },
  }
}

function prepareFinish(db: Database.Database, spending: Spending): (attempt: FinishedAttempt, row: EndRow) => void {
  const select = db.prepare(OPEN_ATTEMPT)
  const update = db.prepare(FINISH)
  return (attempt, row) => {
    const open = select.get(attempt.id) as OpenRow | undefined
    if (open === undefined) throw refuse(attempt.id, 'is not in flight')
    update.run(row)
    spending.add(open, addAmounts(releaseOf(open), amountsOf(attempt, open.reserved_usd ?? 0)))
  }
}

/** Takes back what an open call was counted as. */
export function releaseOf({ outcome, reserved_usd }: OpenRow): Partial<Amounts> {
  const reserved = reserved_usd ?? 0
  return outcome === 'unknown' ? { uncertain_usd: -reserved, unknown_calls: -1 } : { reserved_usd: -reserved }
}

/** Calls of dead processes. A call from before there were processes has none: its process is gone. */
function prepareInterrupt(db: Database.Database, spending: Spending, processes: Processes): () => number {
  const inFlight = db.prepare(IN_FLIGHT)
  const update = db.prepare(INTERRUPT)
  return () => {
    const living = processes.living()
    const rows = inFlight.all() as (OpenRow & { readonly process: string | null })[]
    const lost = rows.filter((row) => row.process === null || !living.has(row.process))
    for (const row of lost) {
      update.run(row.id)
      spending.add(row, addAmounts(releaseOf(row), { uncertain_usd: row.reserved_usd ?? 0, unknown_calls: 1 }))
    }
    return lost.length
  }
}

const refuse = (id: string, why: string) => new StorageError('storage_error', `the attempt ${id} ${why}`)
