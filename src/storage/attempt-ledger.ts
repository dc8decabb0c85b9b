import type Database from 'better-sqlite3'
import type { AttemptLedger, FinishedAttempt, JudgeReply, LedgerEntry } from '../grading/ports.ts'
import type { Usage } from '../schemas/grade.ts'
import { compress, decompress } from './compress.ts'
import type { Unit } from './sqlite.ts'

interface Row extends Omit<LedgerEntry, 'raw_reply' | 'usage'> {
  readonly reply_text: Buffer | null
  readonly raw_reply: Buffer | null
  readonly usage: string | null
}

const BEGIN = `
  INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome)
  VALUES (@id, @grade_id, @key, @sample, @round, @purpose, @request_digest, @judge, @started_at, 'sent')`

const FINISH = `
  UPDATE attempts SET outcome = @outcome, message = @message, reply_text = @reply_text, raw_reply = @raw_reply, usage = @usage,
    cost_usd = @cost_usd, latency_ms = @latency_ms, request_id = @request_id, model_resolved = @model_resolved
  WHERE id = @id`

const ORPHAN = `
  SELECT * FROM attempts
  WHERE key = ? AND sample = ? AND round = ? AND request_digest = ? AND outcome = 'ok'
    AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)
  ORDER BY attempts.rowid DESC LIMIT 1`

export function createAttemptLedger(db: Database.Database, unit: Unit): AttemptLedger {
  const begin = db.prepare(BEGIN)
  const finish = db.prepare(FINISH)
  const orphan = db.prepare(ORPHAN)
  const adopt = db.prepare('UPDATE attempts SET grade_id = ? WHERE id = ?')
  const interrupted = db.prepare(
    "UPDATE attempts SET outcome = 'unknown', message = 'the process ended while the call was in flight' WHERE outcome = 'sent'",
  )
  const list = db.prepare('SELECT * FROM attempts WHERE grade_id = ? ORDER BY rowid')
  return {
    begin: (attempt) => unit.write(() => void begin.run({ ...attempt })),
    finish: (attempt) => unit.write(() => void finish.run(toRow(attempt))),
    findOrphan: (key, sample, round, digest) =>
      unit.read(() => {
        const row = orphan.get(key, sample, round, digest) as Row | undefined
        return row?.reply_text
          ? { attempt_id: row.id, reply: toReply(row, row.reply_text), cost_usd: row.cost_usd }
          : null
      }),
    adopt: (attemptId, gradeId) => unit.write(() => void adopt.run(gradeId, attemptId)),
    markInterrupted: () => unit.write(() => interrupted.run().changes),
    listForGrade: (gradeId) => unit.read(() => (list.all(gradeId) as Row[]).map(toEntry)),
  }
}

function toRow(attempt: FinishedAttempt) {
  const { reply } = attempt
  return {
    id: attempt.id,
    outcome: attempt.outcome,
    message: attempt.message,
    reply_text: reply.ok ? compress(reply.text) : null,
    raw_reply: reply.raw === null ? null : compress(reply.raw),
    usage: reply.usage === null ? null : JSON.stringify(reply.usage),
    cost_usd: attempt.cost_usd,
    latency_ms: attempt.latency_ms,
    request_id: reply.request_id,
    model_resolved: reply.model_resolved,
  }
}

const usageOf = (row: Row): Usage | null => (row.usage === null ? null : (JSON.parse(row.usage) as Usage))

const toReply = (row: Row, text: Buffer): Extract<JudgeReply, { ok: true }> => ({
  ok: true,
  text: decompress(text),
  raw: row.raw_reply === null ? '' : decompress(row.raw_reply),
  usage: usageOf(row),
  model_resolved: row.model_resolved,
  request_id: row.request_id,
})

function toEntry(row: Row): LedgerEntry {
  const { reply_text: _text, raw_reply, usage: _usage, ...rest } = row
  return { ...rest, usage: usageOf(row), raw_reply: raw_reply === null ? null : decompress(raw_reply) }
}
