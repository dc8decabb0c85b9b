import { sql as raw, type SqlBool } from 'kysely'
import type { JudgeReply } from '../ports/judge.ts'
import type { AttemptSummary, Failure } from '../schemas/grade.ts'
import {
  type AttemptLedger,
  emptyRow,
  type PlannedAttempt,
  parseReply,
  parseUsage,
  type QuestionMark,
  REPLY_COLUMNS,
  type ReplyRow,
  renderEnd,
} from './attempts.ts'
import { type Db, isIn, lit, type Sql, Undo } from './db.ts'
import { refusal } from './errors.ts'
import { type ItemRef, isOf } from './items.ts'
import type { AttemptOutcome } from './schema.ts'
import { addAmounts, addSpending, amountsOf, type Caps, type Change, type OverBudget, reserveIn } from './spending.ts'
import { packText, parseStored, unpackText } from './text.ts'

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

export interface SubmissionRecord {
  readonly id: string
  readonly judge: string
  readonly batch: string
  readonly status: 'recorded' | 'submitted'
  readonly provider_id: string | null
  readonly recorded_at: string
  readonly requests: number
  /** A process sends the submission right now. */
  readonly is_being_sent: boolean
}

/** The part of a batch that lies with its provider now. */
export interface ProviderRound {
  /** Submissions of the batch that came back before, plus 1. */
  readonly number: number
  readonly questions: number
  readonly begun_at: string
  /** The median of the judge’s newest twenty submissions that came back; null: none has. */
  readonly usual_seconds: number | null
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

export interface SubmissionLimits {
  readonly most_requests: number
  readonly most_bytes: number
}

/** Each line of a submission ends with a line feed, which counts. */
const LINE_END_BYTES = 1
/** The mark of a sending ends by itself after this time, so that a dead process holds no submission. */
const SENDING_MS = 30_000

export type Submissions = ReturnType<typeof createSubmissions>

/**
 * Questions in a provider’s batch endpoint. A submission is recorded before it is sent; an answer is recorded before it is used; each answer counts
 * once, however often it is read. An unknown submission changes nothing, but for `markSubmitted`, which rejects.
 */
export function createSubmissions(db: Db, attempts: Pick<AttemptLedger, 'adopt'>) {
  return {
    adopt: attempts.adopt,
    /**
     * Queues a question, reserves its bound, and lets its item wait, in one unit of work. Returns the cap that the bound would pass: then nothing is
     * written. A question for an item that has ended is not queued, nor a question of the batch that another process has queued since `find`.
     */
    enqueue: ({ planned, item, line }: NewProviderRequest, caps: Caps): Promise<OverBudget | null> =>
      db.write(async (sql) => {
        await lockBatch(db, sql, item.batch)
        const mark = { ...planned, batch: item.batch }
        const same = selectSame(sql, mark)
          .select('id')
          .where('outcome', 'in', [lit('queued'), lit('sent'), lit('ok')])
        if ((await same.executeTakeFirst()) !== undefined) return null
        const waits = await sql
          .updateTable('batch_items')
          .set({ status: 'waiting' })
          .where(isOf(item.batch))
          .where('idx', '=', item.index)
          .where('status', 'in', [lit('pending'), lit('waiting')])
          .executeTakeFirstOrThrow()
        if (waits.numUpdatedRows === 0n) return null
        const bytes = Buffer.byteLength(line) + LINE_END_BYTES
        const row = { ...emptyRow(planned), batch: item.batch, item: item.index, bytes, line: packText(line, 0) }
        await sql
          .insertInto('attempts')
          .values({ ...row, outcome: 'queued' })
          .execute()
        const over = await reserveIn(sql, planned, planned.reserved_usd, caps, {
          reserved_usd: planned.reserved_usd ?? 0,
        })
        if (over !== null) throw new Undo(over)
        return null
      }),
    /** Finds the newest request for a question in its batch. */
    async find(mark: BatchQuestion): Promise<ProviderAnswer | null> {
      const columns = ['id', 'outcome', 'failure', 'cost_usd', 'latency_ms', ...REPLY_COLUMNS] as const
      const rows = await selectSame(db.read, mark).select(columns).orderBy('seq', 'desc').execute()
      const [newest, ...older] = rows
      return newest === undefined ? null : parseAnswer(newest, 1 + older.length)
    },
    /** Lists the judges with queued questions or open submissions of a batch. */
    async judges(batch: string): Promise<readonly string[]> {
      const queued = db.read
        .selectFrom('attempts')
        .select('judge')
        .where('batch', '=', batch)
        .where('outcome', '=', lit('queued'))
      const open = db.read
        .selectFrom('submissions')
        .select('judge')
        .where('batch', '=', batch)
        .where('status', 'in', OPEN)
      const rows = await queued.union(open).execute()
      return rows.map(({ judge }) => judge).sort()
    },
    /** Tells whether a judge has queued questions of a batch. */
    async hasQueued(batch: string, judge: string): Promise<boolean> {
      const query = db.read.selectFrom('attempts').select('id').where('batch', '=', batch).where('judge', '=', judge)
      return (await query.where('outcome', '=', lit('queued')).limit(1).executeTakeFirst()) !== undefined
    },
    /**
     * Takes the oldest queued requests of a judge, within the limits, into one recorded submission; null: none is queued. A single request over
     * `most_bytes` is taken alone.
     */
    record: (
      submission: { readonly id: string; readonly batch: string; readonly judge: string; readonly at: string },
      limits: SubmissionLimits,
    ): Promise<SubmissionRecord | null> => db.write((sql) => record(db, sql, submission, limits)),
    /** Lists ids and lines of a submission’s requests without an answer, in their order. */
    async lines(id: string): Promise<readonly { readonly id: string; readonly line: string }[]> {
      const rows = await db.read
        .selectFrom('attempts')
        .select(['id', 'line'])
        .where('submission', '=', id)
        .where('outcome', '=', lit('sent'))
        .orderBy('seq')
        .execute()
      return rows.map((row) => ({ id: row.id, line: unpackText(row.line ?? Buffer.alloc(0)) }))
    },
    /** Marks that this process sends a submission; false where another process sends it. `isOwn`: the mark of this process is renewed. */
    sending: (id: string, now: Date, isOwn = false): Promise<boolean> =>
      db.write(async (sql) => {
        const until = new Date(now.getTime() + SENDING_MS).toISOString()
        const { numUpdatedRows } = await sql
          .updateTable('submissions')
          .set({ sending_until: until })
          .where('id', '=', id)
          .where('status', '=', lit('recorded'))
          .where(({ or, eb, lit }) =>
            or([lit(isOwn), eb('sending_until', 'is', null), eb('sending_until', '<', now.toISOString())]),
          )
          .executeTakeFirstOrThrow()
        return numUpdatedRows > 0n
      }),
    /** Marks that no process sends the submission; null: none of the submissions, whose senders have died. */
    async sent(id: string | null): Promise<void> {
      await db.write((sql) =>
        sql
          .updateTable('submissions')
          .set({ sending_until: null })
          .$if(id !== null, (some) => some.where('id', '=', id))
          .execute(),
      )
    },
    /** Stores the provider’s id; the same id twice is fine, another id for the same submission is refused. */
    markSubmitted: (id: string, providerId: string): Promise<void> =>
      db.write(async (sql) => {
        const { numUpdatedRows } = await sql
          .updateTable('submissions')
          .set({ status: 'submitted', provider_id: providerId })
          .where('id', '=', id)
          .where(raw<SqlBool>`(status = 'recorded' OR (status = 'submitted' AND provider_id = ${providerId}))`)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) throw refusal(`the submission ${id} is not waiting to be sent`)
      }),
    /**
     * Ends a submission that surely never reached the provider, or ran nothing; its requests are queued again. `providerId`: the id under which the
     * submission ran nothing; null: it was never sent. Changes nothing where the submission has another id by now.
     */
    withdraw: (id: string, detail: string, at: string, providerId: string | null = null): Promise<void> =>
      db.write(async (sql) => {
        const { numUpdatedRows } = await sql
          .updateTable('submissions')
          .set({ status: 'failed', detail, ended_at: at })
          .where('id', '=', id)
          .where('status', 'in', OPEN)
          .where('provider_id', providerId === null ? 'is' : '=', providerId)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return
        await sql
          .updateTable('attempts')
          .set({ outcome: 'queued', submission: null })
          .where('submission', '=', id)
          .where('outcome', '=', lit('sent'))
          .execute()
      }),
    /** Describes the part of a batch that lies with its provider; null: nothing does. */
    async round(batch: string): Promise<ProviderRound | null> {
      const all = await db.read
        .selectFrom('submissions')
        .selectAll()
        .where('batch', '=', batch)
        .orderBy('seq')
        .execute()
      const open = all.filter(({ status }) => status === 'recorded' || status === 'submitted')
      const [first] = open
      if (first === undefined) return null
      const past = await db.read
        .selectFrom('submissions')
        .select(['recorded_at', 'ended_at'])
        .where('judge', '=', first.judge)
        .where('status', '=', lit('ended'))
        .orderBy('seq', 'desc')
        .limit(20)
        .execute()
      return {
        number: all.filter(({ status }) => status === 'ended').length + 1,
        questions: open.reduce((sum, { requests }) => sum + requests, 0),
        begun_at: first.recorded_at,
        usual_seconds: median(past.map((row) => (Date.parse(row.ended_at ?? '') - Date.parse(row.recorded_at)) / 1000)),
      }
    },
    /** Lists recorded and submitted submissions of a batch, oldest first. */
    async listOpen(batch: string, now: Date): Promise<readonly SubmissionRecord[]> {
      const rows = await db.read
        .selectFrom('submissions')
        .select(['id', 'judge', 'batch', 'status', 'provider_id', 'recorded_at', 'requests', 'sending_until'])
        .where('batch', '=', batch)
        .where('status', 'in', OPEN)
        .orderBy('seq')
        .execute()
      return rows.map(({ sending_until, status, ...row }) => ({
        ...row,
        status: status as SubmissionRecord['status'],
        is_being_sent: sending_until !== null && sending_until > now.toISOString(),
      }))
    },
    /**
     * Stores how requests came back, in one unit of work: ledger, spending, and their items become `pending` where no other question of theirs is open.
     * Leaves a request alone that has its end already, or that belongs to another submission. Returns the number of stored ends.
     */
    storeEnds(id: string, ends: readonly ProviderEnd[]): Promise<number> {
      const rows = new Map(ends.map((end) => [end.id, { end, row: renderProviderEnd(end) }] as const).reverse())
      return db.write((sql) => storeEnds(db, sql, id, rows))
    },
    /** Ends a submission: requests without an answer are `void`, and their items go on. */
    close: (id: string, detail: string, at: string): Promise<void> =>
      db.write(async (sql) => {
        const released = await fallAway(sql, 'submission', id, 'sent')
        const found = await sql.selectFrom('submissions').select('batch').where('id', '=', id).executeTakeFirst()
        if (found !== undefined) await wakeItems(db, sql, found.batch)
        await sql
          .updateTable('submissions')
          .set({ status: 'ended', detail, ended_at: at })
          .where('id', '=', id)
          .where('status', 'in', OPEN)
          .execute()
        await addSpending(sql, released)
      }),
    /** Drops queued requests that were never sent, their reservations with them. */
    dropQueued: (batch: string): Promise<void> =>
      db.write(async (sql) => {
        const released = await fallAway(sql, 'batch', batch, 'queued')
        await wakeItems(db, sql, batch)
        await addSpending(sql, released)
      }),
  }
}

const OPEN = [lit('recorded'), lit('submitted')]

type BatchQuestion = QuestionMark & { readonly batch: string }

/** Selects the requests for a question in its batch. */
const selectSame = (sql: Sql, { batch, key, sample, round, request_digest }: BatchQuestion) =>
  sql
    .selectFrom('attempts')
    .where('batch', '=', batch)
    .where('item', 'is not', null)
    .where('bytes', 'is not', null)
    .where('key', '=', key)
    .where('sample', '=', sample)
    .where('round', '=', round)
    .where('request_digest', '=', request_digest)

/** Lets units of work on one batch follow each other: two at the same time would not see each other’s questions. */
async function lockBatch(db: Db, sql: Sql, batch: string): Promise<void> {
  if (db.kind === 'postgres')
    await sql.selectFrom('batches').select('seq').where('id', '=', batch).forUpdate().execute()
}

async function record(
  db: Db,
  sql: Sql,
  {
    id,
    batch,
    judge,
    at,
  }: { readonly id: string; readonly batch: string; readonly judge: string; readonly at: string },
  limits: SubmissionLimits,
): Promise<SubmissionRecord | null> {
  const queued = await sql
    .selectFrom('attempts')
    .select(['seq', 'bytes'])
    .where('batch', '=', batch)
    .where('judge', '=', judge)
    .where('outcome', '=', lit('queued'))
    .orderBy('seq')
    .limit(limits.most_requests)
    .$if(db.kind === 'postgres', (locked) => locked.forUpdate())
    .execute()
  const chosen = queued.slice(
    0,
    countWithin(
      queued.map(({ bytes }) => bytes ?? 0),
      limits,
    ),
  )
  if (chosen.length === 0) return null
  const row = { id, judge, batch, status: 'recorded', requests: chosen.length, recorded_at: at } as const
  await sql.insertInto('submissions').values(row).execute()
  await sql
    .updateTable('attempts')
    .set({ outcome: 'sent', submission: id })
    .where(
      isIn(
        db,
        'seq',
        chosen.map(({ seq }) => seq),
      ),
    )
    .execute()
  return { ...row, provider_id: null, is_being_sent: false }
}

/** Counts the requests, in their order, that one submission takes. The first is taken whatever its size. */
export function countWithin(bytes: Iterable<number>, limits: SubmissionLimits): number {
  let [count, sum] = [0, 0]
  for (const more of bytes) {
    sum += more
    if (count > 0 && (count >= limits.most_requests || sum > limits.most_bytes)) break
    count += 1
  }
  return count
}

/**
 * Lets the items go on whose questions all have their end. Of two units of work on one batch, the second waits here for the first: neither would see
 * the end that the other stores.
 */
async function wakeItems(db: Db, sql: Sql, batch: string): Promise<void> {
  await lockBatch(db, sql, batch)
  await sql
    .updateTable('batch_items')
    .set({ status: 'pending' })
    .where(isOf(batch))
    .where('status', '=', lit('waiting'))
    .where(
      raw<SqlBool>`NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.batch = ${batch} AND attempts.item = batch_items.idx
        AND attempts.bytes IS NOT NULL AND attempts.outcome IN ('queued', 'sent'))`,
    )
    .execute()
}

/** Makes requests without an answer `void`; returns the changes that give their reservations back. */
async function fallAway(
  sql: Sql,
  by: 'submission' | 'batch',
  id: string,
  outcome: 'sent' | 'queued',
): Promise<Change[]> {
  const gone = await sql
    .updateTable('attempts')
    .set({ outcome: 'void', line: null })
    .where(by, '=', id)
    .where('outcome', '=', lit(outcome))
    .where('bytes', 'is not', null)
    .returning(['batch', 'payer', 'started_at', 'reserved_usd'])
    .execute()
  return gone.map((row) => [row, { reserved_usd: -(row.reserved_usd ?? 0) }])
}

const renderProviderEnd = (end: ProviderEnd) => {
  if (end.end === 'void') return null
  const { reply, cost_usd, id } = end
  const failure = reply.ok ? null : reply.failure
  const outcome: AttemptSummary['outcome'] = failure?.code ?? 'ok'
  return {
    outcome,
    columns: renderEnd({ id, outcome, message: failure?.message ?? null, reply, cost_usd, latency_ms: null }),
    failure: failure && JSON.stringify(failure),
  }
}

type RenderedEnd = ReturnType<typeof renderProviderEnd>

async function storeEnds(
  db: Db,
  sql: Sql,
  submission: string,
  ends: ReadonlyMap<string, { readonly end: ProviderEnd; readonly row: RenderedEnd }>,
): Promise<number> {
  const sent = await sql
    .selectFrom('attempts')
    .select(['id', 'batch', 'payer', 'started_at', 'reserved_usd'])
    .where('submission', '=', submission)
    .where('outcome', '=', lit('sent'))
    .where(isIn(db, 'id', [...ends.keys()]))
    .orderBy('seq')
    .$if(db.kind === 'postgres', (locked) => locked.forUpdate())
    .execute()
  const changes: Change[] = []
  for (const call of sent) {
    const { end, row } = ends.get(call.id) ?? { end: null, row: null }
    const reserved = call.reserved_usd ?? 0
    const set =
      row === null
        ? { outcome: 'void' as AttemptOutcome, line: null }
        : { ...row.columns, failure: row.failure, line: null }
    await sql.updateTable('attempts').set(set).where('id', '=', call.id).execute()
    const spent =
      row === null || end?.end !== 'answered'
        ? {}
        : { calls: 1, ...amountsOf({ ...end, outcome: row.outcome }, reserved) }
    changes.push([call, addAmounts({ reserved_usd: -reserved }, spent)])
  }
  for (const batch of new Set(sent.map((call) => call.batch ?? ''))) await wakeItems(db, sql, batch)
  await addSpending(sql, changes)
  return sent.length
}

interface AnswerRow extends ReplyRow {
  readonly id: string
  readonly outcome: AttemptOutcome
  readonly failure: string | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
}

/** Parses the newest row of a question; all of its rows are its tries. */
function parseAnswer(row: AnswerRow, tries: number): ProviderAnswer {
  const isOpen = row.outcome === 'queued' || row.outcome === 'sent'
  const state = isOpen ? 'open' : row.outcome === 'void' ? 'void' : 'answered'
  if (state !== 'answered') return { attempt_id: row.id, state, reply: null, cost_usd: null, latency_ms: null, tries }
  const { cost_usd, latency_ms } = row
  return { attempt_id: row.id, state, reply: parseAnswered(row), cost_usd, latency_ms, tries }
}

function parseAnswered(row: AnswerRow): JudgeReply | null {
  if (row.failure === null) return row.outcome === 'ok' ? parseReply(row) : null
  return {
    ok: false,
    failure: parseStored<Failure>(row.failure),
    raw: row.raw_reply === null ? null : unpackText(row.raw_reply),
    usage: parseUsage(row.usage),
    request_id: row.request_id,
    model_resolved: row.model_resolved,
  }
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
