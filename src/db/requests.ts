import { type RawBuilder, sql as raw } from 'kysely'
import type { JudgeReply } from '../ports/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import type { PlannedAttempt, QuestionMark } from './attempts.ts'
import { all, type Db, first, insert, run, type Sql, Undo } from './db.ts'
import { type ItemRef, isOf } from './items.ts'
import { type Ended, endCalls, parseReply, parseUsage, REPLY, renderEnd, unpackReply } from './ledger.ts'
import type { Attempt, ReplyColumns } from './schema.ts'
import { addSpending, amountsOf, type Caps, type OverBudget, reserveIn } from './spending.ts'
import { packText, parseStored } from './text.ts'

/** One question of one item, on its way through a provider’s batch endpoint. */
export interface NewProviderRequest {
  /** The id of the call is the provider’s `custom_id`. */
  readonly planned: PlannedAttempt
  readonly item: ItemRef
  /** The line that is sent. */
  readonly line: string
}

/** The state of a question. */
export interface ProviderAnswer {
  readonly attempt_id: string
  /** `open`: queued or sent. `void`: never run, at no cost. */
  readonly state: 'open' | 'answered' | 'void'
  /** The reply of an answered question. */
  readonly reply: JudgeReply | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
  /** Requests for this question in its batch, this request included. */
  readonly tries: number
}

/** The way in which a request came back. */
export type ProviderEnd =
  | { readonly id: string; readonly end: 'void' }
  | {
      readonly id: string
      readonly end: 'answered'
      readonly reply: JudgeReply
      readonly cost_usd: number | null
    }

/** Each line of a submission ends with a line feed, which counts. */
const LINE_END_BYTES = 1
/** Questions on their way through a provider’s batch endpoint. */
export const createRequests = (db: Db) => ({
  /**
   * Queues a question, reserves its bound, and lets its item wait, in one unit of work. Returns the cap that the bound would pass: then nothing is
   * written. A question for an item that has ended is not queued, nor a question of the batch that another process has queued since `find`.
   */
  enqueue: ({ planned, item, line }: NewProviderRequest, caps: Caps): Promise<OverBudget | null> =>
    db.write(async (sql, last) => {
      const { batch, index } = item
      await lockBatch(db, sql, batch)
      const same = await first(sql)`
        SELECT id FROM attempts WHERE ${asks({ ...planned, batch })} AND outcome IN ('queued', 'sent', 'ok')`
      if (same !== undefined) return null
      const waiting = await run(sql)`UPDATE batch_items SET status = 'waiting'
        WHERE ${isOf(batch)} AND idx = ${index} AND status IN ('pending', 'waiting')`
      if (waiting === 0) return null
      const bytes = Buffer.byteLength(line) + LINE_END_BYTES
      const queued = { ...planned, batch, item: index, outcome: 'queued', bytes, line: packText(line, 0) } as const
      last(insert(sql, 'attempts', queued))
      const { reserved_usd: usd } = planned
      const over = await reserveIn(sql, last, { call: planned, usd, caps, change: { reserved_usd: usd ?? 0 } })
      if (over !== null) throw new Undo(over)
      return null
    }),
  /** Finds the newest request for a question in its batch. */
  async find(mark: BatchQuestion): Promise<ProviderAnswer | null> {
    const rows = await all<AnswerRow>(db.read)`
      SELECT id, outcome, failure, cost_usd, latency_ms, ${REPLY} FROM attempts WHERE ${asks(mark)} ORDER BY seq DESC`
    return rows[0] === undefined ? null : parseAnswer(rows[0], rows.length)
  },
  /** Lists the judges with queued questions or open submissions of a batch. */
  async judges(batch: string): Promise<readonly string[]> {
    const rows = await all<Pick<Attempt, 'judge'>>(db.read)`
      SELECT judge FROM attempts WHERE batch = ${batch} AND outcome = 'queued'
      UNION SELECT judge FROM submissions WHERE batch = ${batch} AND ${SUBMISSION_IS_OPEN}`
    return rows.map(({ judge }) => judge).sort()
  },
  /** Tells whether a judge has queued questions of a batch. */
  async hasQueued(batch: string, judge: string): Promise<boolean> {
    const queued = first(db.read)`
      SELECT id FROM attempts WHERE batch = ${batch} AND judge = ${judge} AND outcome = 'queued' LIMIT 1`
    return (await queued) !== undefined
  },
  /**
   * Stores how requests came back, in one unit of work: ledger, spending, and their items become `pending` where no other question of theirs is open.
   * Leaves a request alone that has its end already, or that belongs to another submission. Returns the number of stored ends.
   */
  storeEnds(id: string, ends: readonly ProviderEnd[]): Promise<number> {
    // In the order of ids: two processes that store the same ends never wait for each other crosswise.
    const rendered = ends.map(renderProviderEnd).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    return db.write(async (sql) => {
      const ended: Ended[] = []
      for (const { id: call, end, amounts } of rendered)
        ended.push(
          ...(await endCalls(sql, raw`id = ${call} AND submission = ${id} AND outcome = 'sent'`, end, amounts)),
        )
      await wakeItems(db, sql, ended)
      return ended.length
    })
  },
  /** Drops queued requests that were never sent, their reservations with them. */
  dropQueued: (batch: string): Promise<void> =>
    db.write(async (sql) =>
      wakeItems(db, sql, await endCalls(sql, raw`batch = ${batch} AND outcome = 'queued'`, VOID)),
    ),
})

/** Condition: the submission is on its way. */
export const SUBMISSION_IS_OPEN = raw`status IN ('recorded', 'submitted')`

type BatchQuestion = QuestionMark & { readonly batch: string }

/** Condition: the call is a request for a question in its batch. */
const asks = ({ batch, key, sample, round, request_digest }: BatchQuestion): RawBuilder<unknown> => raw`
  batch = ${batch} AND item IS NOT NULL AND bytes IS NOT NULL AND key = ${key} AND sample = ${sample}
  AND round = ${round} AND request_digest = ${request_digest}`

/** Lets units of work on one batch follow each other: two at the same time would not see each other’s questions. */
async function lockBatch(db: Db, sql: Sql, batch: string): Promise<void> {
  if (db.kind === 'postgres') await run(sql)`SELECT seq FROM batches WHERE id = ${batch} FOR UPDATE`
}

/**
 * Lets the items of ended requests go on whose questions all have their end, and counts the requests. Of two units of work on one batch, the
 * second waits here for the first: neither would see the end that the other stores.
 */
export async function wakeItems(db: Db, sql: Sql, ended: readonly Ended[]): Promise<void> {
  for (const batch of new Set(ended.map(([call]) => call.batch ?? ''))) {
    await lockBatch(db, sql, batch)
    await run(sql)`UPDATE batch_items SET status = 'pending' WHERE ${isOf(batch)} AND status = 'waiting'
      AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.batch = ${batch} AND attempts.item = batch_items.idx
        AND attempts.bytes IS NOT NULL AND attempts.outcome IN ('queued', 'sent'))`
  }
  await addSpending(sql, ended)
}

/** The end of a request that was never run. */
export const VOID = { outcome: 'void', line: null } as const

/** Renders the way in which a request came back as its columns and its amounts. */
function renderProviderEnd(came: ProviderEnd) {
  if (came.end === 'void') return { id: came.id, end: VOID, amounts: () => ({}) }
  const { id, reply, cost_usd } = came
  const failure = reply.ok ? null : reply.failure
  const end = {
    outcome: failure?.code ?? ('ok' as const),
    message: failure?.message ?? null,
    reply,
    cost_usd,
    latency_ms: null,
  }
  const row = { ...renderEnd(end), failure: failure && JSON.stringify(failure), line: null }
  return { id, end: row, amounts: (reserved: number) => ({ calls: 1, ...amountsOf(end, reserved) }) }
}

type AnswerRow = ReplyColumns & Pick<Attempt, 'id' | 'outcome' | 'failure' | 'cost_usd' | 'latency_ms'>

/** Parses the newest row of a question; all of its rows are its tries. */
function parseAnswer(row: AnswerRow, tries: number): ProviderAnswer {
  const { id, outcome, cost_usd, latency_ms } = row
  const state = outcome === 'queued' || outcome === 'sent' ? 'open' : outcome === 'void' ? 'void' : 'answered'
  if (state !== 'answered') return { attempt_id: id, state, reply: null, cost_usd: null, latency_ms: null, tries }
  return { attempt_id: id, state, reply: parseAnswered(row), cost_usd, latency_ms, tries }
}

function parseAnswered(row: AnswerRow): JudgeReply | null {
  if (row.failure === null) return row.outcome === 'ok' ? parseReply(row) : null
  const { request_id, model_resolved } = row
  const failure = parseStored<Failure>(row.failure)
  return {
    ok: false,
    failure,
    raw: unpackReply(row.raw_reply),
    usage: parseUsage(row.usage),
    request_id,
    model_resolved,
  }
}
