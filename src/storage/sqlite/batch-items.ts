import type Database from 'better-sqlite3'
import type { ItemEnd, ItemRecord, ItemRef, NewItem, OpenItem } from '../../ports/batch-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import { parseStored } from '../stored-text.ts'

export interface OpenItemRow extends Omit<OpenItem, 'request' | 'batch'> {
  readonly request: string
}

export interface ItemRow extends Omit<ItemRecord, 'request' | 'failure' | 'cached'> {
  readonly request: string
  readonly failure: string | null
  readonly cached: number
}

const IS_BATCH = 'batch = (SELECT rowid FROM batches WHERE id = @batch)'

export const HAS_ITEM = 'SELECT 1 FROM batch_items WHERE batch = ? AND item_id = ?'

const INSERT_ITEM = `
  INSERT INTO batch_items (batch, idx, item_id, trajectory, request, base_grade)
  VALUES (@batch, @index, @item_id, @trajectory, @request, @base_grade)`

const OPEN_COLUMNS = 'idx AS "index", item_id, trajectory, request, base_grade'

export const PENDING = `
  SELECT ${OPEN_COLUMNS} FROM batch_items
  WHERE ${IS_BATCH} AND status = 'pending' AND idx > @after ORDER BY idx LIMIT @limit`

export const SIBLINGS = `
  SELECT ${OPEN_COLUMNS} FROM batch_items
  WHERE ${IS_BATCH} AND status = 'pending' AND trajectory = @trajectory AND +idx <> @index ORDER BY idx LIMIT @limit`

export const RESULTS = `
  SELECT idx AS "index", item_id, trajectory, status, label, grade_id, failure, cached, base_grade, request FROM batch_items
  WHERE ${IS_BATCH} AND status NOT IN ('pending', 'waiting') AND idx > @after ORDER BY idx LIMIT @limit`

/** As JSON: a text that is only looked into need not be well-formed elsewhere. */
export const RUBRICS = `
  SELECT DISTINCT request -> '$.rubric' FROM batch_items WHERE ${IS_BATCH} AND idx >= @from AND idx < @to`

/** An item ends once: the second end changes nothing. */
export const SETTLE = `
  UPDATE batch_items SET status = @status, label = @label, grade_id = @grade_id, failure_code = @failure_code,
    failure = @failure, cached = @cached
  WHERE ${IS_BATCH} AND idx = @index AND +status IN ('pending', 'waiting')`

/** Ends an item. Only to be used inside of a unit of work. */
export type SettleItem = (item: ItemRef, end: ItemEnd) => void

export function prepareSettle(db: Database.Database): SettleItem {
  const update = db.prepare(SETTLE)
  return (item, end) => void update.run({ ...item, ...renderEnd(end) })
}

/** The end of an item as its columns. */
export const renderEnd = (end: ItemEnd) => ({
  status: end.status,
  label: end.status === 'graded' ? end.label : null,
  grade_id: end.grade_id,
  failure_code: end.status === 'failed' ? end.failure.code : null,
  failure: end.status === 'failed' ? JSON.stringify(end.failure) : null,
  cached: end.status !== 'failed' && end.cached ? 1 : 0,
})

/** Adds items to the batch with the row; answers the index of the first whose `item_id` is taken, and then adds none. */
export function prepareAdd(db: Database.Database): (batch: number, items: readonly NewItem[]) => number | null {
  const has = db.prepare(HAS_ITEM)
  const insert = db.prepare(INSERT_ITEM)
  return (batch, items) => {
    const seen = new Set<string>()
    for (const { index, item_id } of items) {
      if (seen.has(item_id) || has.get(batch, item_id) !== undefined) return index
      seen.add(item_id)
    }
    for (const item of items) insert.run({ ...item, batch, request: JSON.stringify(item.request) })
    return null
  }
}

/** The readers of one batch’s items; all in the order of their index. */
export function prepareItemLists(db: Database.Database) {
  const pending = db.prepare(PENDING)
  const siblings = db.prepare(SIBLINGS)
  const results = db.prepare(RESULTS)
  const rubrics = db.prepare(RUBRICS).pluck()
  return {
    rubrics: (batch: string, from: number, to: number): readonly (string | null)[] =>
      (rubrics.all({ batch, from, to }) as (string | null)[]).map(parseRubricName),
    pending: (batch: string, after: number, limit: number): readonly OpenItem[] =>
      (pending.all({ batch, after, limit }) as OpenItemRow[]).map((row) => parseOpenItem(batch, row)),
    siblings: ({ batch, trajectory, index }: OpenItem, limit: number): readonly OpenItem[] =>
      (siblings.all({ batch, trajectory, index, limit }) as OpenItemRow[]).map((row) => parseOpenItem(batch, row)),
    results: (batch: string, after: number, limit: number): readonly ItemRecord[] =>
      (results.all({ batch, after, limit }) as ItemRow[]).map(parseItem),
  }
}

export const parseRubricName = (json: string | null): string | null =>
  json === null ? null : (JSON.parse(json) as string | null)

export const parseOpenItem = (batch: string, row: OpenItemRow): OpenItem => ({
  ...row,
  batch,
  request: parseStored<OpenItem['request']>(row.request),
})

export const parseItem = (row: ItemRow): ItemRecord => ({
  ...row,
  failure: row.failure === null ? null : parseStored<Failure>(row.failure),
  cached: row.cached === 1,
  request: parseStored<ItemRecord['request']>(row.request),
})
