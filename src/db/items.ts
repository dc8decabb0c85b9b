import { sql as raw, type SqlBool } from 'kysely'
import type { Digest } from '../domain/digest.ts'
import type { Failure } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'
import type { ItemStatus, Label } from '../schemas/vocabulary.ts'
import { type Db, isIn, lit, type Sql } from './db.ts'
import { parseStored } from './text.ts'

/** A grade request whose trajectory is stored. */
type StoredRequest = Omit<GradeRequest, 'trajectory'>

export interface NewItem {
  readonly index: number
  readonly item_id: string
  readonly trajectory: Digest
  readonly request: StoredRequest
  /** The stored grade that is graded again, in a re-grade. */
  readonly base_grade: string | null
}

/** An item that has not ended. */
export interface OpenItem extends NewItem {
  readonly batch: string
}

/** The item that a grade settles. */
export interface ItemRef {
  readonly batch: string
  readonly index: number
}

/** The end of an item. */
export type ItemEnd =
  | { readonly status: 'graded'; readonly label: Label; readonly grade_id: string; readonly cached: boolean }
  | { readonly status: 'unverified'; readonly grade_id: string; readonly cached: boolean }
  | { readonly status: 'failed'; readonly failure: Failure; readonly grade_id: string | null }

/** An ended item, as the results show it. */
export interface ItemRecord {
  readonly index: number
  readonly item_id: string
  readonly trajectory: Digest
  readonly status: ItemStatus
  readonly label: Label | null
  readonly grade_id: string | null
  readonly failure: Failure | null
  readonly cached: boolean
  readonly base_grade: string | null
  readonly request: StoredRequest
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

const OPEN_COLUMNS = ['idx as index', 'item_id', 'trajectory', 'request', 'base_grade'] as const
const ENDED_COLUMNS = [...OPEN_COLUMNS, 'status', 'label', 'grade_id', 'failure', 'cached'] as const

/** Ends an item, within a unit of work; false, without a change, where the item has ended before. */
export async function settleItem(sql: Sql, { batch, index }: ItemRef, end: ItemEnd): Promise<boolean> {
  const failure = end.status === 'failed' ? end.failure : null
  const { numUpdatedRows } = await sql
    .updateTable('batch_items')
    .set({
      status: end.status,
      label: end.status === 'graded' ? end.label : null,
      grade_id: end.grade_id,
      failure_code: failure?.code ?? null,
      failure: failure && JSON.stringify(failure),
      cached: end.status !== 'failed' && end.cached ? 1 : 0,
    })
    .where(isOf(batch))
    .where('idx', '=', index)
    .where('status', 'in', [lit('pending'), lit('waiting')])
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Items of one INSERT: a statement has room for some ten thousand values. */
const ADDED_AT_ONCE = 500

/** Adds items to a batch; returns the index of the first whose `item_id` the batch has already, and then adds none. */
export async function addItems(db: Db, sql: Sql, batch: number, items: readonly NewItem[]): Promise<number | null> {
  const names = items.map(({ item_id }) => item_id.toWellFormed())
  const known = await sql
    .selectFrom('batch_items')
    .select('item_id')
    .where('batch', '=', batch)
    .where(isIn(db, 'item_id', names))
    .execute()
  const seen = new Set(known.map(({ item_id }) => item_id))
  for (const [at, { index }] of items.entries()) {
    const name = names[at] ?? ''
    if (seen.has(name)) return index
    seen.add(name)
  }
  const rows = items.map(({ index, item_id, trajectory, request, base_grade }) => ({
    ...{ batch, idx: index, item_id, trajectory, request: JSON.stringify(request), base_grade },
    judge: request.judge ?? '',
  }))
  for (let from = 0; from < rows.length; from += ADDED_AT_ONCE)
    await sql
      .insertInto('batch_items')
      .values(rows.slice(from, from + ADDED_AT_ONCE))
      .execute()
  return null
}

/** The items of batches, all lists in the order of the index. */
export const createItems = (db: Db) => ({
  /** Lists pending items after an index. */
  async pending(batch: string, after: number, limit: number): Promise<readonly OpenItem[]> {
    const rows = await db.read
      .selectFrom('batch_items')
      .select(OPEN_COLUMNS)
      .where(isOf(batch))
      .where('status', '=', lit('pending'))
      .where('idx', '>', after)
      .orderBy('idx')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ ...row, batch, request: parseStored<StoredRequest>(row.request) }))
  },
  /** Lists the pending items of a chunk. */
  async ofChunk({ batch, chunk, judge }: Chunk): Promise<readonly OpenItem[]> {
    const rows = await db.read
      .selectFrom('batch_items')
      .select(OPEN_COLUMNS)
      .where(isOf(batch))
      .where('status', '=', lit('pending'))
      .where('idx', '>=', chunk * CHUNK_ITEMS)
      .where('idx', '<', (chunk + 1) * CHUNK_ITEMS)
      .where('judge', '=', judge)
      .orderBy('idx')
      .execute()
    return rows.map((row) => ({ ...row, batch, request: parseStored<StoredRequest>(row.request) }))
  },
  /** Lists the chunks of a batch with pending items, in order. */
  async chunks(batch: string): Promise<readonly Chunk[]> {
    await nameJudges(db, batch)
    const rows = await db.read
      .selectFrom('batch_items')
      .select(['judge', raw<number>`idx / ${raw.lit(CHUNK_ITEMS)}`.as('chunk')])
      .distinct()
      .where(isOf(batch))
      .where('status', '=', lit('pending'))
      .orderBy('chunk')
      .execute()
    return rows.map(({ judge, chunk }) => ({ batch, judge: judge ?? '', chunk }))
  },
  /** Counts the pending items of a judge. */
  async countPending(batch: string, judge: string): Promise<number> {
    const row = await db.read
      .selectFrom('batch_items')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where(isOf(batch))
      .where('status', '=', lit('pending'))
      .where('judge', '=', judge)
      .executeTakeFirstOrThrow()
    return Number(row.n)
  },
  /** Ends an item. */
  settle: (item: ItemRef, end: ItemEnd): Promise<boolean> => db.write((sql) => settleItem(sql, item, end)),
  /** Lists the rubrics that items from one index to another (exclusive) ask by; null: an item names none. */
  async rubrics(batch: string, from: number, to: number): Promise<readonly (string | null)[]> {
    const rows = await db.read
      .selectFrom('batch_items')
      .select('request')
      .where(isOf(batch))
      .where('idx', '>=', from)
      .where('idx', '<', to)
      .execute()
    return [...new Set(rows.map(({ request }) => parseStored<StoredRequest>(request).rubric ?? null))]
  },
  /** Lists ended items after an index. */
  async results(batch: string, after: number, limit: number): Promise<readonly ItemRecord[]> {
    const rows = await db.read
      .selectFrom('batch_items')
      .select(ENDED_COLUMNS)
      .where(isOf(batch))
      .where('status', 'not in', [lit('pending'), lit('waiting')])
      .where('idx', '>', after)
      .orderBy('idx')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      ...row,
      status: row.status as ItemStatus,
      label: row.label as Label | null,
      failure: row.failure === null ? null : parseStored<Failure>(row.failure),
      cached: row.cached === 1,
      request: parseStored<StoredRequest>(row.request),
    }))
  },
})

/** Items of one turn of `nameJudges`. */
const NAMED_AT_ONCE = 500

/** Writes the judge of each item that an earlier version stored, as its request names it. */
async function nameJudges(db: Db, batch: string): Promise<void> {
  for (;;) {
    const rows = await db.read
      .selectFrom('batch_items')
      .select(['batch', 'idx', 'request'])
      .where(isOf(batch))
      .where('status', '=', lit('pending'))
      .where('judge', 'is', null)
      .limit(NAMED_AT_ONCE)
      .execute()
    if (rows.length === 0) return
    await db.write(async (sql) => {
      for (const { batch: seq, idx, request } of rows)
        await sql
          .updateTable('batch_items')
          .set({ judge: parseStored<StoredRequest>(request).judge ?? '' })
          .where('batch', '=', seq)
          .where('idx', '=', idx)
          .execute()
    })
  }
}
