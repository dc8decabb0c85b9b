import type { ItemRef } from '../../ports/batch-ports.ts'
import type { Sql } from './connection/pool.ts'
import { columnOf } from './connection/statements.ts'

const OF_BATCH = 'batch = (SELECT seq FROM batches WHERE id = $1)'

/** Locked until the unit of work ends: an item cannot end, or go on, while a question of it is queued. */
const LOCK_OPEN = `SELECT 1 FROM batch_items WHERE ${OF_BATCH} AND idx = $2 AND status IN ('pending', 'waiting') FOR UPDATE`

const WAIT = `UPDATE batch_items SET status = 'waiting' WHERE ${OF_BATCH} AND idx = $2 AND status = 'pending'`

const LOCK_WAITING = `SELECT 1 FROM batch_items WHERE ${OF_BATCH} AND status = 'waiting' ORDER BY idx FOR UPDATE`
const LOCK_NAMED = `
  SELECT 1 FROM batch_items WHERE ${OF_BATCH} AND status = 'waiting' AND idx = ANY($2) ORDER BY idx FOR UPDATE`

const WAKE = `
  UPDATE batch_items SET status = 'pending'
  WHERE ${OF_BATCH} AND status = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM provider_requests AS open
    WHERE open.batch = $1 AND open.item = batch_items.idx AND open.status IN ('queued', 'sent')
  )`

/** Whether the item has not ended; if so, it does not end before this unit of work does. */
export const lockOpenItem = async (sql: Sql, { batch, index }: ItemRef): Promise<boolean> =>
  (await sql.rows(LOCK_OPEN, [batch, index])).length > 0

export const waitItem = async (sql: Sql, { batch, index }: ItemRef): Promise<void> =>
  void (await sql.run(WAIT, [batch, index]))

/**
 * The items go on, unless another question of theirs is still open. Locked first: of two that end the last two questions of an item at the
 * same time, the second then sees what the first has done; without that, neither would wake it.
 */
export async function wakeItems(sql: Sql, items: readonly ItemRef[]): Promise<void> {
  for (const batch of [...new Set(columnOf(items, 'batch'))].sort()) {
    const indexes = columnOf(
      items.filter((item) => item.batch === batch),
      'index',
    )
    await sql.rows(LOCK_NAMED, [batch, indexes])
    await sql.run(`${WAKE} AND idx = ANY($2)`, [batch, indexes])
  }
}

/** All items of the batch that wait for nothing any more go on. */
export async function wakeAllItems(sql: Sql, batch: string): Promise<void> {
  await sql.rows(LOCK_WAITING, [batch])
  await sql.run(WAKE, [batch])
}
