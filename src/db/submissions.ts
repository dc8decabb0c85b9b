import { sql as raw } from 'kysely'
import { quantile, sum } from '../domain/statistics/weighted-shares.ts'
import type { JudgeReply } from '../judges/judge.ts'
import type { BatchLimits } from '../schemas/providers.ts'
import { type ItemRef, isOf, lockBatch } from './batches.ts'
import { columns, type Db, insert, isIn, locked, type Sql, Undo } from './db.ts'
import { refusal } from './errors.ts'
import { asks, type PlannedAttempt, parseReply, type QuestionMark, REPLY, renderEnd } from './ledger.ts'
import type { Attempt, Submission } from './schema.ts'
import { addSpending, type Caps, type Ended, endCalls, type OverBudget, reserveIn } from './spending.ts'

/** One question of one item: the id of the call is the provider’s `custom_id`, and the line is sent. */
export type NewProviderRequest = Readonly<{ planned: PlannedAttempt; item: ItemRef; line: string }>

/** The end of a request; `reply` null: the request was never run. */
export type ProviderEnd = Readonly<{ id: string; reply: JudgeReply | null; cost_usd: number | null }>

/** The columns of a submission that a sender needs. */
const SENT = ['id', 'judge', 'batch', 'status', 'provider_id', 'recorded_at', 'requests'] as const

export type SubmissionRecord = Readonly<Pick<Submission, (typeof SENT)[number]>>

export type Submissions = ReturnType<typeof createSubmissions>

/** Questions in a provider’s batch endpoint. A submission is recorded before it is sent, an answer before it is used; each answer counts once. */
export const createSubmissions = (db: Db) => ({
  /** Queues a question, reserves its bound, and lets its item wait. Returns the cap that the bound would pass: then nothing is written. */
  enqueue: ({ planned, item, line }: NewProviderRequest, caps: Caps): Promise<OverBudget | null> =>
    db.write(async (sql) => {
      const { batch, index } = item
      // Two units of work at the same time would not see each other’s questions. Behind a cancel nothing would send or drop the question.
      if ((await lockBatch(sql, batch))?.status === 'cancelling') return null
      const same = await sql.first`
        SELECT id FROM attempts WHERE ${asksIn({ ...planned, batch })} AND outcome IN ('queued', 'sent', 'ok')`
      // Another process has queued the question of the batch since `find`.
      if (same !== undefined) return null
      const waiting = await sql.run`UPDATE batch_items SET status = 'waiting'
        WHERE ${isOf(batch)} AND idx = ${index} AND status IN ('pending', 'waiting')`
      if (waiting === 0) return null
      const bytes = Buffer.byteLength(`${line}\n`)
      const row = { ...planned, batch, item: index, outcome: 'queued', bytes, line } as const
      await insert(sql, 'attempts', row)
      const over = await reserveIn(sql, row, caps)
      if (over !== null) throw new Undo('over', { cause: over })
      return null
    }),
  /** Finds the newest request for a question in its batch, and the number of the requests. `open`: queued or sent; `void`: never run, at no cost. */
  async find(mark: BatchQuestion) {
    const row = await db.read.first<Attempt & { readonly tries: number }>`
      SELECT id, outcome, failure, cost_usd, ${REPLY}, (SELECT count(*) FROM attempts WHERE ${asksIn(mark)}) AS tries
      FROM attempts WHERE ${asksIn(mark)} ORDER BY seq DESC LIMIT 1`
    if (row === undefined) return null
    const { id: attempt_id, outcome, failure, cost_usd, tries } = row
    const isOpen = outcome === 'queued' || outcome === 'sent'
    const state = isOpen ? 'open' : outcome === 'void' ? 'void' : 'answered'
    const { text, ...good } = parseReply(row)
    const failed: JudgeReply | null = failure && { ...good, ok: false, failure, raw: row.raw_reply }
    const reply = failed ?? (outcome === 'ok' ? { ...good, text } : null)
    return { attempt_id, state, reply, cost_usd, tries }
  },
  async judges(batch: string): Promise<readonly string[]> {
    const rows = await db.read.all<Pick<Attempt, 'judge'>>`
      SELECT judge FROM attempts WHERE batch = ${batch} AND outcome = 'queued'
      UNION SELECT judge FROM submissions WHERE batch = ${batch} AND ${IS_OPEN}`
    return rows.map(({ judge }) => judge).sort()
  },
  /** Stores the ends of requests but those that have an end already, or belong to another submission. Returns the number of stored ends. */
  storeEnds(id: string, ends: readonly ProviderEnd[]): Promise<number> {
    // In the order of ids: two processes that store the same ends never wait for each other crosswise.
    const came = ends.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((end) => [end.id, endOf(end)] as const)
    return db.write(async (sql) => {
      const ended: Ended[] = []
      for (const [attempt, end] of came)
        ended.push(...(await endCalls(sql, raw`id = ${attempt} AND submission = ${id}`, 'sent', end)))
      await wakeItems(sql, ended)
      return ended.length
    })
  },
  /** Drops queued requests that were never sent, their reservations with them. */
  dropQueued: (batch: string): Promise<void> =>
    db.write(async (sql) => wakeItems(sql, await endCalls(sql, raw`batch = ${batch}`, 'queued', VOID))),
  /** Takes the oldest queued requests of a judge, within the limits but always one, into a recorded submission; null: none is queued. */
  record: ({ at, ...submission }: NewSubmission, limits: Limits): Promise<SubmissionRecord | null> =>
    db.write(async (sql) => {
      const { batch, judge } = submission
      const queued = await sql.all<Pick<Attempt, 'seq' | 'bytes'>>`
        SELECT seq, bytes FROM attempts WHERE batch = ${batch} AND judge = ${judge} AND outcome = 'queued'
        ORDER BY seq LIMIT ${limits.most_requests} ${locked(db)}`
      if (queued.length === 0) return null
      let bytes = 0
      const chosen = queued.filter((request, at) => {
        bytes += request.bytes ?? 0
        return at === 0 || bytes <= limits.most_bytes
      })
      const row = { ...submission, status: 'recorded', requests: chosen.length, recorded_at: at } as const
      await insert(sql, 'submissions', row)
      const seqs = chosen.map(({ seq }) => seq)
      await sql.run`UPDATE attempts SET outcome = 'sent', submission = ${row.id} WHERE ${isIn(sql, 'seq', seqs)}`
      return { ...row, provider_id: null }
    }),
  /** Lists ids and lines of a submission’s requests without an answer, in their order. */
  lines: (id: string) =>
    db.read.all<{ readonly id: string; readonly line: string }>`
      SELECT id, line FROM attempts WHERE submission = ${id} AND outcome = 'sent' ORDER BY seq`,
  /** Stores the provider’s id; the same id twice is fine, another id for the same submission is refused. */
  async markSubmitted(id: string, providerId: string): Promise<void> {
    const marked = await db.write(
      (sql) => sql.run`UPDATE submissions SET status = 'submitted', provider_id = ${providerId} WHERE id = ${id}
        AND (status = 'recorded' OR (status = 'submitted' AND provider_id = ${providerId}))`,
    )
    if (marked === 0) throw refusal(`the submission ${id} is not waiting to be sent`)
  },
  /** Ends a submission that ran nothing under its provider’s id, or was never sent (null), and queues its requests again; not where it has another id. */
  withdraw: (id: string, detail: string, at: string, providerId: string | null = null): Promise<void> =>
    db.write(async (sql) => {
      const ended = await sql.run`UPDATE submissions SET status = 'failed', detail = ${detail}, ended_at = ${at}
        WHERE id = ${id} AND ${IS_OPEN} AND provider_id IS NOT DISTINCT FROM ${providerId}`
      if (ended === 0) return
      await sql.run`
        UPDATE attempts SET outcome = 'queued', submission = NULL WHERE submission = ${id} AND outcome = 'sent'`
    }),
  /** Describes the part of a batch that lies with its provider; null: nothing does. `usual_seconds`: the median of the judge’s newest twenty submissions. */
  async round(batch: string) {
    const ofBatch = await db.read.all<Submission>`SELECT * FROM submissions WHERE batch = ${batch} ORDER BY seq`
    const open = ofBatch.filter(({ status }) => status === 'recorded' || status === 'submitted')
    const [oldest] = open
    if (oldest === undefined) return null
    const past = await db.read.all<Submission>`
      SELECT recorded_at, ended_at FROM submissions WHERE judge = ${oldest.judge} AND status = 'ended'
      ORDER BY seq DESC LIMIT 20`
    const took = past.map((row) => (Date.parse(row.ended_at ?? '') - Date.parse(row.recorded_at)) / 1000)
    took.sort((a, b) => a - b)
    return {
      number: ofBatch.filter(({ status }) => status === 'ended').length + 1,
      questions: sum(open.map(({ requests }) => requests)),
      begun_at: oldest.recorded_at,
      usual_seconds: took.length === 0 ? null : quantile(took, 0.5),
    }
  },
  /** Lists recorded and submitted submissions of a batch, oldest first. */
  listOpen: (batch: string): Promise<readonly SubmissionRecord[]> =>
    db.read.all<SubmissionRecord>`
      SELECT ${columns(SENT)} FROM submissions WHERE batch = ${batch} AND ${IS_OPEN} ORDER BY seq`,
  /** Ends a submission: requests without an answer are `void`, and their items go on. */
  close: (id: string, detail: string, at: string): Promise<void> =>
    db.write(async (sql) => {
      await wakeItems(sql, await endCalls(sql, raw`submission = ${id}`, 'sent', VOID))
      await sql.run`
        UPDATE submissions SET status = 'ended', detail = ${detail}, ended_at = ${at} WHERE id = ${id} AND ${IS_OPEN}`
    }),
})

type Limits = Omit<BatchLimits, 'price_factor'>
type NewSubmission = Pick<SubmissionRecord, 'id' | 'batch' | 'judge'> & { readonly at: string }
type BatchQuestion = QuestionMark & { readonly batch: string }

/** Condition: the submission is on its way. */
const IS_OPEN = raw`status IN ('recorded', 'submitted')`

/** Condition: the call is a request for a question in its batch. */
const asksIn = ({ batch, ...mark }: BatchQuestion) =>
  raw`batch = ${batch} AND item IS NOT NULL AND bytes IS NOT NULL AND ${asks(mark)}`

/** Lets the items of ended requests go on whose questions all have their end, and counts the requests. */
async function wakeItems(sql: Sql, ended: readonly Ended[]): Promise<void> {
  for (const batch of new Set(ended.map(([call]) => call.batch ?? ''))) {
    // Of two units of work on one batch neither would see the end that the other stores.
    await lockBatch(sql, batch)
    await sql.run`UPDATE batch_items SET status = 'pending' WHERE ${isOf(batch)} AND status = 'waiting'
      AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.batch = ${batch} AND attempts.item = batch_items.idx
        AND attempts.bytes IS NOT NULL AND attempts.outcome IN ('queued', 'sent'))`
  }
  await addSpending(sql, ended)
}

const VOID = { outcome: 'void', line: null } as const

function endOf({ reply, cost_usd }: ProviderEnd): Partial<Attempt> {
  if (reply === null) return VOID
  const failure = reply.ok ? null : reply.failure
  const end = { outcome: failure?.code ?? 'ok', message: failure?.message ?? null } as const
  return { ...renderEnd({ ...end, reply, cost_usd, latency_ms: null }), failure, line: null }
}
