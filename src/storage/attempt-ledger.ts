import type Database from 'better-sqlite3'
import type { AttemptLedger, FinishedAttempt, JudgeReply, LedgerEntry } from '../grading/ports.ts'
import type { Usage } from '../schemas/grade.ts'
import { StorageError } from './storage-error.ts'
import { packText, parseStored, unpackText } from './stored-text.ts'
import type { Unit } from './unit.ts'

type GoodReply = Extract<JudgeReply, { ok: true }>

interface EntryRow extends Omit<LedgerEntry, 'raw_reply' | 'usage'> {
  readonly raw_reply: Buffer | null
  readonly usage: string | null
}

interface OrphanRow extends Pick<LedgerEntry, 'id' | 'model_resolved' | 'request_id' | 'cost_usd'> {
  readonly reply_text: Buffer
  readonly raw_reply: Buffer
  readonly usage: string | null
}

/** Replies up to this many bytes are kept as they are. */
const COMPRESS_ABOVE = 1024

const BEGIN = `
  INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome)
  VALUES (@id, @grade_id, @key, @sample, @round, @purpose, @request_digest, @judge, @started_at, 'sent')`

/**
 * `unknown` too: a second process that starts on the same file marks the calls of the first, which then end after all.
 */
const FINISH = `
  UPDATE attempts SET outcome = @outcome, message = @message, reply_text = @reply_text, raw_reply = @raw_reply,
    usage = @usage, cost_usd = @cost_usd, latency_ms = @latency_ms, request_id = @request_id,
    model_resolved = @model_resolved
  WHERE id = @id AND outcome IN ('sent', 'unknown')`

const IS_ORPHAN = 'NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)'

export const FIND_ORPHAN = `
  SELECT id, reply_text, raw_reply, usage, cost_usd, request_id, model_resolved FROM attempts
  WHERE key = ? AND sample = ? AND round = ? AND request_digest = ? AND outcome = 'ok' AND ${IS_ORPHAN}
  ORDER BY started_at DESC, rowid DESC LIMIT 1`

const ADOPT = `UPDATE attempts SET grade_id = ? WHERE id = ? AND ${IS_ORPHAN}`

export const MARK_INTERRUPTED = `
  UPDATE attempts SET outcome = 'unknown', message = 'the process ended while the call was in flight'
  WHERE outcome = 'sent'`

/** Calls that began in the same millisecond stand in the order in which they were begun; their ids are random there. */
export const LIST_FOR_GRADE = `
  SELECT id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome, message, raw_reply,
    usage, cost_usd, latency_ms, request_id, model_resolved
  FROM attempts WHERE grade_id = ? ORDER BY started_at, rowid`

/**
 * * The ledger of judge calls. `finish` and `adopt` reject for a call that was never begun, and `finish` for one that
 * has ended already: a reply is never overwritten. `adopt` leaves a call where it is when its own grade was written
 * meanwhile.
 */
export function createAttemptLedger(db: Database.Database, unit: Unit): AttemptLedger {
  const begin = db.prepare(BEGIN)
  const finish = db.prepare(FINISH)
  const orphan = db.prepare(FIND_ORPHAN)
  const exists = db.prepare('SELECT 1 FROM attempts WHERE id = ?').pluck()
  const adopt = db.prepare(ADOPT)
  const interrupted = db.prepare(MARK_INTERRUPTED)
  const list = db.prepare(LIST_FOR_GRADE)
  return {
    begin: (attempt) => unit.write(() => void begin.run({ ...attempt })),
    finish: (attempt) =>
      unit.write(() => {
        if (finish.run(toRow(attempt)).changes === 0) throw refuse(attempt.id, 'is not in flight')
      }),
    findOrphan: (key, sample, round, digest) =>
      unit.read(() => {
        const row = orphan.get(key, sample, round, digest) as OrphanRow | undefined
        return row === undefined ? null : { attempt_id: row.id, reply: toReply(row), cost_usd: row.cost_usd }
      }),
    adopt: (attemptId, gradeId) =>
      unit.write(() => {
        if (exists.get(attemptId) === undefined) throw refuse(attemptId, 'does not exist')
        adopt.run(gradeId, attemptId)
      }),
    markInterrupted: () => unit.write(() => interrupted.run().changes),
    listForGrade: (gradeId) => unit.read(() => (list.all(gradeId) as EntryRow[]).map(toEntry)),
  }
}

const refuse = (id: string, why: string) => new StorageError('storage_error', `the attempt ${id} ${why}`)

function toRow(attempt: FinishedAttempt) {
  const { reply } = attempt
  return {
    id: attempt.id,
    outcome: attempt.outcome,
    message: attempt.message,
    reply_text: reply.ok ? packText(reply.text, COMPRESS_ABOVE) : null,
    raw_reply: reply.raw === null ? null : packText(reply.raw, COMPRESS_ABOVE),
    usage: reply.usage === null ? null : JSON.stringify(reply.usage),
    cost_usd: attempt.cost_usd,
    latency_ms: attempt.latency_ms,
    request_id: reply.request_id,
    model_resolved: reply.model_resolved,
  }
}

const usageOf = (text: string | null): Usage | null => (text === null ? null : parseStored<Usage>(text))

const toReply = (row: OrphanRow): GoodReply => ({
  ok: true,
  text: unpackText(row.reply_text),
  raw: unpackText(row.raw_reply),
  usage: usageOf(row.usage),
  model_resolved: row.model_resolved,
  request_id: row.request_id,
})

const toEntry = (row: EntryRow): LedgerEntry => ({
  ...row,
  usage: usageOf(row.usage),
  raw_reply: row.raw_reply === null ? null : unpackText(row.raw_reply),
})
