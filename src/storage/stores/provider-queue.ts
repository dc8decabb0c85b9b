import type { ProviderBatchRecord, ProviderQueue } from '../../ports/provider-ports.ts'
import { type Db, Undo } from '../db.ts'
import { columnOf } from '../statements.ts'
import { isOpenItem, waitItem } from './provider-items.ts'
import {
  type AnswerRow,
  type PastRoundRow,
  parseAnswer,
  parseRound,
  type RoundRow,
  renderRequest,
} from './provider-rows.ts'
import { createSubmissions } from './provider-submissions.ts'
import { addSpending, findBroken } from './spending.ts'

/** All rows of one question are its tries: a handful. */
export const ANSWERS_OF = `
  SELECT request.id, request.status, request.failure, attempts.reply_text, attempts.raw_reply, attempts.usage,
    attempts.request_id, attempts.model_resolved, attempts.cost_usd, attempts.latency_ms
  FROM provider_requests AS request LEFT JOIN attempts ON attempts.id = request.id
  WHERE request.batch = $1 AND request.key = $2 AND request.sample = $3 AND request.round = $4
    AND request.request_digest = $5
  ORDER BY request.seq DESC`

const NEXT_JUDGE = "SELECT min(judge) FROM provider_requests WHERE batch = $1 AND status = 'queued'"

/** One step of the index a judge: reading all that is queued would be a walk over the batch. */
export const QUEUED_JUDGES = `
  WITH RECURSIVE step (judge) AS (
    ${NEXT_JUDGE}
    UNION ALL
    SELECT (${NEXT_JUDGE} AND judge > step.judge) FROM step WHERE step.judge IS NOT NULL
  )
  SELECT judge FROM step WHERE judge IS NOT NULL`

export const OPEN_SUBMISSIONS = `
  SELECT id, judge, batch, status, provider_id, recorded_at, requests FROM provider_batches
  WHERE batch = $1 AND status IN ('recorded', 'submitted') ORDER BY seq`

/** A batch has a handful of submissions. */
const ROUND = `
  SELECT count(*) FILTER (WHERE status = 'ended') AS ended,
    sum(requests) FILTER (WHERE status IN ('recorded', 'submitted')) AS questions,
    min(recorded_at) FILTER (WHERE status IN ('recorded', 'submitted')) AS begun_at,
    min(judge) FILTER (WHERE status IN ('recorded', 'submitted')) AS judge
  FROM provider_batches WHERE batch = $1`

const PAST_ROUNDS = `
  SELECT recorded_at, ended_at FROM provider_batches WHERE judge = $1 AND status = 'ended' ORDER BY seq DESC LIMIT 20`

/** No sending takes longer. */
const BEING_SENT = `
  SELECT submission FROM sendings
  WHERE submission = ANY($1) AND process = ANY($2) AND since > clock_timestamp() - interval '20 minutes'`

/**
 * Questions in a provider’s batch endpoint. A question for an item that has ended is not queued. `record`,
 * `lines` and the rest work on one submission by its id; what is asked of one that is not there changes nothing, but for
 * `markSubmitted`, which rejects.
 */
export function createProviderQueue(db: Db): ProviderQueue {
  return {
    ...createSubmissions(db),
    enqueue: (request, caps) =>
      db.write(function* (sql) {
        const { planned, item } = request
        if (!(yield* isOpenItem(sql, item))) return null
        const { payer, started_at, reserved_usd } = planned
        const row = { ...renderRequest(request), ...(db.isShared && { payer, started_at, reserved_usd }) }
        yield* sql.insert('provider_requests', { ...row, status: 'queued' }, planned.leases)
        yield* waitItem(sql, item)
        const broken = yield* findBroken(sql, planned, reserved_usd, caps)
        if (broken !== null) throw new Undo(broken)
        yield* addSpending(sql, [[planned, { reserved_usd: reserved_usd ?? 0 }]])
        return null
      }),
    async find({ batch, key, sample, round, request_digest }) {
      const [newest, ...older] = await db.rows<AnswerRow>(ANSWERS_OF, [batch, key, sample, round, request_digest])
      return newest === undefined ? null : parseAnswer(newest, 1 + older.length)
    },
    queuedJudges: async (batch) => columnOf(await db.rows<{ judge: string }>(QUEUED_JUDGES, [batch]), 'judge'),
    async round(batch) {
      const [row] = await db.rows<RoundRow>(ROUND, [batch])
      return row === undefined ? null : parseRound(row, await db.rows<PastRoundRow>(PAST_ROUNDS, [row.judge]))
    },
    async listOpen(batch) {
      const records = await db.rows<ProviderBatchRecord>(OPEN_SUBMISSIONS, [batch])
      if (!db.isShared || records.every(({ status }) => status === 'submitted')) return records
      const others = (await db.living()).filter((id) => id !== db.process)
      const sent = await db.rows<{ submission: string }>(BEING_SENT, [columnOf(records, 'id'), others])
      const beingSent = new Set(columnOf(sent, 'submission'))
      return records.map((record) => (beingSent.has(record.id) ? { ...record, is_being_sent: true } : record))
    },
  }
}
