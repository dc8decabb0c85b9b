import type { ProviderQueue } from '../../grading/provider-ports.ts'
import type { Outside } from '../outside.ts'
import { fetchReply } from '../outside-replies.ts'
import { type AnswerRow, parseAnswers, parseSubmission, renderRequest, type SubmissionRow } from '../provider-rows.ts'
import { lockOpenItem, waitItem } from './provider-items.ts'
import { createSubmissions } from './provider-submissions.ts'
import { addSpending, findBroken } from './spending.ts'
import { insertOf } from './statements.ts'
import { Undo, type Unit } from './unit.ts'

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

/** Questions in a provider’s batch endpoint, over PostgreSQL; it refuses what that over SQLite refuses. */
export function createProviderQueue(unit: Unit, outside: Outside): ProviderQueue {
  return {
    ...createSubmissions(unit, outside),
    enqueue: (request, caps) =>
      unit.write(async (sql) => {
        const { planned, item } = request
        if (!(await lockOpenItem(sql, item))) return null
        const { payer, started_at, reserved_usd } = planned
        const row = { ...renderRequest(request), payer, started_at, reserved_usd }
        await sql.run(...insertOf('provider_requests', { ...row, status: 'queued' }))
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
    listOpen: async (batch) => (await unit.rows<SubmissionRow>(OPEN_SUBMISSIONS, [batch])).map(parseSubmission),
  }
}
