import { type Expression, type RawBuilder, sql as raw, type SqlBool } from 'kysely'
import { sum } from '../domain/statistics/weighted-shares.ts'
import type { Batch } from '../schemas/batch.ts'
import type { BatchStatus } from '../schemas/vocabulary.ts'
import { assignments, type Db, insert, isIn, newest, type Page, type Sql } from './db.ts'
import { refusal } from './errors.ts'
import { createItems, ITEM_IS_OPEN, isOf, lockBatch, type NewItem, renderItem } from './items.ts'
import { IN_FLIGHT, type Payer } from './ledger.ts'
import type { Amounts, BatchRow, Spending, Tally } from './schema.ts'
import { NOTHING } from './spending.ts'

export interface NewBatch
  extends Readonly<Pick<BatchRow, 'id' | 'kind' | 'mode' | 'name' | 'key' | 'max_cost_usd' | 'created_at'>> {
  readonly payer: Payer | null
}

export interface BatchQuery extends Page {
  readonly key?: string
  readonly status?: BatchStatus
}

/** The facts of a batch that a runner needs. `payer` null: no key in particular pays. */
export type RunPlan = Pick<BatchRow, 'id' | 'kind' | 'mode' | 'status' | 'max_cost_usd'> & {
  readonly payer: Payer | null
}

export type BatchStore = ReturnType<typeof createBatches>

/** Batches and their items. In a stored batch `counts.running` counts only items that wait for a provider’s batch. `add` and `open` reject for a batch that is no draft. */
export function createBatches(db: Db) {
  /** Changes a batch in one of the states; false where the batch is in another. */
  const change = (id: string, states: readonly BatchRow['status'][], row: Partial<BatchRow>): Promise<boolean> =>
    db.write(async (sql) => (await changeIn(sql, id, states, row)) > 0)
  return {
    ...createItems(db),
    ...createDrafts(db),
    get: async (id: string): Promise<Batch | null> => (await readBatches(db.read, { id, limit: 1 }))[0] ?? null,
    list: (query: BatchQuery): Promise<readonly Batch[]> => readBatches(db.read, query),
    /**
     * Lists the batches that have not ended, oldest first, without the batches that are parked beyond a time, or until they are resumed. `is_open`: an
     * item has not ended.
     */
    listDue: (now: string) =>
      db.read.all<Pick<BatchRow, 'id' | 'status'> & { readonly is_open: boolean }>`
        SELECT id, status, EXISTS (SELECT 1 FROM batch_items WHERE batch = batches.seq AND batch_items.${ITEM_IS_OPEN}) AS is_open FROM batches
        WHERE status IN ('running', 'cancelling', 'parked') AND (status <> 'parked' OR resumes_at <= ${now}) ORDER BY id`,
    /** Reads the facts of a batch that a runner needs: without the counts, which cost a walk over the items. */
    async plan(id: string): Promise<RunPlan | null> {
      type Row = Omit<RunPlan, 'payer'> & Pick<BatchRow, 'payer' | 'payer_cap_usd'>
      const row = await db.read.first<Row>`
        SELECT id, kind, mode, status, max_cost_usd, payer, payer_cap_usd FROM batches WHERE id = ${id}`
      if (row === undefined) return null
      const { payer_cap_usd, ...plan } = row
      return { ...plan, payer: row.payer === null ? null : { key_id: row.payer, max_cost_usd_per_day: payer_cap_usd } }
    },
    /** Parks a running batch; false where the batch did not run. */
    park: (id: string, reason: string, resumesAt: string | null): Promise<boolean> =>
      change(id, ['running'], { status: 'parked', parked_reason: reason, resumes_at: resumesAt }),
    /** Lets a parked batch run again; false where the batch is not parked. */
    resume: (id: string): Promise<boolean> =>
      change(id, ['parked'], { status: 'running', parked_reason: null, resumes_at: null }),
    /** Asks for the end of a batch; false where the batch has ended. */
    requestCancel: (id: string): Promise<boolean> =>
      change(id, ['running', 'parked', 'cancelling'], { status: 'cancelling', parked_reason: null, resumes_at: null }),
    /**
     * Cancels the open items of a batch that is being cancelled, but items with a call in flight. Returns whether no item is open any more: then the
     * batch is cancelled.
     */
    finishCancel: (id: string, at: string): Promise<boolean> =>
      db.write(async (sql) => {
        // One process at a time: two at the items of a large batch would undo the work of each other by deadlocks.
        if ((await lockBatch(sql, id, 'FOR UPDATE SKIP LOCKED'))?.status !== 'cancelling') return false
        await sql.run`UPDATE batch_items SET status = 'cancelled' WHERE ${isOf(id)} AND ${ITEM_IS_OPEN}
          AND idx NOT IN (SELECT item FROM attempts WHERE batch = ${id} AND item IS NOT NULL AND ${IN_FLIGHT})`
        return finish(sql, id, 'cancelling', { status: 'cancelled', finished_at: at })
      }),
    /** Ends a running batch; false, without a change, while an item is open. */
    finish: (id: string, at: string): Promise<boolean> =>
      db.write((sql) => finish(sql, id, 'running', { status: 'done', finished_at: at })),
  }
}

const changeIn = (sql: Sql, id: string, states: readonly BatchRow['status'][], row: Partial<BatchRow>) =>
  sql.run`UPDATE batches SET ${assignments<'batches'>(row)} WHERE id = ${id} AND ${isIn(sql, 'status', states)}`

/**
 * Ends a batch without an open item, with the counts of its items, which change no more. One reading of the items: an item that becomes pending
 * again after it waited is open all the time.
 */
async function finish(sql: Sql, id: string, state: BatchRow['status'], row: Partial<BatchRow>) {
  const open = await sql.first`SELECT 1 FROM batch_items WHERE ${isOf(id)} AND ${ITEM_IS_OPEN} LIMIT 1`
  if (open !== undefined) return false
  const tallies = await countItems(sql, isOf(id))
  return (await changeIn(sql, id, [state], { ...row, tallies })) > 0
}

/** A batch while its items arrive. */
function createDrafts(db: Db) {
  async function findDraft(sql: Sql, id: string): Promise<number> {
    const row = await lockBatch(sql, id)
    if (row?.status !== 'draft') throw refusal(`the batch ${id} is no draft`)
    return row.seq
  }
  /** Forgets the drafts that a condition selects, with their items; returns their number. */
  const forget = (condition: RawBuilder<unknown>): Promise<number> =>
    db.write(async (sql) => {
      const drafts = raw`status = 'draft' AND ${condition}`
      await sql.run`DELETE FROM batch_items WHERE batch IN (SELECT seq FROM batches WHERE ${drafts})`
      return sql.run`DELETE FROM batches WHERE ${drafts}`
    })
  return {
    /** Makes a batch that is not listed until it is opened. */
    async draft({ payer, ...batch }: NewBatch): Promise<void> {
      const paid = { payer: payer?.key_id ?? null, payer_cap_usd: payer?.max_cost_usd_per_day ?? null }
      await db.write((sql) => insert(sql, 'batches', { ...batch, ...paid, status: 'draft' }))
    },
    /** Adds some hundred items to a draft, all of them or none. A constraint holds that no two have one `item_id`: the intake names the second. */
    add: (id: string, items: readonly NewItem[]): Promise<void> =>
      db.write(async (sql) => {
        const seq = await findDraft(sql, id)
        await insert(
          sql,
          'batch_items',
          items.map((item) => renderItem(seq, item)),
        )
        await sql.run`UPDATE batches SET total = total + ${items.length} WHERE seq = ${seq}`
      }),
    /** Ends the draft: the batch runs from now on. Returns the batch. */
    open: (id: string): Promise<Batch> =>
      db.write(async (sql) => {
        await sql.run`UPDATE batches SET status = 'running' WHERE seq = ${await findDraft(sql, id)}`
        const [batch] = await readBatches(sql, { id, limit: 1 })
        if (batch === undefined) throw refusal(`the batch ${id} was opened and is not there`)
        return batch
      }),
    discard: (id: string) => forget(raw`id = ${id}`),
    /** Forgets drafts that were begun before a time; returns their number. */
    discardAbandoned: (before: string): Promise<number> => forget(raw`created_at < ${before}`),
  }
}

/** Reads batches with the counts of their items and their spending, newest first. Drafts are only read by their id. */
async function readBatches(sql: Sql, query: BatchQuery & { readonly id?: string }): Promise<Batch[]> {
  const { id, key, status, ...page } = query
  const filters = [...Object.entries({ id, key, status }), raw`status <> 'draft'`]
  const rows = await sql.all<BatchRow>`${newest(sql, 'batches', '*', filters, page)}`
  if (rows.length === 0) return []
  const scopes = rows.map((row) => `batch:${row.id}`)
  const uncounted = rows.flatMap(({ seq, tallies }) => (tallies === null ? [seq] : []))
  const [counted, spent] = await Promise.all([
    countItems(sql, isIn(sql, 'batch', uncounted)),
    sql.all<Spending>`SELECT * FROM spending WHERE ${isIn(sql, 'scope', scopes)}`,
  ])
  return rows.map((row) => {
    const tallies = row.tallies ?? counted.filter(({ batch }) => batch === row.seq)
    return toRecord(row, tallies, spent.find(({ scope }) => scope === `batch:${row.id}`) ?? NOTHING)
  })
}

const countItems = (sql: Sql, which: Expression<SqlBool>) =>
  sql.all<Tally & { readonly batch: number }>`
    SELECT batch, status, cached, coalesce(label, failure_code) AS detail, count(*) AS n FROM batch_items
    WHERE ${which} GROUP BY batch, status, cached, label, failure_code ORDER BY status, detail`

function toRecord(row: BatchRow, tallies: readonly Tally[], spent: Amounts): Batch {
  const { id, kind, mode, name, key, max_cost_usd, parked_reason, resumes_at, total, created_at, finished_at } = row
  const count = (some: readonly Tally[]): number => sum(some.map(({ n }) => n))
  const ofState = (state: Tally['status']) => tallies.filter(({ status }) => status === state)
  const inState = (state: Tally['status']): number => count(ofState(state))
  const byDetail = (state: Tally['status']): Record<string, number> => {
    const groups = Map.groupBy(ofState(state), ({ detail }) => detail ?? '')
    return Object.fromEntries([...groups].map(([detail, some]) => [detail, count(some)]))
  }
  const open = { pending: inState('pending'), running: inState('waiting') }
  const closed = { unverified: inState('unverified'), failed: inState('failed'), cancelled: inState('cancelled') }
  return {
    ...{ id, kind, mode, name, key, status: row.status as BatchStatus, max_cost_usd, parked_reason, resumes_at },
    counts: { total, ...open, graded: inState('graded'), ...closed },
    labels: byDetail('graded'),
    failures: byDetail('failed'),
    cached: count(tallies.filter(({ cached }) => cached)),
    calls: { made: spent.calls, unknown: spent.unknown_calls },
    uncertain_usd: spent.uncertain_usd,
    cost_usd: spent.unpriced_calls > 0 ? null : spent.settled_usd,
    ...{ created_at, finished_at },
  }
}
