import type { ItemEnd, ItemRecord, ItemRef, NewItem, OpenItem } from '../../ports/batch-ports.ts'
import { type ItemRow, type OpenItemRow, parseItem, parseOpenItem, renderEnd } from '../sqlite/batch-items.ts'
import { heldAmong, leaseLost, leasesOfItem } from './cluster/fencing.ts'
import type { Sql } from './connection/pool.ts'
import { columnOf } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

const IS_BATCH = 'batch = (SELECT seq FROM batches WHERE id = $1)'

const OPEN_COLUMNS = 'idx AS "index", item_id, trajectory, request, base_grade'

const PENDING = `
  SELECT ${OPEN_COLUMNS} FROM batch_items
  WHERE ${IS_BATCH} AND status = 'pending' AND idx > $2 ORDER BY idx LIMIT $3`

const SIBLINGS = `
  SELECT ${OPEN_COLUMNS} FROM batch_items
  WHERE ${IS_BATCH} AND status = 'pending' AND trajectory = $2 AND idx <> $3 ORDER BY idx LIMIT $4`

const RESULTS = `
  SELECT idx AS "index", item_id, trajectory, status, label, grade_id, failure, cached, base_grade, request FROM batch_items
  WHERE ${IS_BATCH} AND status NOT IN ('pending', 'waiting') AND idx > $2 ORDER BY idx LIMIT $3`

/** As JSON: as text PostgreSQL refuses a request that holds U+0000 anywhere. */
/** Read here: PostgreSQL unescapes all of a JSON text, and refuses U+0000 anywhere in it. */
const REQUESTS = `SELECT request FROM batch_items WHERE ${IS_BATCH} AND idx >= $2 AND idx < $3`

/** An item ends once: the second end changes nothing. */
const SETTLE = `
  UPDATE batch_items SET status = $3, label = $4, grade_id = $5, failure_code = $6, failure = $7, cached = $8
  WHERE ${IS_BATCH} AND idx = $2 AND status IN ('pending', 'waiting')`

const ADD = `
  INSERT INTO batch_items (batch, idx, item_id, trajectory, request, base_grade)
  SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[])`

const settleValues = ({ batch, index }: ItemRef, end: ItemEnd): unknown[] => {
  const { status, label, grade_id, failure_code, failure, cached } = renderEnd(end)
  return [batch, index, status, label, grade_id, failure_code, failure, cached]
}

/** The same in one statement under the item’s lease; answers whether that is held. */
const SETTLE_FENCED = `
  WITH fence AS MATERIALIZED (SELECT ${heldAmong('$9')} AS held), settled AS (
    ${SETTLE} AND (SELECT held FROM fence) = cardinality($9::text[])
  )
  SELECT held::integer FROM fence`

/** Ends an item, within a unit of work that has seen to its lease. */
export const settleUnfenced = async (sql: Pick<Sql, 'run'>, item: ItemRef, end: ItemEnd): Promise<void> =>
  void (await sql.run(SETTLE, settleValues(item, end)))

/** Ends an item, under its lease where it has one. */
export async function settleItem(unit: Unit, item: ItemRef, end: ItemEnd): Promise<void> {
  const leases = leasesOfItem(item)
  if (leases.length === 0) return settleUnfenced(unit, item, end)
  const [fence] = await unit.rows<{ held: number }>(SETTLE_FENCED, [...settleValues(item, end), leases])
  if (fence?.held !== leases.length) throw leaseLost()
}

/** Adds items to the batch with the number; answers the index of the first whose `item_id` is taken, and then adds none. */
export async function addItems(sql: Sql, batch: number, items: readonly NewItem[]): Promise<number | null> {
  const names = items.map(({ item_id }) => item_id.toWellFormed())
  const stored = await sql.rows<{ item_id: string }>(
    'SELECT item_id FROM batch_items WHERE batch = $1 AND item_id = ANY($2)',
    [batch, names],
  )
  const seen = new Set(stored.map(({ item_id }) => item_id))
  for (const [at, { index }] of items.entries()) {
    const name = names[at] ?? ''
    if (seen.has(name)) return index
    seen.add(name)
  }
  const rows = items.map((item) => ({ ...item, request: JSON.stringify(item.request) }))
  await sql.run(ADD, [
    batch,
    columnOf(rows, 'index'),
    columnOf(rows, 'item_id'),
    columnOf(rows, 'trajectory'),
    columnOf(rows, 'request'),
    columnOf(rows, 'base_grade'),
  ])
  return null
}

/** The readers of one batch’s items; all in the order of their index. */
export const createItemLists = (unit: Unit) => ({
  pending: async (batch: string, after: number, limit: number): Promise<readonly OpenItem[]> =>
    (await unit.rows<OpenItemRow>(PENDING, [batch, after, limit])).map((row) => parseOpenItem(batch, row)),
  siblings: async ({ batch, trajectory, index }: OpenItem, limit: number): Promise<readonly OpenItem[]> =>
    (await unit.rows<OpenItemRow>(SIBLINGS, [batch, trajectory, index, limit])).map((row) => parseOpenItem(batch, row)),
  rubrics: async (batch: string, from: number, to: number): Promise<readonly (string | null)[]> => {
    const rows = await unit.rows<{ request: string }>(REQUESTS, [batch, from, to])
    return [...new Set(rows.map(({ request }) => (JSON.parse(request) as { rubric?: string }).rubric ?? null))]
  },
  results: async (batch: string, after: number, limit: number): Promise<readonly ItemRecord[]> =>
    (await unit.rows<ItemRow>(RESULTS, [batch, after, limit])).map(parseItem),
})
