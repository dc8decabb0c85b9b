import type Database from 'better-sqlite3'
import type { ProviderBatchRecord, ProviderEnd, ProviderQueue } from '../../ports/provider-ports.ts'
import { END_COLUMNS, type EndRow } from '../attempt-rows.ts'
import type { Outside } from '../outside.ts'
import { keepEnds } from '../outside-replies.ts'
import { parseLine, parsePlanned, type SentRow, takeWithin } from '../provider-rows.ts'
import { StorageError } from '../storage-error.ts'
import type { ItemGate } from './provider-items.ts'
import { addAmounts, amountsOf, type Counted, type Spending } from './spending.ts'
import type { Unit } from './unit.ts'

interface SubmissionDeps {
  readonly db: Database.Database
  readonly unit: Unit
  readonly spending: Spending
  readonly items: ItemGate
  readonly outside: Outside
}

const IS_QUEUED = "batch = @batch AND judge = @judge AND status = 'queued'"

export const QUEUED = `
  SELECT rowid, bytes FROM provider_requests WHERE ${IS_QUEUED} ORDER BY rowid LIMIT @limit`

const RECORD = `
  INSERT INTO provider_batches (id, judge, batch, status, requests, recorded_at)
  VALUES (@id, @judge, @batch, 'recorded', @requests, @at)`

export const SEND = `
  UPDATE provider_requests SET status = 'sent', provider_batch = @submission WHERE ${IS_QUEUED} AND rowid <= @last`

const ROW_OF = 'SELECT rowid FROM provider_batches WHERE id = @id'
const IS_SENT = `provider_batch = (${ROW_OF}) AND status = 'sent'`

export const LINES = `SELECT id, line FROM provider_requests WHERE ${IS_SENT} ORDER BY rowid`

/** The same end twice is one; another provider’s id for the same submission is a mistake. */
const MARK_SUBMITTED = `
  UPDATE provider_batches SET status = 'submitted', provider_id = @provider_id
  WHERE id = @id AND (status = 'recorded' OR status = 'submitted' AND provider_id = @provider_id)`

const QUEUE_AGAIN = `UPDATE provider_requests SET status = 'queued', provider_batch = NULL WHERE ${IS_SENT}`

const END_SUBMISSION = `
  UPDATE provider_batches SET status = @status, detail = @detail, ended_at = @at
  WHERE id = @id AND status IN ('recorded', 'submitted')`

export const FIND_SENT = `
  SELECT rowid, planned, batch, item FROM provider_requests WHERE id = @request AND +${IS_SENT}`

const VOID_SENT = `UPDATE provider_requests SET status = 'void', line = NULL WHERE ${IS_SENT}`

/** The line has been sent for the last time, so it goes. */
const END_REQUEST =
  'UPDATE provider_requests SET status = @status, failure = @failure, line = NULL WHERE rowid = @rowid'

const INSERT_ATTEMPT = `
  INSERT INTO attempts (
    id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd,
    ${END_COLUMNS.join(', ')}
  ) VALUES (
    @id, @grade_id, @key, @sample, @round, @purpose, @request_digest, @judge, @started_at, @batch, @payer, @reserved_usd,
    ${END_COLUMNS.map((name) => `@${name}`).join(', ')}
  )`

/** What is reserved for requests, by payer and day. In sums: tens of thousands can fall away at once. */
const renderReservedSql = (where: string): string => `
  SELECT batch, planned ->> '$.payer' AS payer, planned ->> '$.started_at' AS started_at, sum(planned ->> '$.reserved_usd') AS reserved_usd
  FROM provider_requests WHERE ${where} GROUP BY batch, planned ->> '$.payer', substr(planned ->> '$.started_at', 1, 10)`

interface Reserved extends Counted {
  readonly reserved_usd: number | null
}

const IS_DROPPED = "batch = @batch AND status = 'queued'"
const DROP_QUEUED = `DELETE FROM provider_requests WHERE ${IS_DROPPED}`

type Submissions = Pick<
  ProviderQueue,
  'record' | 'lines' | 'sending' | 'markSubmitted' | 'withdraw' | 'storeEnds' | 'close' | 'dropQueued'
>

/** Submissions and how their requests come back. */
export function createSubmissions(deps: SubmissionDeps): Submissions {
  const { db, unit } = deps
  const lines = db.prepare(LINES)
  const markSubmitted = db.prepare(MARK_SUBMITTED)
  const queueAgain = db.prepare(QUEUE_AGAIN)
  const endSubmission = db.prepare(END_SUBMISSION)
  const record = prepareRecord(db)
  const storeEnds = prepareEnds(deps)
  return {
    record: (submission, limits) => unit.write(() => record(submission, limits)),
    lines: (id) => unit.read(() => (lines.all({ id }) as Parameters<typeof parseLine>[0][]).map(parseLine)),
    // The process that claimed the batch has it until it dies.
    sending: async () => undefined,
    markSubmitted: (id, providerId) =>
      unit.write(() => {
        if (markSubmitted.run({ id, provider_id: providerId }).changes === 0)
          throw new StorageError('storage_error', `the submission ${id} is not waiting to be sent`)
      }),
    withdraw: (id, detail, at) =>
      unit.write(() => {
        queueAgain.run({ id })
        endSubmission.run({ id, status: 'failed', detail, at })
      }),
    async storeEnds(id, ends) {
      const rows = await keepEnds(deps.outside, ends)
      return unit.write(() => storeEnds(id, ends, rows))
    },
    ...prepareFallAway(deps, endSubmission),
  }
}

/** Requests that fall away unanswered, as many as there are, in a few statements. */
function prepareFallAway(
  { db, unit, spending, items }: SubmissionDeps,
  endSubmission: Database.Statement,
): Pick<Submissions, 'close' | 'dropQueued'> {
  const batchOf = db.prepare('SELECT batch FROM provider_batches WHERE id = ?').pluck()
  const reservedSent = db.prepare(renderReservedSql(IS_SENT))
  const voidSent = db.prepare(VOID_SENT)
  const reservedQueued = db.prepare(renderReservedSql(IS_DROPPED))
  const dropQueued = db.prepare(DROP_QUEUED)
  const release = (sums: unknown[]): void => {
    for (const sum of sums as Reserved[]) spending.add(sum, { reserved_usd: -(sum.reserved_usd ?? 0) })
  }
  return {
    close: (id, detail, at) =>
      unit.write(() => {
        release(reservedSent.all({ id }))
        voidSent.run({ id })
        const batch = batchOf.get(id) as string | undefined
        if (batch !== undefined) items.wakeAll(batch)
        endSubmission.run({ id, status: 'ended', detail, at })
      }),
    dropQueued: (batch) =>
      unit.write(() => {
        release(reservedQueued.all({ batch }))
        dropQueued.run({ batch })
        items.wakeAll(batch)
      }),
  }
}

function prepareRecord(db: Database.Database) {
  const queued = db.prepare(QUEUED)
  const insert = db.prepare(RECORD)
  const send = db.prepare(SEND)
  return (
    { id, batch, judge, at }: Parameters<ProviderQueue['record']>[0],
    limits: Parameters<ProviderQueue['record']>[1],
  ): ProviderBatchRecord | null => {
    const rows = queued.all({ batch, judge, limit: limits.most_requests }) as { rowid: number; bytes: number }[]
    const requests = takeWithin(
      rows.map((row) => row.bytes),
      limits,
    )
    const last = rows[requests - 1]?.rowid
    if (last === undefined) return null
    const submission = insert.run({ id, judge, batch, requests, at }).lastInsertRowid
    send.run({ submission, batch, judge, last })
    return { id, judge, batch, status: 'recorded', provider_id: null, recorded_at: at, requests }
  }
}

type StoreEnds = (id: string, ends: readonly ProviderEnd[], rows: readonly (EndRow | null)[]) => number

function prepareEnds({ db, spending, items }: SubmissionDeps): StoreEnds {
  const find = db.prepare(FIND_SENT)
  const endRequest = db.prepare(END_REQUEST)
  const insertAttempt = db.prepare(INSERT_ATTEMPT)
  const storeVoid = (row: SentRow): void => {
    const planned = parsePlanned(row)
    endRequest.run({ rowid: row.rowid, status: 'void', failure: null })
    spending.add(planned, { reserved_usd: -(planned.reserved_usd ?? 0) })
  }
  const storeAnswer = (
    row: SentRow,
    { reply, cost_usd }: Extract<ProviderEnd, { end: 'answered' }>,
    end: EndRow,
  ): void => {
    const planned = parsePlanned(row)
    const reserved = planned.reserved_usd ?? 0
    const failure = reply.ok ? null : reply.failure
    insertAttempt.run({ ...planned, ...end })
    endRequest.run({ rowid: row.rowid, status: 'answered', failure: failure && JSON.stringify(failure) })
    spending.add(
      planned,
      addAmounts({ reserved_usd: -reserved, calls: 1 }, amountsOf({ outcome: end.outcome, reply, cost_usd }, reserved)),
    )
  }
  return (id, ends, rows) => {
    const counted: SentRow[] = []
    for (const [index, end] of ends.entries()) {
      const row = find.get({ id, request: end.id }) as SentRow | undefined
      if (row === undefined) continue
      const rendered = rows[index]
      if (end.end === 'void') storeVoid(row)
      else if (rendered) storeAnswer(row, end, rendered)
      counted.push(row)
    }
    for (const { batch, item } of counted) items.wake({ batch, index: item })
    return counted.length
  }
}
