import type { Sql } from '../../src/db/db.ts'
import type { FinishedAttempt, PlannedAttempt } from '../../src/db/ledger.ts'
import type { Amounts } from '../../src/db/schema.ts'
import { type Caps, NO_CAPS, NOTHING, type OverBudget } from '../../src/db/spending.ts'
import type { Stores } from '../../src/db/stores.ts'
import { type Digest, digestBytes } from '../../src/domain/digest.ts'
import type { JudgeReply } from '../../src/judges/judge.ts'
import type { FailureCode } from '../../src/schemas/vocabulary.ts'

export const KEY: Digest = digestBytes('a key')
export const REQUEST: Digest = digestBytes('a request')

/** A call that is about to be made. */
export const planAttempt = (id: string, given: Partial<PlannedAttempt> = {}): PlannedAttempt => ({
  id,
  grade_id: 'grd_a',
  key: KEY,
  sample: 0,
  round: 0,
  purpose: 'decide',
  request_digest: REQUEST,
  judge: 'openai',
  started_at: '2026-11-21T00:00:00.000Z',
  batch: null,
  item: null,
  payer: null,
  reserved_usd: null,
  ...given,
})

/** Begins a call of a judge without a limit; returns the cap that its bound would pass. */
export async function begin(
  { attempts }: Pick<Stores, 'attempts'>,
  attempt: PlannedAttempt,
  caps: Caps = NO_CAPS,
): Promise<OverBudget | null> {
  const turn = { limit: Number.POSITIVE_INFINITY, now: Date.parse(attempt.started_at), lost_ms: 1e12 }
  const reserved = await attempts.reserve({ attempt, caps, ...turn, own: new Set([attempt.grade_id]) })
  if (reserved.kind === 'over') return reserved.over
  if (reserved.kind !== 'call') throw new Error(`the call ${attempt.id} is told: ${JSON.stringify(reserved)}`)
  return null
}

export type GoodReply = Extract<JudgeReply, { ok: true }>

export const goodReply = (given: Partial<GoodReply> = {}): GoodReply => ({
  ok: true,
  text: '{"notes":"ok"}',
  raw: '{"choices":[]}',
  usage: { input_tokens: 100, output_tokens: 10, cache_read_tokens: 5, cache_write_tokens: 0 },
  model_resolved: 'judge-1-0101',
  request_id: 'req_1',
  ...given,
})

type FailedReply = Extract<JudgeReply, { ok: false }>

export const failedReply = (code: FailureCode, given: Partial<FailedReply> = {}): FailedReply => ({
  ok: false,
  failure: { code, message: `it was ${code}`, retryable: false, retry_after_s: null },
  raw: null,
  usage: null,
  model_resolved: null,
  request_id: null,
  ...given,
})

/** The end of a good call. */
export const finishOk = (id: string, reply: GoodReply = goodReply()): FinishedAttempt => ({
  id,
  outcome: 'ok',
  message: null,
  reply,
  latency_ms: 12.5,
  cost_usd: 0.001,
})

/** The end of a call that timed out after it had answered something. */
export const finishFailed = (id: string, raw: string | null = '{"error":"slow"}'): FinishedAttempt => {
  const message = 'no answer in time'
  const usage = { input_tokens: 7, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }
  const failure = { code: 'timeout', message, retryable: true, retry_after_s: null } as const
  const reply = failedReply('timeout', { failure, raw, usage, request_id: 'req_slow' })
  return { id, outcome: 'timeout', message, reply, latency_ms: 60_000, cost_usd: null }
}

/** Reads the amounts of a scope; a scope without a row has spent nothing. */
export const readSpending = async (sql: Sql, scope: string): Promise<Amounts> =>
  (await sql.query<Amounts>(`SELECT * FROM spending WHERE scope = '${scope}'`)).rows[0] ?? NOTHING
