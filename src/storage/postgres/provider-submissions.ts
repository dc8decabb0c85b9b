import type { ProviderEnd, ProviderQueue } from '../../ports/provider-ports.ts'
import type { EndRow } from '../attempt-rows.ts'
import type { Outside } from '../outside.ts'
import { keepEnds } from '../outside-replies.ts'
import { parseLine, parsePlanned, takeWithin } from '../provider-rows.ts'
import { addAmounts, amountsOf, type Counted } from '../sqlite/spending.ts'
import { StorageError } from '../storage-error.ts'
import { renderPlanned } from './attempt-ledger.ts'
import type { Processes } from './cluster/processes.ts'
import type { Sql } from './connection/pool.ts'
import { columnOf, insertManyOf, insertOf } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'
import { wakeAllItems, wakeItems } from './provider-items.ts'
import { addSpending, type Change } from './spending.ts'

/** Another process that takes requests at the same time waits, and then finds those that are left. */
const QUEUED = `
  SELECT seq, bytes FROM provider_requests WHERE batch = $1 AND judge = $2 AND status = 'queued'
  ORDER BY seq LIMIT $3 FOR UPDATE`

const SEND = "UPDATE provider_requests SET status = 'sent', provider_batch = $1 WHERE seq = ANY($2)"

const IS_SENT = "provider_batch = (SELECT seq FROM provider_batches WHERE id = $1) AND status = 'sent'"

const LINES = `SELECT id, line FROM provider_requests WHERE ${IS_SENT} ORDER BY seq`

const BEGIN_SENDING = `
  INSERT INTO sendings (submission, process, since) VALUES ($1, $2, clock_timestamp())
  ON CONFLICT (submission) DO UPDATE SET process = excluded.process, since = excluded.since`

/** The same end twice is one; another provider’s id for the same submission is a mistake. */
const MARK_SUBMITTED = `
  UPDATE provider_batches SET status = 'submitted', provider_id = $2
  WHERE id = $1 AND (status = 'recorded' OR status = 'submitted' AND provider_id = $2)`

const QUEUE_AGAIN = `UPDATE provider_requests SET status = 'queued', provider_batch = NULL WHERE ${IS_SENT}`

const END_SUBMISSION = `
  UPDATE provider_batches SET status = $2, detail = $3, ended_at = $4
  WHERE id = $1 AND status IN ('recorded', 'submitted')`

/** As it was seen before it is withdrawn, and sent by nobody since. */
const WITHDRAW = `
  UPDATE provider_batches SET status = 'failed', detail = $2, ended_at = $3
  WHERE id = $1 AND status IN ('recorded', 'submitted') AND provider_id IS NOT DISTINCT FROM $4
    AND NOT EXISTS (SELECT 1 FROM sendings WHERE submission = $1 AND process <> $5)`

const FIND_SENT = `
  SELECT seq, id, planned, batch, item FROM provider_requests WHERE ${IS_SENT} AND id = ANY($2) ORDER BY seq FOR UPDATE`

/** The lines have been sent for the last time, so they go. */
const END_REQUESTS = `
  UPDATE provider_requests SET status = ended.status, failure = ended.failure, line = NULL
  FROM unnest($1::bigint[], $2::text[], $3::text[]) AS ended (seq, status, failure)
  WHERE provider_requests.seq = ended.seq`

/** What is reserved for requests that fall away, by payer and day. In sums: tens of thousands can fall away at once. */
const renderReleaseSql = (change: string): string => `
  WITH gone AS (${change} RETURNING batch, payer, started_at, reserved_usd)
  SELECT batch, payer, min(started_at) AS started_at, sum(reserved_usd) AS reserved_usd
  FROM gone GROUP BY batch, payer, substr(started_at, 1, 10)`

const VOID_SENT = renderReleaseSql(`UPDATE provider_requests SET status = 'void', line = NULL WHERE ${IS_SENT}`)
const DROP_QUEUED = renderReleaseSql("DELETE FROM provider_requests WHERE batch = $1 AND status = 'queued'")

interface Reserved extends Counted {
  readonly reserved_usd: number | null
}

/** A request that is on its way. */
interface SentRow {
  readonly seq: number
  readonly id: string
  readonly planned: string
  readonly batch: string
  readonly item: number
}

type Submissions = Pick<
  ProviderQueue,
  'record' | 'lines' | 'sending' | 'markSubmitted' | 'withdraw' | 'storeEnds' | 'close' | 'dropQueued'
>

/** Submissions and how their requests come back. */
export function createSubmissions(unit: Unit, processes: Processes, outside: Outside): Submissions {
  return {
    record: (submission, limits) => unit.write((sql) => record(sql, submission, limits)),
    lines: async (id) => (await unit.rows<Parameters<typeof parseLine>[0]>(LINES, [id])).map(parseLine),
    async sending(id, is) {
      if (is) await unit.run(BEGIN_SENDING, [id, processes.id])
      else await unit.run('DELETE FROM sendings WHERE submission = $1 AND process = $2', [id, processes.id])
    },
    async markSubmitted(id, providerId) {
      if ((await unit.run(MARK_SUBMITTED, [id, providerId])) === 0)
        throw new StorageError('storage_error', `the submission ${id} is not waiting to be sent`)
    },
    withdraw: (id, detail, at, providerId = null) =>
      unit.write(async (sql) => {
        if ((await sql.run(WITHDRAW, [id, detail, at, providerId, processes.id])) > 0) await sql.run(QUEUE_AGAIN, [id])
      }),
    async storeEnds(id, ends) {
      const rows = await keepEnds(outside, ends)
      return unit.write((sql) => storeEnds(sql, id, ends, rows))
    },
    close: (id, detail, at) =>
      unit.write(async (sql) => {
        const released = await sql.rows<Reserved>(VOID_SENT, [id])
        const [found] = await sql.rows<{ batch: string }>('SELECT batch FROM provider_batches WHERE id = $1', [id])
        if (found !== undefined) await wakeAllItems(sql, found.batch)
        await sql.run(END_SUBMISSION, [id, 'ended', detail, at])
        await release(sql, released)
      }),
    dropQueued: (batch) =>
      unit.write(async (sql) => {
        const released = await sql.rows<Reserved>(DROP_QUEUED, [batch])
        await wakeAllItems(sql, batch)
        await release(sql, released)
      }),
  }
}

const release = (sql: Sql, sums: readonly Reserved[]): Promise<void> =>
  addSpending(
    sql,
    sums.map((sum): Change => [sum, { reserved_usd: -(sum.reserved_usd ?? 0) }]),
  )

async function record(
  sql: Sql,
  { id, batch, judge, at }: Parameters<ProviderQueue['record']>[0],
  limits: Parameters<ProviderQueue['record']>[1],
): ReturnType<ProviderQueue['record']> {
  const rows = await sql.rows<{ seq: number; bytes: number }>(QUEUED, [batch, judge, limits.most_requests])
  const taken = rows.slice(0, takeWithin(columnOf(rows, 'bytes'), limits))
  if (taken.length === 0) return null
  const row = { id, judge, batch, status: 'recorded', requests: taken.length, recorded_at: at } as const
  const [made] = await sql.rows<{ seq: number }>(...insertOf('provider_batches', row, 'RETURNING seq'))
  await sql.run(SEND, [made?.seq, columnOf(taken, 'seq')])
  return { ...row, provider_id: null }
}

/** What one end changes. */
interface Ended {
  readonly seq: number
  readonly status: 'answered' | 'void'
  readonly failure: string | null
  readonly attempt: object | null
  readonly change: Change
}

async function storeEnds(
  sql: Sql,
  id: string,
  ends: readonly ProviderEnd[],
  rows: readonly (EndRow | null)[],
): Promise<number> {
  // The first of two ends of one request counts.
  const byId = new Map(ends.map((end, index) => [end.id, { end, row: rows[index] ?? null }] as const).reverse())
  const sent = await sql.rows<SentRow>(FIND_SENT, [id, [...byId.keys()]])
  const ended = sent.flatMap((row) => {
    const found = byId.get(row.id)
    return found === undefined ? [] : [renderEnded(row, found.end, found.row)]
  })
  const attempts = ended.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]))
  for (const statement of insertManyOf('attempts', attempts)) await sql.run(...statement)
  await sql.run(END_REQUESTS, [columnOf(ended, 'seq'), columnOf(ended, 'status'), columnOf(ended, 'failure')])
  await wakeItems(
    sql,
    sent.map(({ batch, item }) => ({ batch, index: item })),
  )
  await addSpending(sql, columnOf(ended, 'change'))
  return sent.length
}

function renderEnded(row: SentRow, end: ProviderEnd, rendered: EndRow | null): Ended {
  const planned = parsePlanned(row)
  const reserved = planned.reserved_usd ?? 0
  if (end.end === 'void') {
    const change: Change = [planned, { reserved_usd: -reserved }]
    return { seq: row.seq, status: 'void', failure: null, attempt: null, change }
  }
  const { reply, cost_usd } = end
  const failure = reply.ok ? null : reply.failure
  const outcome = failure?.code ?? ('ok' as const)
  return {
    seq: row.seq,
    status: 'answered',
    failure: failure && JSON.stringify(failure),
    attempt: { ...renderPlanned(planned), ...rendered },
    change: [
      planned,
      addAmounts({ reserved_usd: -reserved, calls: 1 }, amountsOf({ outcome, reply, cost_usd }, reserved)),
    ],
  }
}
