import type { ProviderQueue } from '../../ports/provider-ports.ts'
import type { Outside } from '../outside.ts'
import { fetchReply } from '../outside-replies.ts'
import {
  type AnswerRow,
  MOST_PAST_ROUNDS,
  type PastRoundRow,
  parseAnswers,
  parseRound,
  parseSubmission,
  ROUND,
  type RoundRow,
  renderRequest,
  type SubmissionRow,
} from '../provider-rows.ts'
import { insertFenced } from './cluster/fencing.ts'
import type { Processes } from './cluster/processes.ts'
import { Undo, type Unit } from './connection/unit.ts'
import { lockOpenItem, waitItem } from './provider-items.ts'
import { createSubmissions } from './provider-submissions.ts'
import { addSpending, findBroken } from './spending.ts'

/** All rows of one question are its tries: a handful. */
const ANSWERS_OF = `
  SELECT request.id, request.status, request.failure, attempts.reply_text, attempts.raw_reply, attempts.usage,
    attempts.request_id, attempts.model_resolved, attempts.cost_usd, attempts.latency_ms
  FROM provider_requests AS request LEFT JOIN attempts ON attempts.id = request.id
  WHERE request.batch = $1 AND request.key = $2 AND request.sample = $3 AND request.round = $4
    AND request.request_digest = $5
  ORDER BY request.seq DESC`

/** One step of the index a judge: reading all that is queued would be a walk over the batch. */
const QUEUED_JUDGES = `
  WITH RECURSIVE step AS (
    (SELECT judge FROM provider_requests WHERE batch = $1 AND status = 'queued' ORDER BY judge LIMIT 1)
    UNION ALL
    SELECT (SELECT judge FROM provider_requests
      WHERE batch = $1 AND status = 'queued' AND judge > step.judge ORDER BY judge LIMIT 1)
    FROM step WHERE step.judge IS NOT NULL
  )
  SELECT judge FROM step WHERE judge IS NOT NULL`

const OPEN_SUBMISSIONS = `
  SELECT id, judge, batch, status, provider_id, recorded_at, requests FROM provider_batches
  WHERE batch = $1 AND status IN ('recorded', 'submitted') ORDER BY seq`

const PAST_ROUNDS = `
  SELECT recorded_at, ended_at FROM provider_batches WHERE judge = $1 AND status = 'ended'
  ORDER BY seq DESC LIMIT ${MOST_PAST_ROUNDS}`

/** Nobody sends for longer. */
const BEING_SENT = `
  SELECT submission FROM sendings
  WHERE submission = ANY($1) AND process = ANY($2) AND since > clock_timestamp() - interval '20 minutes'`

const othersOf = async (unit: Unit, processes: Processes): Promise<string[]> =>
  (await processes.living(unit)).filter((id) => id !== processes.id)

/** Questions in a provider’s batch endpoint, over PostgreSQL; it refuses what that over SQLite refuses. */
export function createProviderQueue(unit: Unit, processes: Processes, outside: Outside): ProviderQueue {
  return {
    ...createSubmissions(unit, processes, outside),
    enqueue: (request, caps) =>
      unit.write(async (sql) => {
        const { planned, item } = request
        if (!(await lockOpenItem(sql, item))) return null
        const { payer, started_at, reserved_usd } = planned
        const row = { ...renderRequest(request), payer, started_at, reserved_usd }
        await insertFenced(sql, 'provider_requests', { ...row, status: 'queued' }, planned.leases ?? [])
        await waitItem(sql, item)
        const broken = await findBroken(sql, planned, reserved_usd, caps)
        if (broken !== null) throw new Undo(broken)
        await addSpending(sql, [[planned, { reserved_usd: reserved_usd ?? 0 }]])
        return null
      }),
    async find({ batch, key, sample, round, request_digest }) {
      const [newest, ...older] = await unit.rows<AnswerRow>(ANSWERS_OF, [batch, key, sample, round, request_digest])
      return newest === undefined ? null : parseAnswers([await fetchReply(outside, newest), ...older])
    },
    async queuedJudges(batch) {
      const rows = await unit.rows<{ judge: string }>(QUEUED_JUDGES, [batch])
      return rows.map(({ judge }) => judge)
    },
    async round(batch) {
      const [row] = await unit.rows<RoundRow>(ROUND, [batch])
      return row === undefined ? null : parseRound(row, await unit.rows<PastRoundRow>(PAST_ROUNDS, [row.judge]))
    },
    async listOpen(batch) {
      const records = (await unit.rows<SubmissionRow>(OPEN_SUBMISSIONS, [batch])).map(parseSubmission)
      if (records.every(({ status }) => status === 'submitted')) return records
      const ids = records.map(({ id }) => id)
      const sent = await unit.rows<{ submission: string }>(BEING_SENT, [ids, await othersOf(unit, processes)])
      const beingSent = new Set(sent.map(({ submission }) => submission))
      return records.map((record) => (beingSent.has(record.id) ? { ...record, is_being_sent: true } : record))
    },
  }
}
