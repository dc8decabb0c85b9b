import type { PlannedAttempt } from '../../ports/ledger-ports.ts'
import type { ProviderEnd, ProviderQueue } from '../../ports/provider-ports.ts'
import type { Db, Sql, Work } from '../db.ts'
import { columnOf, insertOf } from '../statements.ts'
import { refusal } from '../storage-error.ts'
import { parseStored } from '../stored-text.ts'
import { type EndRow, renderEnd, renderPlanned } from './attempt-rows.ts'
import { wakeAllItems, wakeItems } from './provider-items.ts'
import { parseLine, takeWithin } from './provider-rows.ts'
import { addAmounts, addSpending, amountsOf, type Change, type Counted } from './spending.ts'

/** Another process that takes requests at the same time waits, and then finds those that are left. */
export const QUEUED = `
  SELECT seq AS number, bytes FROM provider_requests WHERE batch = $1 AND judge = $2 AND status = 'queued'
  ORDER BY seq LIMIT $3 FOR UPDATE`

export const SEND = "UPDATE provider_requests SET status = 'sent', provider_batch = $1 WHERE seq = ANY($2)"

const IS_SENT = "provider_batch = (SELECT seq FROM provider_batches WHERE id = $1) AND status = 'sent'"

export const LINES = `SELECT id, line FROM provider_requests WHERE ${IS_SENT} ORDER BY seq`

const BEGIN_SENDING = `
  INSERT INTO sendings (submission, process, since) VALUES ($1, $2, clock_timestamp())
  ON CONFLICT (submission) DO UPDATE SET process = excluded.process, since = excluded.since`

/** The same end twice is one; another provider’s id for the same submission is a mistake. */
const MARK_SUBMITTED = `
  UPDATE provider_batches SET status = 'submitted', provider_id = $2
  WHERE id = $1 AND (status = 'recorded' OR status = 'submitted' AND provider_id = $2)`

const QUEUE_AGAIN = `UPDATE provider_requests SET status = 'queued', provider_batch = NULL WHERE ${IS_SENT}`

const END_SUBMISSION = `
  UPDATE provider_batches SET status = 'ended', detail = $2, ended_at = $3
  WHERE id = $1 AND status IN ('recorded', 'submitted')`

/** As it was seen before it is withdrawn. */
const WITHDRAW = `
  UPDATE provider_batches SET status = 'failed', detail = $2, ended_at = $3
  WHERE id = $1 AND status IN ('recorded', 'submitted') AND provider_id IS NOT DISTINCT FROM $4`
/** And not sent since. */
const NOT_SENT_SINCE = 'AND NOT EXISTS (SELECT 1 FROM sendings WHERE submission = $1 AND process <> $5)'

export const FIND_SENT = `
  SELECT seq AS number, id, planned, batch, item FROM provider_requests
  WHERE /*+*/ ${IS_SENT} AND id = ANY($2) ORDER BY seq FOR UPDATE`

/** The lines have been sent for the last time, so they go. */
const END_REQUESTS = 'UPDATE provider_requests SET status = $2, failure = $3, line = NULL WHERE seq = ANY($1)'

const IS_QUEUED = "batch = $1 AND status = 'queued'"
const VOID_SENT = `UPDATE provider_requests SET status = 'void', line = NULL WHERE ${IS_SENT}`
const DROP_QUEUED = `DELETE FROM provider_requests WHERE ${IS_QUEUED}`

type Submissions = Pick<
  ProviderQueue,
  'record' | 'lines' | 'sending' | 'markSubmitted' | 'withdraw' | 'storeEnds' | 'close' | 'dropQueued'
>

/** Submissions and how their requests come back. */
export function createSubmissions(db: Db): Submissions {
  return {
    record: (submission, limits) => db.write((sql) => record(sql, submission, limits)),
    lines: async (id) => (await db.rows<Parameters<typeof parseLine>[0]>(LINES, [id])).map(parseLine),
    async sending(id, is) {
      // Elsewhere the process that claimed the batch has it until it dies.
      if (!db.isShared) return
      if (is) await db.run(BEGIN_SENDING, [id, db.process])
      else await db.run('DELETE FROM sendings WHERE submission = $1 AND process = $2', [id, db.process])
    },
    async markSubmitted(id, providerId) {
      if ((await db.run(MARK_SUBMITTED, [id, providerId])) === 0)
        throw refusal(`the submission ${id} is not waiting to be sent`)
    },
    withdraw: (id, detail, at, providerId = null) =>
      db.write(function* (sql) {
        const values = [id, detail, at, providerId]
        const withdrawn = db.isShared
          ? yield* sql.run(`${WITHDRAW} ${NOT_SENT_SINCE}`, [...values, db.process])
          : yield* sql.run(WITHDRAW, values)
        if (withdrawn > 0) yield* sql.run(QUEUE_AGAIN, [id])
      }),
    storeEnds(id, ends) {
      const rows = ends.map((end) => (end.end === 'answered' ? renderProviderEnd(end) : null))
      return db.write((sql) => storeEnds(sql, id, ends, rows))
    },
    close: (id, detail, at) =>
      db.write(function* (sql) {
        const released = yield* fallAway(db, sql, VOID_SENT, IS_SENT, id)
        const [found] = yield* sql.rows<{ batch: string }>('SELECT batch FROM provider_batches WHERE id = $1', [id])
        if (found !== undefined) yield* wakeAllItems(sql, found.batch)
        yield* sql.run(END_SUBMISSION, [id, detail, at])
        yield* addSpending(sql, released)
      }),
    dropQueued: (batch) =>
      db.write(function* (sql) {
        const released = yield* fallAway(db, sql, DROP_QUEUED, IS_QUEUED, batch)
        yield* wakeAllItems(sql, batch)
        yield* addSpending(sql, released)
      }),
  }
}

/** The id of a request is the id of its attempt; batch endpoints know no latency. */
function renderProviderEnd({ id, reply, cost_usd }: Extract<ProviderEnd, { end: 'answered' }>): EndRow {
  const failure = reply.ok ? null : reply.failure
  const outcome = failure?.code ?? ('ok' as const)
  return renderEnd({ id, outcome, message: failure?.message ?? null, reply, cost_usd, latency_ms: null })
}

interface Reserved extends Counted {
  readonly reserved_usd: number | null
}

/**
 * Requests that fall away unanswered, and what is reserved for them, by payer and day. In sums: tens of thousands can fall away at once. In one
 * statement where others may write in between.
 */
function* fallAway(db: Db, sql: Sql, change: string, which: string, id: string): Work<Change[]> {
  const [payer, startedAt, reserved] = db.isShared
    ? ['payer', 'started_at', 'reserved_usd']
    : ["planned ->> '$.payer'", "planned ->> '$.started_at'", "planned ->> '$.reserved_usd'"]
  const columns = `batch, ${payer} AS payer, ${startedAt} AS started_at, ${reserved} AS reserved_usd`
  const renderSums = (from: string) => `
    SELECT batch, payer, min(started_at) AS started_at, sum(reserved_usd) AS reserved_usd
    FROM ${from} AS gone GROUP BY batch, payer, substr(started_at, 1, 10)`
  const sums = db.isShared
    ? yield* sql.rows<Reserved>(`WITH changed AS (${change} RETURNING ${columns}) ${renderSums('changed')}`, [id])
    : yield* sql.rows<Reserved>(renderSums(`(SELECT ${columns} FROM provider_requests WHERE ${which})`), [id])
  if (!db.isShared) yield* sql.run(change, [id])
  return sums.map((sum) => [sum, { reserved_usd: -(sum.reserved_usd ?? 0) }])
}

function* record(
  sql: Sql,
  { id, batch, judge, at }: Parameters<ProviderQueue['record']>[0],
  limits: Parameters<ProviderQueue['record']>[1],
): Work<Awaited<ReturnType<ProviderQueue['record']>>> {
  const rows = yield* sql.rows<{ number: number; bytes: number }>(QUEUED, [batch, judge, limits.most_requests])
  const taken = rows.slice(0, takeWithin(columnOf(rows, 'bytes'), limits))
  if (taken.length === 0) return null
  const row = { id, judge, batch, status: 'recorded', requests: taken.length, recorded_at: at } as const
  const [made] = yield* sql.rows<{ number: number }>(...insertOf('provider_batches', row, 'RETURNING seq AS number'))
  yield* sql.run(SEND, [made?.number, columnOf(taken, 'number')])
  return { ...row, provider_id: null }
}

/** A request that is on its way. */
interface SentRow {
  readonly number: number
  readonly id: string
  readonly planned: string
  readonly batch: string
  readonly item: number
}

/** What one end changes. */
interface Ended {
  readonly number: number
  /** Null: it was never run. */
  readonly attempt: object | null
  readonly failure: string | null
  readonly change: Change
}

function* storeEnds(
  sql: Sql,
  id: string,
  ends: readonly ProviderEnd[],
  rows: readonly (EndRow | null)[],
): Work<number> {
  // The first of two ends of one request counts.
  const byId = new Map(ends.map((end, index) => [end.id, { end, row: rows[index] ?? null }] as const).reverse())
  const sent = yield* sql.rows<SentRow>(FIND_SENT, [id, [...byId.keys()]])
  const ended = sent.flatMap((row) => {
    const found = byId.get(row.id)
    return found === undefined ? [] : [renderEnded(row, found.end, found.row)]
  })
  yield* sql.insertMany(
    'attempts',
    ended.flatMap(({ attempt }) => attempt ?? []),
  )
  for (const [status, some] of Map.groupBy(ended, ({ attempt }) => (attempt === null ? 'void' : 'answered')))
    for (const [failure, alike] of Map.groupBy(some, (one) => one.failure))
      yield* sql.run(END_REQUESTS, [columnOf(alike, 'number'), status, failure])
  yield* wakeItems(
    sql,
    sent.map(({ batch, item }) => ({ batch, index: item })),
  )
  yield* addSpending(sql, columnOf(ended, 'change'))
  return sent.length
}

function renderEnded(row: SentRow, end: ProviderEnd, rendered: EndRow | null): Ended {
  const planned = parseStored<PlannedAttempt>(row.planned)
  const reserved = planned.reserved_usd ?? 0
  if (end.end === 'void')
    return { number: row.number, attempt: null, failure: null, change: [planned, { reserved_usd: -reserved }] }
  const { reply, cost_usd } = end
  const failure = reply.ok ? null : reply.failure
  const amounts = amountsOf({ outcome: failure?.code ?? 'ok', reply, cost_usd }, reserved)
  return {
    number: row.number,
    attempt: { ...renderPlanned(planned), ...rendered },
    failure: failure && JSON.stringify(failure),
    change: [planned, addAmounts({ reserved_usd: -reserved, calls: 1 }, amounts)],
  }
}
