import { sql as raw } from 'kysely'
import { historyOf, MOST_ANSWERS, MOST_CALLS, type OutputHistory } from '../domain/money/price.ts'
import type { JudgeReply } from '../judges/judge.ts'
import type { AttemptSummary, Grade, Usage } from '../schemas/grade.ts'
import { all, type Db, first, isIn } from './db.ts'
import type { EndColumns, PlannedCall, ReplyColumns } from './schema.ts'

export const REPLY = raw`reply_text, raw_reply, usage, request_id, model_resolved`

export type GoodReply = Extract<JudgeReply, { ok: true }>

/** Parses a good reply; a CHECK holds its texts in every row of outcome `ok`. */
export const parseReply = ({ reply_text, raw_reply, usage, request_id, model_resolved }: ReplyColumns): GoodReply => ({
  ...{ ok: true, text: reply_text ?? '', raw: raw_reply ?? '' },
  ...{ usage, model_resolved, request_id },
})

/** A stored call, as `GET /v1/grades/{id}` and the audit see it. */
export interface LedgerEntry extends Readonly<Omit<PlannedCall & EndColumns, 'item' | 'reply_text'>> {
  readonly outcome: AttemptSummary['outcome']
}

/** A stored call of a batch. `grade_id` is null where no grade was stored for the call. */
export type BatchCall = Omit<LedgerEntry, 'grade_id'> & { readonly grade_id: string | null }

export interface StoredReply extends Readonly<Pick<PlannedCall, 'sample' | 'round' | 'purpose' | 'request_digest'>> {
  readonly attempt_id: string
  readonly reply: GoodReply
}

/** Calls of the ledger, which no index leads to, and calls of the batch in one turn of `listForBatch`. */
const WALKED_CALLS = 1000
const LISTED_CALLS = 100

/** Stored calls of judges, which the audit reads. */
export function createAttempts(db: Db) {
  const namedAttempts = async (gradeId: string): Promise<string[]> => {
    const row = await first<{ grade: Grade }>(db.read)`SELECT body AS grade FROM grades WHERE id = ${gradeId}`
    return (row?.grade.receipt.attempts ?? []).map(({ id }) => id)
  }
  return {
    /** Lists the calls of a grade, and the calls of other grades that its receipt names, oldest first. */
    async listForGrade(gradeId: string): Promise<readonly LedgerEntry[]> {
      const named = isIn(db, 'id', await namedAttempts(gradeId))
      return all<LedgerEntry>(db.read)`SELECT ${ENTRY}, grade_id FROM attempts
        WHERE (grade_id = ${gradeId} OR ${named}) AND ${IS_LISTED} ORDER BY started_at, seq`
    },
    /** Lists calls of a batch in order, a stretch of the ledger at a time: `after` is 0 or the `next` of the stretch before, which is null after the last. */
    async listForBatch(batch: string, after: number) {
      const end = after + WALKED_CALLS
      const rows = await all<BatchCall & { seq: number }>(db.read)`
        SELECT ${ENTRY}, CASE WHEN ${IS_GRADED} THEN grade_id END AS grade_id, seq FROM attempts
        WHERE seq > ${after} AND seq <= ${end} AND batch = ${batch} AND ${IS_LISTED} ORDER BY seq LIMIT ${LISTED_CALLS}`
      const last = await first<{ seq: number | null }>(db.read)`SELECT max(seq) AS seq FROM attempts`
      const next = rows.length < LISTED_CALLS ? end : (rows.at(-1)?.seq ?? end)
      return {
        calls: rows.map(({ seq: _, ...row }): BatchCall => row),
        next: next < (last?.seq ?? 0) ? next : null,
      }
    },
    /** Sums the output of a judge’s newest answers, among the newest calls of all judges. */
    async outputHistory(judge: string): Promise<OutputHistory> {
      return historyOf(
        await all<{ purpose: PlannedCall['purpose']; usage: Usage }>(db.read)`SELECT purpose, usage FROM (
          SELECT seq, judge, outcome, purpose, usage FROM attempts ORDER BY seq DESC LIMIT ${MOST_CALLS}
        ) AS newest
        WHERE judge = ${judge} AND outcome IN ('ok', 'truncated') AND usage IS NOT NULL
        ORDER BY seq DESC LIMIT ${MOST_ANSWERS}`,
      )
    },
    /** Lists the good replies of a grade, as they were used: to be checked again without a call. */
    async listReplies(gradeId: string): Promise<readonly StoredReply[]> {
      const named = await namedAttempts(gradeId)
      if (named.length === 0) return []
      const rows = await all<Omit<StoredReply, 'reply'> & ReplyColumns>(db.read)`
        SELECT id AS attempt_id, sample, round, purpose, request_digest, ${REPLY} FROM attempts
        WHERE outcome = 'ok' AND ${isIn(db, 'id', named)} ORDER BY sample, started_at, seq`
      return rows.map(({ attempt_id, sample, round, purpose, request_digest, ...reply }) => ({
        ...{ attempt_id, sample, round, purpose, request_digest },
        reply: parseReply(reply),
      }))
    },
  }
}

/** Condition: a grade was written for the call. */
export const IS_GRADED = raw`EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)`
/** Condition: the call is a direct call without an end. */
export const IN_FLIGHT = raw`outcome = 'sent' AND submission IS NULL`
/** Condition: the call is no question of a provider’s batch that has no answer. */
const IS_LISTED = raw`(outcome NOT IN ('queued', 'sent', 'void') OR (${IN_FLIGHT}))`

const ENTRY = raw`id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd,
  outcome, message, raw_reply, usage, cost_usd, latency_ms, request_id, model_resolved`
