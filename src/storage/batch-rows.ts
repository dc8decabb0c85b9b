import type Database from 'better-sqlite3'
import type { BatchQuery, BatchRecord } from '../ports/batch-ports.ts'
import type { BatchCounts } from '../schemas/batch.ts'
import { type Amounts, batchScope, type Spending } from './sqlite/spending.ts'

type Kept =
  | 'id'
  | 'kind'
  | 'mode'
  | 'name'
  | 'key'
  | 'status'
  | 'max_cost_usd'
  | 'parked_reason'
  | 'resumes_at'
  | 'created_at'
  | 'finished_at'

export interface KeptBatch extends Pick<BatchRecord, Kept> {
  readonly total: number
}

export interface BatchRow extends KeptBatch {
  readonly rowid: number
}

export interface Tally {
  readonly status: keyof BatchCounts | 'waiting'
  readonly detail: string
  readonly cached: number
  readonly n: number
}

const COLUMNS = `rowid, id, kind, mode, name, key, status, max_cost_usd, parked_reason, resumes_at, total, created_at,
    finished_at`

export const GET_BATCH = `SELECT ${COLUMNS} FROM batches WHERE id = ? AND status <> 'draft'`

export const TALLIES = 'SELECT status, detail, cached, n FROM batch_tallies WHERE batch = ? AND n > 0'

/** Newest first. The key is the more selective: with both given, the other stands behind a unary plus. */
export function renderBatchListSql({ key, status, before }: BatchQuery): string {
  const terms = [
    ...(key === undefined ? [] : ['key = @key']),
    ...(status === undefined ? [] : [`${key === undefined ? '' : '+'}status = @status`]),
    ...(before === undefined ? [] : ['id < @before']),
    "+status <> 'draft'",
  ]
  return `SELECT ${COLUMNS} FROM batches WHERE ${terms.join(' AND ')} ORDER BY id DESC LIMIT @limit`
}

/** Makes records of rows: with the tallies of their items and what their calls have cost. */
export function prepareBatchRecord(db: Database.Database, spending: Spending): (row: BatchRow) => BatchRecord {
  const tallies = db.prepare(TALLIES)
  return ({ rowid, ...row }) => renderRecord(row, tallies.all(rowid) as Tally[], spending.read(batchScope(row.id)))
}

/** A batch with how many of its items are in which end, and what was spent on it. */
export function renderRecord(row: KeptBatch, tallies: readonly Tally[], spent: Amounts): BatchRecord {
  const { total, created_at, finished_at, ...kept } = row
  const count = (fits: (tally: Tally) => boolean): number =>
    tallies.reduce((sum, tally) => sum + (fits(tally) ? tally.n : 0), 0)
  const ended = (status: Tally['status']): number => count((tally) => tally.status === status)
  const byDetail = (status: Tally['status']): Record<string, number> => {
    const details = new Set(tallies.filter((tally) => tally.status === status).map((tally) => tally.detail))
    return Object.fromEntries(
      [...details].map((detail) => [detail, count((tally) => tally.status === status && tally.detail === detail)]),
    )
  }
  return {
    ...kept,
    counts: {
      total,
      pending: total - count(() => true),
      running: ended('waiting'),
      graded: ended('graded'),
      unverified: ended('unverified'),
      failed: ended('failed'),
      cancelled: ended('cancelled'),
    },
    labels: byDetail('graded'),
    failures: byDetail('failed'),
    cached: count((tally) => tally.cached === 1),
    calls: { made: spent.calls, unknown: spent.unknown_calls },
    uncertain_usd: spent.uncertain_usd,
    cost_usd: spent.unpriced_calls > 0 ? null : spent.settled_usd,
    created_at,
    finished_at,
  }
}
