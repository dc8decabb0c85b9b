import { sql as raw, type SqlBool } from 'kysely'
import type { Grade } from '../schemas/grade.ts'
import type { ItemStatus, Label } from '../schemas/vocabulary.ts'
import { assignments, type Db, locked, type Sql } from './db.ts'
import type { BatchRow, ItemRow } from './schema.ts'

/** An item of a batch; `base_grade`: the stored grade that is graded again, in a re-grade. */
export interface NewItem extends Readonly<Pick<ItemRow, 'item_id' | 'trajectory' | 'request' | 'base_grade'>> {
  readonly index: number
}

/** An item that has not ended. `packed`: the stored bytes of its trajectory where they are few. */
export type OpenItem = NewItem & { readonly batch: string; readonly packed?: Uint8Array | null }

/** Bytes of a stored trajectory that is read with its item: all items of a chunk wait in memory with theirs. */
const FEW_BYTES = 64 * 1024
const PACKED = raw`, (SELECT CASE WHEN length(document) <= ${raw.lit(FEW_BYTES)} THEN document END
  FROM trajectories WHERE id = trajectory) AS packed`

/** The item that a grade settles. */
export interface ItemRef {
  readonly batch: string
  readonly index: number
}

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

/** The open items of one judge among sixteen consecutive items of a batch. */
export interface Chunk {
  readonly batch: string
  /** The index of its first item, divided by sixteen. */
  readonly chunk: number
  readonly judge: string
}

/** Condition: the row is an item of the batch. */
export const isOf = (batch: string) => raw<SqlBool>`batch = (SELECT seq FROM batches WHERE id = ${batch})`

/** Locks the row of a batch until the end of the unit of work, so that units of work on one batch follow each other. */
export const lockBatch = (sql: Sql, batch: string, how?: 'FOR SHARE' | 'FOR UPDATE SKIP LOCKED') =>
  sql.first<Pick<BatchRow, 'seq' | 'status'>>`SELECT seq, status FROM batches WHERE id = ${batch} ${locked(sql, how)}`

/** Condition: the item has not ended. */
export const ITEM_IS_OPEN = raw`status IN ('pending', 'waiting')`

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

export const renderItem = (batch: number, { index, item_id, trajectory, request, base_grade }: NewItem) => ({
  ...{ batch, idx: index, item_id: item_id.toWellFormed(), trajectory, base_grade },
  ...{ request, judge: request.judge ?? '' },
})

/** Items that are read in one turn. */
const ITEMS_A_TURN = 1000

/** The items of batches, all lists in the order of the index. */
export function createItems(db: Db) {
  const listOpen = async (batch: string, condition: ReturnType<typeof raw>, limit: number, more = raw``) => {
    const rows = await db.read.all<Omit<OpenItem, 'batch'>>`
      SELECT ${NEW}${more} FROM batch_items WHERE ${isOf(batch)} AND status = 'pending' AND ${condition}
      ORDER BY idx LIMIT ${limit}`
    return rows.map((row): OpenItem => ({ ...row, batch }))
  }
  return {
    pending: (batch: string, after: number, limit: number): Promise<readonly OpenItem[]> =>
      listOpen(batch, raw`idx > ${after}`, limit),
    /** Lists the pending items of a chunk, with their trajectories. */
    ofChunk({ batch, chunk, judge }: Chunk): Promise<readonly OpenItem[]> {
      const begin = chunk * CHUNK_ITEMS
      const condition = raw`idx >= ${begin} AND idx < ${begin + CHUNK_ITEMS} AND judge = ${judge}`
      return listOpen(batch, condition, CHUNK_ITEMS, PACKED)
    },
    /** Lists the chunks of a batch with pending items, in order. */
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
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    results: (batch: string, after: number, limit: number): Promise<readonly ItemRecord[]> =>
      db.read.all<ItemRecord>`
        SELECT ${NEW}, status, label, grade_id, failure, cached FROM batch_items
        WHERE ${isOf(batch)} AND NOT ${ITEM_IS_OPEN} AND idx > ${after} ORDER BY idx LIMIT ${limit}`,
  }
}
