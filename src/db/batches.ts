import { type RawBuilder, sql as raw } from 'kysely'
import { sum } from '../domain/statistics/weighted-shares.ts'
import type { Batch } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'
import type { BatchStatus, ItemStatus, Label } from '../schemas/vocabulary.ts'
import { assignments, type Db, insert, isIn, locked, newest, type Page, type Sql } from './db.ts'
import { refusal } from './errors.ts'
import type { Amounts, BatchRow, ItemRow, Spending, Tally } from './schema.ts'
import { IN_FLIGHT, NOTHING, type Payer } from './spending.ts'

type Named = Readonly<Pick<BatchRow, 'id' | 'kind' | 'mode' | 'name' | 'key' | 'max_cost_usd' | 'created_at'>>

/** A batch to be made; `payer` null: no key in particular pays. */
export type NewBatch = Named & { readonly payer: Payer | null }

export type BatchQuery = Page & Readonly<{ key?: string; status?: BatchStatus }>

/** The facts of a batch that a runner needs. */
export type RunPlan = Pick<NewBatch, 'id' | 'kind' | 'mode' | 'max_cost_usd' | 'payer'> & Pick<BatchRow, 'status'>

/** An item of a batch; `base_grade`: the stored grade that is graded again, in a re-grade. */
export type NewItem = Readonly<Pick<ItemRow, 'item_id' | 'trajectory' | 'request' | 'base_grade'> & { index: number }>

/** An item that has not ended. `packed`: the stored bytes of its trajectory where they are few. */
export type OpenItem = NewItem & { readonly packed?: Uint8Array | null }

/** Bytes of a stored trajectory that is read with its item: all items of a chunk wait in memory with theirs. */
const FEW_BYTES = 64 * 1024
const PACKED = raw`, (SELECT CASE WHEN length(document) <= ${raw.lit(FEW_BYTES)} THEN document END
  FROM trajectories WHERE id = trajectory) AS packed`

/** The item that a grade settles. */
export type ItemRef = Readonly<{ batch: string; index: number }>

/** The end of an item: `graded` with a label, `failed` with a failure. */
export interface ItemEnd extends Readonly<Pick<ItemRow, 'grade_id'> & Partial<Pick<ItemRow, 'label' | 'failure'>>> {
  readonly status: Exclude<ItemStatus, 'cancelled'>
  readonly cached?: boolean
}

/** An ended item, as the results show it. */
export interface ItemRecord extends NewItem, Readonly<Pick<ItemRow, 'grade_id' | 'failure'>> {
  readonly status: ItemStatus
  readonly label: Label | null
  readonly cached: boolean
}

/** Items of one batch that are worked on together: small enough to be spread over workers, large enough to cost little each. */
export const CHUNK_ITEMS = 16

/** The open items of one judge among sixteen consecutive items of a batch; `chunk`: the index of the first, divided by sixteen. */
export type Chunk = Readonly<{ batch: string; chunk: number; judge: string }>

/** Condition: the row is an item of the batch. */
export const isOf = (batch: string) => raw`batch = (SELECT seq FROM batches WHERE id = ${batch})`

/** Locks the row of a batch until the end of the unit of work, so that units of work on one batch follow each other. */
export const lockBatch = (sql: Sql, batch: string, how?: 'FOR SHARE' | 'FOR UPDATE SKIP LOCKED') =>
  sql.first<Pick<BatchRow, 'seq' | 'status'>>`SELECT seq, status FROM batches WHERE id = ${batch} ${locked(sql, how)}`

/** Condition: the item has not ended. */
const ITEM_IS_OPEN = raw`status IN ('pending', 'waiting')`
const NEW = raw`idx AS "index", item_id, trajectory, request, base_grade`

/** Ends an item, within a unit of work; false, without a change, where the item has ended before. */
export async function settleItem(sql: Sql, { batch, index }: ItemRef, end: ItemEnd): Promise<boolean> {
  const { status, grade_id, label = null, failure = null, cached = false } = end
  const row = { status, grade_id, label, failure, cached, failure_code: failure?.code ?? null }
  const set = assignments<'batch_items'>(row)
  return (await sql.run`UPDATE batch_items SET ${set} WHERE ${isOf(batch)} AND idx = ${index} AND ${ITEM_IS_OPEN}`) > 0
}

/** Makes the end of an item of its grade. */
export const toItemEnd = ({ id, status, label, failure }: Grade, cached: boolean): ItemEnd => ({
  ...{ status, label, failure, grade_id: id, cached },
})

const renderItem = (batch: number, { index, item_id, trajectory, request, base_grade }: NewItem) => ({
  ...{ batch, idx: index, item_id: item_id.toWellFormed(), trajectory, base_grade },
  ...{ request, judge: request.judge ?? '' },
})

const ITEMS_A_TURN = 1000

export type BatchStore = ReturnType<typeof createBatches>

/** Batches and their items, which all lists give in the order of the index. In a stored batch `counts.running` counts only items that wait for a provider’s batch. */
export function createBatches(db: Db) {
  /** Changes a batch in one of the states; false where the batch is in another. */
  const change = (id: string, states: readonly BatchRow['status'][], row: Partial<BatchRow>): Promise<boolean> =>
    db.write((sql) => changeIn(sql, id, states, row))
  const forget = (condition: RawBuilder<unknown>): Promise<number> =>
    db.write(async (sql) => {
      const drafts = raw`status = 'draft' AND ${condition}`
      await sql.run`DELETE FROM batch_items WHERE batch IN (SELECT seq FROM batches WHERE ${drafts})`
      return sql.run`DELETE FROM batches WHERE ${drafts}`
    })
  const listPending = (batch: string, condition: RawBuilder<unknown>, limit: number, more = raw``) =>
    db.read.all<OpenItem>`SELECT ${NEW}${more} FROM batch_items
      WHERE ${isOf(batch)} AND status = 'pending' AND ${condition} ORDER BY idx LIMIT ${limit}`
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
        const rows = items.map((item) => renderItem(seq, item))
        await insert(sql, 'batch_items', rows)
        await sql.run`UPDATE batches SET total = total + ${items.length} WHERE seq = ${seq}`
      }),
    /** Ends a draft: the batch runs from now on. Rejects, as `add`, for a batch that is no draft. */
    open: (id: string): Promise<Batch> =>
      db.write(async (sql) => {
        await sql.run`UPDATE batches SET status = 'running' WHERE seq = ${await findDraft(sql, id)}`
        const [batch] = await readBatches(sql, { id, limit: 1 })
        if (batch === undefined) throw refusal(`the batch ${id} was opened and is not there`)
        return batch
      }),
    discard: (id: string) => forget(raw`id = ${id}`),
    discardAbandoned: (before: string): Promise<number> => forget(raw`created_at < ${before}`),
    get: async (id: string): Promise<Batch | null> => (await readBatches(db.read, { id, limit: 1 }))[0] ?? null,
    list: (query: BatchQuery): Promise<readonly Batch[]> => readBatches(db.read, query),
    /** Lists batches that have not ended, oldest first, but those parked beyond a time or until they are resumed. `is_open`: an item has not ended. */
    listDue: (now: string) =>
      db.read.all<Pick<BatchRow, 'id' | 'status'> & { readonly is_open: boolean }>`
        SELECT id, status, EXISTS (SELECT 1 FROM batch_items WHERE batch = batches.seq AND batch_items.${ITEM_IS_OPEN}) AS is_open FROM batches
        WHERE status IN ('running', 'cancelling', 'parked') AND (status <> 'parked' OR resumes_at <= ${now}) ORDER BY id`,
    /** Reads the facts of a batch that a runner needs: without the counts, which cost a walk over the items. */
    async plan(id: string): Promise<RunPlan | null> {
      const row = await db.read.first<BatchRow>`SELECT * FROM batches WHERE id = ${id}`
      if (row === undefined) return null
      const { kind, mode, status, max_cost_usd, payer: key_id, payer_cap_usd } = row
      const payer = key_id === null ? null : { key_id, max_cost_usd_per_day: payer_cap_usd }
      return { id, kind, mode, status, max_cost_usd, payer }
    },
    park: (id: string, reason: string, resumesAt: string | null): Promise<boolean> =>
      change(id, ['running'], { status: 'parked', parked_reason: reason, resumes_at: resumesAt }),
    resume: (id: string): Promise<boolean> =>
      change(id, ['parked'], { status: 'running', parked_reason: null, resumes_at: null }),
    requestCancel: (id: string): Promise<boolean> =>
      change(id, ['running', 'parked', 'cancelling'], { status: 'cancelling', parked_reason: null, resumes_at: null }),
    /** Cancels the open items of a batch that is being cancelled, but items with a call in flight. Returns whether the batch is cancelled: no item is open. */
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
    pending: (batch: string, after: number, limit: number): Promise<readonly OpenItem[]> =>
      listPending(batch, raw`idx > ${after}`, limit),
    /** Lists the pending items of a chunk, with their trajectories. */
    ofChunk({ batch, chunk, judge }: Chunk): Promise<readonly OpenItem[]> {
      const begin = chunk * CHUNK_ITEMS
      const condition = raw`idx >= ${begin} AND idx < ${begin + CHUNK_ITEMS} AND judge = ${judge}`
      return listPending(batch, condition, CHUNK_ITEMS, PACKED)
    },
    async chunks(batch: string): Promise<readonly Chunk[]> {
      const rows = await db.read.all<Pick<Chunk, 'judge' | 'chunk'>>`
        SELECT DISTINCT judge, idx / ${raw.lit(CHUNK_ITEMS)} AS chunk FROM batch_items
        WHERE ${isOf(batch)} AND status = 'pending' ORDER BY chunk`
      return rows.map((row) => ({ batch, ...row }))
    },
    async countPending(batch: string, judge: string): Promise<number> {
      const row = await db.read.first<{ n: number }>`
        SELECT count(*) AS n FROM batch_items WHERE ${isOf(batch)} AND status = 'pending' AND judge = ${judge}`
      return row?.n ?? 0
    },
    settle: (item: ItemRef, end: ItemEnd): Promise<boolean> => db.write((sql) => settleItem(sql, item, end)),
    /** Lists the names of the rubrics that items ask by. The requests are read here: PostgreSQL takes no member out of JSON with a NUL. */
    async rubrics(batch: string): Promise<readonly string[]> {
      const names = new Set<string>()
      for (let from = 0; ; from += ITEMS_A_TURN) {
        const rows = await db.read.all<Pick<ItemRow, 'request'>>`
          SELECT request FROM batch_items WHERE ${isOf(batch)} AND idx >= ${from} AND idx < ${from + ITEMS_A_TURN}`
        if (rows.length === 0) return [...names].sort()
        for (const { request } of rows) if (request.rubric !== undefined) names.add(request.rubric)
        await new Promise(setImmediate)
      }
    },
    results: (batch: string, after: number, limit: number): Promise<readonly ItemRecord[]> =>
      db.read.all<ItemRecord>`
        SELECT ${NEW}, status, label, grade_id, failure, cached FROM batch_items
        WHERE ${isOf(batch)} AND NOT ${ITEM_IS_OPEN} AND idx > ${after} ORDER BY idx LIMIT ${limit}`,
  }
}

const changeIn = async (sql: Sql, id: string, states: readonly BatchRow['status'][], row: Partial<BatchRow>) =>
  (await sql.run`UPDATE batches SET ${assignments<'batches'>(row)} WHERE id = ${id} AND ${isIn(sql, 'status', states)}`) >
  0

/** Ends a batch with the counts of its items unless an item is open, by one reading: an item that waited and becomes pending again is open all the time. */
async function finish(sql: Sql, id: string, state: BatchRow['status'], row: Partial<BatchRow>): Promise<boolean> {
  const open = await sql.first`SELECT 1 FROM batch_items WHERE ${isOf(id)} AND ${ITEM_IS_OPEN} LIMIT 1`
  return open === undefined && changeIn(sql, id, [state], { ...row, tallies: await countItems(sql, isOf(id)) })
}

async function findDraft(sql: Sql, id: string): Promise<number> {
  const row = await lockBatch(sql, id)
  if (row?.status !== 'draft') throw refusal(`the batch ${id} is no draft`)
  return row.seq
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

const countItems = (sql: Sql, which: RawBuilder<unknown>) =>
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
