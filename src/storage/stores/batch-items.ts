import type { BatchStore, ItemEnd, ItemRecord, ItemRef, NewItem, OpenItem } from '../../ports/batch-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { Db, Sql, Work } from '../db.ts'
import { columnOf } from '../statements.ts'
import { parseStored } from '../stored-text.ts'

interface OpenItemRow extends Omit<OpenItem, 'request' | 'batch'> {
  readonly request: string
}

interface ItemRow extends Omit<ItemRecord, 'request' | 'failure' | 'cached'> {
  readonly request: string
  readonly failure: string | null
  readonly cached: number
}

export const IS_BATCH = 'batch = (SELECT seq FROM batches WHERE id = $1)'

export const TAKEN_NAMES = 'SELECT item_id FROM batch_items WHERE batch = $1 AND item_id = ANY($2)'

const OPEN_COLUMNS = 'idx AS "index", item_id, trajectory, request, base_grade'

export const PENDING = `
  SELECT ${OPEN_COLUMNS} FROM batch_items
  WHERE ${IS_BATCH} AND status = 'pending' AND idx > $2 ORDER BY idx LIMIT $3`

export const SIBLINGS = `
  SELECT ${OPEN_COLUMNS} FROM batch_items
  WHERE ${IS_BATCH} AND status = 'pending' AND trajectory = $2 AND /*+*/ idx <> $3 ORDER BY idx LIMIT $4`

export const RESULTS = `
  SELECT idx AS "index", item_id, trajectory, status, label, grade_id, failure, cached, base_grade, request FROM batch_items
  WHERE ${IS_BATCH} AND status NOT IN ('pending', 'waiting') AND idx > $2 ORDER BY idx LIMIT $3`

/** Read here: PostgreSQL unescapes all of a JSON text, and refuses U+0000 anywhere in it. */
const REQUESTS = `SELECT request FROM batch_items WHERE ${IS_BATCH} AND idx >= $2 AND idx < $3`

/** An item ends once: the second end changes nothing. */
export const SETTLE = `
  UPDATE batch_items SET status = $3, label = $4, grade_id = $5, failure_code = $6, failure = $7, cached = $8
  WHERE ${IS_BATCH} AND idx = $2 AND /*+*/ status IN ('pending', 'waiting')`

/** Ends an item, within a unit of work that has seen to its lease. */
export const settleItem = (sql: Sql, item: ItemRef, end: ItemEnd): Work<number> =>
  sql.run(SETTLE, settleValues(item, end))

/** The lease under which an item is settled, if there is one. */
export const leasesOf = (item: ItemRef | undefined): string[] => (item?.lease === undefined ? [] : [item.lease])

const settleValues = ({ batch, index }: ItemRef, end: ItemEnd): unknown[] => {
  const failure = end.status === 'failed' ? end.failure : null
  const label = end.status === 'graded' ? end.label : null
  const cached = end.status !== 'failed' && end.cached ? 1 : 0
  return [
    batch,
    index,
    end.status,
    label,
    end.grade_id,
    failure?.code ?? null,
    failure && JSON.stringify(failure),
    cached,
  ]
}

/** Adds items to the batch with the number; answers the index of the first whose `item_id` is taken, and then adds none. */
export function* addItems(sql: Sql, batch: number, items: readonly NewItem[]): Work<number | null> {
  const names = items.map(({ item_id }) => item_id.toWellFormed())
  const seen = new Set(columnOf(yield* sql.rows<{ item_id: string }>(TAKEN_NAMES, [batch, names]), 'item_id'))
  for (const [at, { index }] of items.entries()) {
    const name = names[at] ?? ''
    if (seen.has(name)) return index
    seen.add(name)
  }
  const rows = items.map(({ index, item_id, trajectory, request, base_grade }) => ({
    ...{ batch, idx: index, item_id, trajectory, request: JSON.stringify(request), base_grade },
  }))
  yield* sql.insertMany('batch_items', rows)
  return null
}

/** The readers of one batch’s items, all in the order of their index, and how one ends. */
export const createItems = (db: Db) =>
  ({
    pending: async (batch, after, limit) =>
      (await db.rows<OpenItemRow>(PENDING, [batch, after, limit])).map((row) => parseOpenItem(batch, row)),
    siblings: async ({ batch, trajectory, index }, limit) =>
      (await db.rows<OpenItemRow>(SIBLINGS, [batch, trajectory, index, limit])).map((row) => parseOpenItem(batch, row)),
    async rubrics(batch, from, to) {
      const rows = await db.rows<{ request: string }>(REQUESTS, [batch, from, to])
      return [...new Set(rows.map(({ request }) => (JSON.parse(request) as { rubric?: string }).rubric ?? null))]
    },
    results: async (batch, after, limit) => (await db.rows<ItemRow>(RESULTS, [batch, after, limit])).map(parseItem),
    settle: (item, end) => db.runFenced(SETTLE, settleValues(item, end), leasesOf(item)),
  }) satisfies Partial<BatchStore>

const parseOpenItem = (batch: string, row: OpenItemRow): OpenItem => ({
  ...row,
  batch,
  request: parseStored<OpenItem['request']>(row.request),
})

const parseItem = (row: ItemRow): ItemRecord => ({
  ...row,
  failure: row.failure === null ? null : parseStored<Failure>(row.failure),
  cached: row.cached === 1,
  request: parseStored<ItemRecord['request']>(row.request),
})
