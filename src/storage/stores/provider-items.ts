import type { ItemRef } from '../../ports/batch-ports.ts'
import type { Sql, Work } from '../db.ts'
import { columnOf } from '../statements.ts'
import { IS_BATCH } from './batch-items.ts'

export const IS_OPEN = `
  SELECT 1 FROM batch_items WHERE ${IS_BATCH} AND idx = $2 AND /*+*/ status IN ('pending', 'waiting') FOR UPDATE`

export const WAIT = `
  UPDATE batch_items SET status = 'waiting' WHERE ${IS_BATCH} AND idx = $2 AND /*+*/ status = 'pending'`

const LOCK_WAITING = `SELECT 1 FROM batch_items WHERE ${IS_BATCH} AND status = 'waiting'`

export const WAKE_ALL = `
  UPDATE batch_items SET status = 'pending'
  WHERE ${IS_BATCH} AND status = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM provider_requests AS open
    WHERE open.batch = $1 AND open.item = batch_items.idx AND open.status IN ('queued', 'sent')
  )`

export const WAKE = `${WAKE_ALL} AND idx = ANY($2)`

/** Whether the item has not ended; if so, it does not end, nor go on, before this unit of work does. */
export function* isOpenItem(sql: Sql, { batch, index }: ItemRef): Work<boolean> {
  return (yield* sql.rows(IS_OPEN, [batch, index])).length > 0
}

export const waitItem = (sql: Sql, { batch, index }: ItemRef): Work<number> => sql.run(WAIT, [batch, index])

/**
 * The items go on, unless another question of theirs is still open. Locked first: of two that end the last two questions of an item at the
 * same time, the second then sees what the first has done; without that, neither would wake it.
 */
export function* wakeItems(sql: Sql, items: readonly ItemRef[]): Work<void> {
  for (const [batch, ofBatch] of [...Map.groupBy(items, (item) => item.batch)].sort()) {
    const indexes = columnOf(ofBatch, 'index')
    yield* sql.lock(`${LOCK_WAITING} AND idx = ANY($2) ORDER BY idx`, [batch, indexes])
    yield* sql.run(WAKE, [batch, indexes])
  }
}

/** All items of the batch that wait for nothing any more go on. */
export function* wakeAllItems(sql: Sql, batch: string): Work<void> {
  yield* sql.lock(`${LOCK_WAITING} ORDER BY idx`, [batch])
  yield* sql.run(WAKE_ALL, [batch])
}
