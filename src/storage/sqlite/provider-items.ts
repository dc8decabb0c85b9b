import type Database from 'better-sqlite3'
import type { ItemRef } from '../../ports/batch-ports.ts'

/** Items that wait for their questions. Only to be used inside of a unit of work. */
export interface ItemGate {
  /** Whether the item has not ended. */
  isOpen(item: ItemRef): boolean
  wait(item: ItemRef): void
  /** The item goes on, unless another question of it is still open. */
  wake(item: ItemRef): void
  /** All items of the batch that wait for nothing any more go on. */
  wakeAll(batch: string): void
}

const IS_ITEM = 'batch = (SELECT rowid FROM batches WHERE id = @batch) AND idx = @index'

export const IS_OPEN = `SELECT 1 FROM batch_items WHERE ${IS_ITEM} AND +status IN ('pending', 'waiting')`

export const WAIT = `UPDATE batch_items SET status = 'waiting' WHERE ${IS_ITEM} AND +status = 'pending'`

export const WAKE = `
  UPDATE batch_items SET status = 'pending'
  WHERE ${IS_ITEM} AND status = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM provider_requests WHERE batch = @batch AND item = @index AND status IN ('queued', 'sent')
  )`

export const WAKE_ALL = `
  UPDATE batch_items SET status = 'pending'
  WHERE batch = (SELECT rowid FROM batches WHERE id = @batch) AND status = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM provider_requests AS open
    WHERE open.batch = @batch AND open.item = batch_items.idx AND open.status IN ('queued', 'sent')
  )`

export function createItemGate(db: Database.Database): ItemGate {
  const isOpen = db.prepare(IS_OPEN).pluck()
  const wait = db.prepare(WAIT)
  const wake = db.prepare(WAKE)
  const wakeAll = db.prepare(WAKE_ALL)
  return {
    isOpen: (item) => isOpen.get({ ...item }) !== undefined,
    wait: (item) => void wait.run({ ...item }),
    wake: (item) => void wake.run({ ...item }),
    wakeAll: (batch) => void wakeAll.run({ batch }),
  }
}
