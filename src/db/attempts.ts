import { sql as raw, type SqlBool } from 'kysely'
import type { Digest } from '../domain/digest.ts'
import { historyOf, MOST_ANSWERS, MOST_CALLS, type OutputHistory } from '../domain/money/history.ts'
import type { JudgeReply } from '../ports/judge.ts'
import type { AttemptSummary, Grade, Usage } from '../schemas/grade.ts'
import { type Db, isIn, lit, type Sql, Undo } from './db.ts'
import { refusal } from './errors.ts'
import { type JudgeState, readJudge, settleJudge } from './judges.ts'
import { isDead } from './processes.ts'
import type { AttemptOutcome } from './schema.ts'
import { addAmounts, addSpending, amountsOf, type Caps, type OverBudget, reserveIn } from './spending.ts'
import { packText, parseStored, unpackText } from './text.ts'

/** A question to a judge: the call of one round of one sample of one grade. */
export interface QuestionMark {
  readonly key: Digest
  readonly sample: number
  readonly round: number
  /** Digest of everything that is sent. */
  readonly request_digest: Digest
}

/** A call of a judge, before it is made. */
export interface PlannedAttempt extends QuestionMark {
  readonly id: string
  readonly grade_id: string
  readonly purpose: AttemptSummary['purpose']
  readonly judge: string
  readonly started_at: string
  /** The batch for which the call is made. */
  readonly batch: string | null
  /** The index of the item in the batch. */
  readonly item: number | null
  /** The key that pays; null: no key in particular. */
  readonly payer: string | null
  /** Upper bound of the cost; null: unknown. */
  readonly reserved_usd: number | null
}

/** The key that asked and pays, with the dollars that it may spend in a day of UTC (null: no cap). */
export interface Payer {
  readonly key_id: string
  readonly max_cost_usd_per_day: number | null
}

export interface FinishedAttempt {
  readonly id: string
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly reply: JudgeReply
  readonly latency_ms: number
  readonly cost_usd: number | null
  /** Milliseconds since the epoch; by default the time of this machine. */
  readonly now?: number
}

/** A stored call, as `GET /v1/grades/{id}` and the audit see it. */
export interface LedgerEntry extends Omit<PlannedAttempt, 'item'> {
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly raw_reply: string | null
  readonly usage: Usage | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
  readonly request_id: string | null
  readonly model_resolved: string | null
}

/** A stored call of a batch. `grade_id` is null where no grade was stored for the call. */
export interface BatchCall extends Omit<LedgerEntry, 'grade_id'> {
  readonly grade_id: string | null
}

/** Calls of a batch; `next`: the start of the following calls, null after the last. */
export interface BatchCalls {
  readonly calls: readonly BatchCall[]
  readonly next: number | null
}

type GoodReply = Extract<JudgeReply, { ok: true }>

/** A good reply that is kept. */
export interface StoredReply {
  readonly attempt_id: string
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  readonly request_digest: Digest
  readonly reply: GoodReply
}

/** A good reply whose grade was never written: it was paid for, and answers the same question without a call. */
export interface Orphan {
  readonly attempt_id: string
  readonly grade_id: string
  readonly reply: GoodReply
  /** 0 where the receipt of another grade has the cost. */
  readonly cost_usd: number | null
}

/** A call that asks for its turn. */
export interface CallRequest {
  readonly attempt: PlannedAttempt
  readonly caps: Caps
  /** The most calls of the judge in flight, over all processes. */
  readonly limit: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Milliseconds after which a call in flight is lost: its process waits no longer for the reply. */
  readonly lost_ms: number
  /** Grades that this process makes: their replies are theirs. */
  readonly own: ReadonlySet<string>
  readonly freshness?: Freshness
}

/** The replies of written grades that answer a call, beside orphans. */
export interface Freshness {
  /** Milliseconds since the epoch: the grade was asked for then. Replies of grades made later answer. */
  readonly since: number
  /** The caller wants a new grade. Else the replies of the grade that answers the key now answer too, whatever its clock says. */
  readonly isRefresh: boolean
}

/** The answer to a call that asks for its turn. */
export type Reserved =
  /** The attempt is in the ledger: make the call, then `finish` it. */
  | { readonly kind: 'call' }
  | { readonly kind: 'stored'; readonly orphan: Orphan }
  /** Ask again: the same question is in flight, or the judge takes no more calls. */
  | { readonly kind: 'wait'; readonly for: 'same' | 'limit' }
  | { readonly kind: 'paused'; readonly judge: JudgeState }
  | { readonly kind: 'over'; readonly over: OverBudget }

/** Replies up to this many bytes are kept as they are. */
export const COMPRESS_ABOVE = 1024

/** Calls of the ledger in one turn of `listForBatch`, which walks over the ledger: no index is by batch. */
const WALKED_CALLS = 1000

export type AttemptLedger = ReturnType<typeof createAttempts>

/** The ledger of judge calls: a row before the call, which the end of the call completes. */
export function createAttempts(db: Db) {
  const namedAttempts = async (gradeId: string): Promise<string[]> => {
    const row = await db.read.selectFrom('grades').select('body').where('id', '=', gradeId).executeTakeFirst()
    return row === undefined ? [] : parseStored<Grade>(row.body).receipt.attempts.map(({ id }) => id)
  }
  return {
    /**
     * Asks for the turn of a call, in one unit of work: a stored reply comes before a call, and an equal question in flight, a paused judge, a full
     * judge and a full cap come before the reservation. A `call` is durable when the promise resolves, and may be made only then.
     */
    reserve: (call: CallRequest): Promise<Reserved> => db.write((sql) => reserve(db, sql, call)),
    /** Stores the end of a call, and its reply, which may be used only afterwards. Rejects for a call that never began, or that has ended. */
    async finish(attempt: FinishedAttempt): Promise<void> {
      const end = renderEnd(attempt)
      await db.write((sql) => finish(db, sql, attempt, end))
    },
    /** Stores a call that costs nothing and leaves this process not at all, begun and ended in one unit of work. */
    async record(planned: PlannedAttempt, finished: FinishedAttempt): Promise<void> {
      const end = renderEnd(finished)
      await db.write(async (sql) => {
        await sql
          .insertInto('attempts')
          .values({ ...emptyRow(planned), process: db.process, ...end })
          .execute()
        const spent = amountsOf(finished, planned.reserved_usd ?? 0)
        await addSpending(sql, [[planned, addAmounts({ calls: 1 }, spent)]])
      })
    },
    /** Finds the newest orphan of a question; null: none. */
    findOrphan: (mark: QuestionMark, own: ReadonlySet<string> = NONE, freshness?: Freshness) =>
      findOrphan(db.read, mark, own, freshness),
    /** Gives an orphan to the grade that uses its reply; the orphan stays where it is when its own grade was written meanwhile. */
    async adopt(attemptId: string, gradeId: string): Promise<void> {
      await db.write(async (sql) => {
        const { numUpdatedRows } = await sql
          .updateTable('attempts')
          .set({ grade_id: gradeId })
          .where('id', '=', attemptId)
          .where(IS_ORPHAN)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows > 0n) return
        const known = await sql.selectFrom('attempts').select('id').where('id', '=', attemptId).executeTakeFirst()
        if (known === undefined) throw refusal(`the attempt ${attemptId} does not exist`)
      })
    },
    /** Counts the items of a batch with a direct call in flight, over all processes. */
    async inFlight(batch: string): Promise<number> {
      const row = await db.read
        .selectFrom('attempts')
        .select(({ fn }) => fn.count<number>('item').distinct().as('n'))
        .where('batch', '=', batch)
        .where('outcome', '=', lit('sent'))
        .where('submission', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(row.n)
    },
    /**
     * Marks calls in flight as `unknown` whose processes wait for no reply any more: calls that began before `before`, calls of dead processes of
     * this machine, and with `isRunner` calls for batches of every other process: only the holder of the run lock calls for batches. Returns their
     * number.
     */
    markLost: (before: string, isRunner = false): Promise<number> =>
      db.write((sql) => markLost(db, sql, before, isRunner)),
    /** Lists the calls of a grade, and the calls of other grades that its receipt names, oldest first. */
    async listForGrade(gradeId: string): Promise<readonly LedgerEntry[]> {
      const named = await namedAttempts(gradeId)
      const rows = await db.read
        .selectFrom('attempts')
        .select(ENTRY_COLUMNS)
        .where(({ or, eb }) => or([eb('grade_id', '=', gradeId), isIn(db, 'id', named) as never]))
        .where(IS_LISTED)
        .orderBy('started_at')
        .orderBy('seq')
        .execute()
      return rows.map(parseEntry)
    },
    /** Lists calls of a batch in order, a stretch of the ledger at a time: `after` is 0 or the `next` of the stretch before. */
    async listForBatch(batch: string, after: number): Promise<BatchCalls> {
      const rows = await db.read
        .selectFrom('attempts')
        .select(ENTRY_COLUMNS)
        .select(IS_ORPHAN.as('is_orphan'))
        .where('seq', '>', after)
        .where('seq', '<=', after + WALKED_CALLS)
        .where('batch', '=', batch)
        .where(IS_LISTED)
        .orderBy('seq')
        .execute()
      const end = await db.read
        .selectFrom('attempts')
        .select(({ fn }) => fn.max('seq').as('last'))
        .executeTakeFirst()
      return {
        calls: rows.map(({ is_orphan, ...row }) => ({ ...parseEntry(row), grade_id: is_orphan ? null : row.grade_id })),
        next: after + WALKED_CALLS < (end?.last ?? 0) ? after + WALKED_CALLS : null,
      }
    },
    /** Sums the output of a judge’s newest answers, among the newest calls of all judges. */
    async outputHistory(judge: string): Promise<OutputHistory> {
      const rows = await db.read
        .selectFrom((eb) =>
          eb
            .selectFrom('attempts')
            .select(['seq', 'judge', 'outcome', 'purpose', 'usage'])
            .orderBy('seq', 'desc')
            .limit(MOST_CALLS)
            .as('newest'),
        )
        .select(['purpose', 'usage'])
        .where('judge', '=', judge)
        .where('outcome', 'in', [lit('ok'), lit('truncated')])
        .where('usage', 'is not', null)
        .orderBy('seq', 'desc')
        .limit(MOST_ANSWERS)
        .execute()
      return historyOf(rows.map(({ purpose, usage }) => ({ purpose, usage: parseStored<Usage>(usage ?? '') })))
    },
    /** Lists the good replies of a grade, as they were used: to be checked again without a call. */
    async listReplies(gradeId: string): Promise<readonly StoredReply[]> {
      const named = await namedAttempts(gradeId)
      if (named.length === 0) return []
      const rows = await db.read
        .selectFrom('attempts')
        .select(['id', 'sample', 'round', 'purpose', 'request_digest', ...REPLY_COLUMNS])
        .where('outcome', '=', lit('ok'))
        .where(isIn(db, 'id', named))
        .orderBy('sample')
        .orderBy('started_at')
        .orderBy('seq')
        .execute()
      return rows.map(({ id, sample, round, purpose, request_digest, ...row }) => ({
        ...{ attempt_id: id, sample, round, purpose, request_digest },
        reply: parseReply(row),
      }))
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Condition: no grade was written for the call. */
const IS_ORPHAN = raw<SqlBool>`NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)`
/** Condition: the call is no question of a provider’s batch that has no answer. */
const IS_LISTED = raw<SqlBool>`(outcome NOT IN ('queued', 'sent', 'void') OR (outcome = 'sent' AND submission IS NULL))`

export const REPLY_COLUMNS = ['reply_text', 'raw_reply', 'usage', 'request_id', 'model_resolved'] as const
const ENTRY_COLUMNS = [
  ...([
    'id',
    'grade_id',
    'key',
    'sample',
    'round',
    'purpose',
    'request_digest',
    'judge',
    'started_at',
    'batch',
  ] as const),
  ...(['payer', 'reserved_usd', 'outcome', 'message', 'raw_reply', 'usage', 'cost_usd', 'latency_ms'] as const),
  ...(['request_id', 'model_resolved'] as const),
] as const

async function reserve(db: Db, sql: Sql, call: CallRequest): Promise<Reserved> {
  const { attempt, caps, limit, now, lost_ms, own, freshness } = call
  const judge = await readJudge(db, sql, attempt.judge)
  const orphan = await findOrphan(sql, attempt, own, freshness)
  if (orphan !== null) return { kind: 'stored', orphan }
  const lost = new Date(now - lost_ms).toISOString()
  const same = await findSame(sql, attempt)
  if (same !== undefined && same.started_at > (await lostBefore(db, sql, lost))) return { kind: 'wait', for: 'same' }
  if (same !== undefined) await expire(db, sql, [same.id])
  if (judge.paused_until > now) return { kind: 'paused', judge }
  if ((await countSent(sql, attempt.judge, lost)) >= limit) return { kind: 'wait', for: 'limit' }
  await sql
    .insertInto('attempts')
    .values({ ...emptyRow(attempt), process: db.process, outcome: 'sent' })
    .execute()
  const change = { reserved_usd: attempt.reserved_usd ?? 0, calls: 1 }
  const over = await reserveIn(sql, attempt, attempt.reserved_usd, caps, change)
  if (over !== null) throw new Undo({ kind: 'over', over } satisfies Reserved)
  return { kind: 'call' }
}

/** Finds the direct call in flight with the same question. */
const findSame = (sql: Sql, { key, sample, round, request_digest }: QuestionMark) =>
  sql
    .selectFrom('attempts')
    .select(['id', 'started_at'])
    .where(raw<SqlBool>`substr(request_digest, 8, 16) = ${request_digest.slice(7, 23)}`)
    .where('outcome', '=', lit('sent'))
    .where('submission', 'is', null)
    .where('key', '=', key)
    .where('sample', '=', sample)
    .where('round', '=', round)
    .where('request_digest', '=', request_digest)
    .executeTakeFirst()

async function countSent(sql: Sql, judge: string, after: string): Promise<number> {
  const row = await sql
    .selectFrom('attempts')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('judge', '=', judge)
    .where('outcome', '=', lit('sent'))
    .where('submission', 'is', null)
    .where('started_at', '>', after)
    .executeTakeFirstOrThrow()
  return Number(row.n)
}

/** Processes need so long to store a held reply after the server of the database has come back. */
const GRACE_MS = 30_000

/**
 * Computes the time before which calls in flight are lost. On PostgreSQL no call is lost before the server has run for the grace: its process may hold
 * a reply that the server could not take.
 */
async function lostBefore(db: Db, sql: Sql, before: string): Promise<string> {
  if (db.kind === 'sqlite') return before
  const { rows } = await raw<{ ms: number }>`
    SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 * 1000 AS ms`.execute(sql)
  return (rows[0]?.ms ?? 0) < GRACE_MS ? '' : before
}

/** Finds the newest orphan of a question, or a fresh reply of a grade that another process has written. */
async function findOrphan(
  sql: Sql,
  mark: QuestionMark,
  own: ReadonlySet<string>,
  freshness?: Freshness,
): Promise<Orphan | null> {
  const graded = raw<string | null>`(SELECT created_at FROM grades WHERE grades.id = attempts.grade_id)`
  const since = freshness === undefined ? '~' : new Date(freshness.since).toISOString()
  const current = freshness?.isRefresh === false ? 1 : -1
  const isFresh = raw<SqlBool>`EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id
    AND (grades.created_at > ${since} OR grades.is_current = ${lit(current)}))`
  const rows = await sql
    .selectFrom('attempts')
    .select(['id', 'grade_id', 'cost_usd', graded.as('graded_at'), ...REPLY_COLUMNS])
    .where(raw<SqlBool>`substr(request_digest, 8, 16) = ${mark.request_digest.slice(7, 23)}`)
    .where('outcome', '=', lit('ok'))
    .where('key', '=', mark.key)
    .where('sample', '=', mark.sample)
    .where('round', '=', mark.round)
    .where('request_digest', '=', mark.request_digest)
    .where(raw<SqlBool>`(${IS_ORPHAN} OR ${isFresh})`)
    .orderBy('started_at', 'desc')
    .orderBy('seq', 'desc')
    .execute()
  const row = rows.find(({ grade_id }) => !own.has(grade_id))
  if (row === undefined) return null
  const { id, grade_id, graded_at, cost_usd } = row
  return { attempt_id: id, grade_id, reply: parseReply(row), cost_usd: graded_at === null ? cost_usd : 0 }
}

/** Ends a call; `unknown` too: a process that was taken for dead may end its calls after all. */
async function finish(db: Db, sql: Sql, attempt: FinishedAttempt, end: ReturnType<typeof renderEnd>): Promise<void> {
  const { id: _, ...columns } = end
  for (const outcome of ['sent', 'unknown'] as const) {
    const open = await sql
      .updateTable('attempts')
      .set(columns)
      .where('id', '=', attempt.id)
      .where('outcome', '=', lit(outcome))
      .returning(['judge', 'started_at', 'batch', 'payer', 'reserved_usd'])
      .executeTakeFirst()
    if (open === undefined) continue
    const reserved = open.reserved_usd ?? 0
    // The end takes back the amounts of the open call.
    const released = outcome === 'sent' ? { reserved_usd: -reserved } : { uncertain_usd: -reserved, unknown_calls: -1 }
    await settleJudge(db, sql, open.judge, attempt.reply, attempt.now ?? Date.now())
    return addSpending(sql, [[open, addAmounts(released, amountsOf(attempt, reserved))]])
  }
  throw refusal(`the attempt ${attempt.id} is not in flight`)
}

async function markLost(db: Db, sql: Sql, before: string, isRunner: boolean): Promise<number> {
  const sent = await sql
    .selectFrom('attempts')
    .select(['id', 'started_at', 'process', 'batch'])
    .where('outcome', '=', lit('sent'))
    .where('submission', 'is', null)
    .execute()
  const lostAt = await lostBefore(db, sql, before)
  const lost = sent.filter(
    ({ started_at, process, batch }) =>
      process !== db.process && (started_at <= lostAt || isDead(db, process) || (isRunner && batch !== null)),
  )
  await expire(
    db,
    sql,
    lost.map(({ id }) => id),
  )
  return lost.length
}

/** Marks calls as `unknown`: each may have been paid for, and stays counted with its bound. */
async function expire(db: Db, sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const lost = await sql
    .updateTable('attempts')
    .set({ outcome: 'unknown', message: 'the process ended while the call was in flight' })
    .where(isIn(db, 'id', ids))
    .where('outcome', '=', lit('sent'))
    .returning(['started_at', 'batch', 'payer', 'reserved_usd'])
    .execute()
  await addSpending(
    sql,
    lost.map((row) => {
      const reserved = row.reserved_usd ?? 0
      return [row, { reserved_usd: -reserved, uncertain_usd: reserved, unknown_calls: 1 }]
    }),
  )
}

/** Renders a planned call as its row, without an end. */
export const emptyRow = (planned: PlannedAttempt) => ({
  id: planned.id,
  grade_id: planned.grade_id,
  key: planned.key,
  sample: planned.sample,
  round: planned.round,
  purpose: planned.purpose,
  request_digest: planned.request_digest,
  judge: planned.judge,
  started_at: planned.started_at,
  batch: planned.batch,
  item: planned.item,
  payer: planned.payer,
  reserved_usd: planned.reserved_usd,
})

/** Renders the end of a call as its columns; batch endpoints know no latency. */
export const renderEnd = (ended: Omit<FinishedAttempt, 'latency_ms'> & { readonly latency_ms: number | null }) => {
  const { reply } = ended
  return {
    id: ended.id,
    outcome: ended.outcome as AttemptOutcome,
    message: ended.message,
    reply_text: reply.ok ? packText(reply.text, COMPRESS_ABOVE) : null,
    raw_reply: reply.raw === null ? null : packText(reply.raw, COMPRESS_ABOVE),
    usage: reply.usage === null ? null : JSON.stringify(reply.usage),
    cost_usd: ended.cost_usd,
    latency_ms: ended.latency_ms,
    request_id: reply.request_id,
    model_resolved: reply.model_resolved,
  }
}

/** The columns of a reply. */
export interface ReplyRow {
  readonly reply_text: Buffer | null
  readonly raw_reply: Buffer | null
  readonly usage: string | null
  readonly request_id: string | null
  readonly model_resolved: string | null
}

export const parseUsage = (text: string | null): Usage | null => (text === null ? null : parseStored<Usage>(text))

/** Parses a good reply; a CHECK holds its texts in every row of outcome `ok`. */
export const parseReply = ({ reply_text, raw_reply, usage, request_id, model_resolved }: ReplyRow): GoodReply => ({
  ok: true,
  text: unpackText(reply_text ?? Buffer.alloc(0)),
  raw: unpackText(raw_reply ?? Buffer.alloc(0)),
  usage: parseUsage(usage),
  model_resolved,
  request_id,
})

type EntryRow = Omit<LedgerEntry, 'raw_reply' | 'usage' | 'outcome'> & {
  readonly raw_reply: Buffer | null
  readonly usage: string | null
  readonly outcome: AttemptOutcome
}

const parseEntry = (row: EntryRow): LedgerEntry => ({
  ...row,
  outcome: row.outcome as LedgerEntry['outcome'],
  usage: parseUsage(row.usage),
  raw_reply: row.raw_reply === null ? null : unpackText(row.raw_reply),
})
