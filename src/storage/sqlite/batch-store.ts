import type Database from 'better-sqlite3'
import type { BatchStore, NewBatch } from '../../ports/batch-ports.ts'
import { type BatchRow, GET_BATCH, prepareBatchRecord, renderBatchListSql } from '../batch-rows.ts'
import type { Processes } from '../process-registry.ts'
import { StorageError } from '../storage-error.ts'
import { prepareAdd, prepareItemLists, type SettleItem } from './batch-items.ts'
import type { Spending } from './spending.ts'
import type { Unit } from './unit.ts'

interface BatchStoreDeps {
  readonly db: Database.Database
  readonly unit: Unit
  readonly spending: Spending
  readonly processes: Processes
  readonly settle: SettleItem
}

const DRAFT = `
  INSERT INTO batches (id, kind, mode, name, key, status, max_cost_usd, payer, payer_cap_usd, process, created_at)
  VALUES (@id, @kind, @mode, @name, @key, 'draft', @max_cost_usd, @payer, @payer_cap_usd, @process, @created_at)`

const PARK = `
  UPDATE batches SET status = 'parked', parked_reason = ?, resumes_at = ? WHERE id = ? AND status = 'running'`

const RESUME = `
  UPDATE batches SET status = 'running', parked_reason = NULL, resumes_at = NULL WHERE id = ? AND status = 'parked'`

const REQUEST_CANCEL = `
  UPDATE batches SET status = 'cancelling', parked_reason = NULL, resumes_at = NULL
  WHERE id = ? AND status IN ('running', 'parked', 'cancelling')`

const CANCEL_ITEMS = `
  UPDATE batch_items SET status = 'cancelled'
  WHERE batch = (SELECT rowid FROM batches WHERE id = ? AND status = 'cancelling')
    AND +status IN ('pending', 'waiting')`

const CANCEL = `
  UPDATE batches SET status = 'cancelled', process = NULL, finished_at = @at WHERE id = @id AND status = 'cancelling'`

/** Every item has left `pending`, and none waits. Tallies of waiting items count as open; the sum takes no walk over the items. */
export const FINISH = `
  UPDATE batches SET status = 'done', process = NULL, finished_at = @at
  WHERE id = @id AND status = 'running' AND total = (
    SELECT coalesce(sum(n), 0) FROM batch_tallies WHERE batch = batches.rowid AND status <> 'waiting'
  )`

/** What should run; a parked batch that wakes by itself needs somebody who wakes it. */
export const TO_RUN = `
  SELECT id, process FROM batches
  WHERE status IN ('running', 'cancelling') OR (status = 'parked' AND resumes_at IS NOT NULL)`

/** Batches and their items over SQLite. `add` and `open` reject for what is no draft. */
export function createBatchStore(deps: BatchStoreDeps): BatchStore {
  const { db, unit, settle } = deps
  const change = (sql: string) => {
    const statement = db.prepare(sql)
    return (...values: unknown[]): Promise<boolean> => unit.write(() => statement.run(...values).changes > 0)
  }
  const [park, resume, requestCancel, finish] = [change(PARK), change(RESUME), change(REQUEST_CANCEL), change(FINISH)]
  const cancelItems = db.prepare(CANCEL_ITEMS)
  const cancel = db.prepare(CANCEL)
  const lists = prepareItemLists(db)
  return {
    ...draftStore(deps),
    ...batchReader(deps),
    ...batchClaims(deps),
    pending: (id, after, limit) => unit.read(() => lists.pending(id, after, limit)),
    siblings: (item, limit) => unit.read(() => lists.siblings(item, limit)),
    rubrics: (id, from, to) => unit.read(() => lists.rubrics(id, from, to)),
    results: (id, after, limit) => unit.read(() => lists.results(id, after, limit)),
    settle: (item, end) => unit.write(() => settle(item, end)),
    park: async (id, reason, resumesAt) => void (await park(reason, resumesAt, id)),
    resume: (id) => resume(id),
    requestCancel: (id) => requestCancel(id),
    finishCancel: (id, at) =>
      unit.write(() => {
        cancelItems.run(id)
        cancel.run({ id, at })
      }),
    finish: (id, at) => finish({ id, at }),
  }
}

/** A batch while its items arrive. */
function draftStore({ db, unit, processes }: BatchStoreDeps) {
  const insert = db.prepare(DRAFT)
  const rowOf = db.prepare("SELECT rowid FROM batches WHERE id = ? AND status = 'draft'").pluck()
  const add = prepareAdd(db)
  const grow = db.prepare('UPDATE batches SET total = total + ? WHERE rowid = ?')
  const open = db.prepare("UPDATE batches SET status = 'running', process = ? WHERE rowid = ?")
  const dropItems = db.prepare('DELETE FROM batch_items WHERE batch = ?')
  const dropTallies = db.prepare('DELETE FROM batch_tallies WHERE batch = ?')
  const drop = db.prepare('DELETE FROM batches WHERE rowid = ?')
  const drafts = db.prepare("SELECT rowid, process FROM batches WHERE status = 'draft'")
  const find = (id: string): number | undefined => rowOf.get(id) as number | undefined
  const findDraft = (id: string): number => {
    const row = find(id)
    if (row === undefined) throw new StorageError('storage_error', `the batch ${id} is no draft`)
    return row
  }
  const forget = (row: number): void => {
    dropItems.run(row)
    // SQLite gives the number of the last row to the next one: nothing of this batch may be left for that.
    dropTallies.run(row)
    drop.run(row)
  }
  return {
    draft: ({ payer, ...batch }: NewBatch) =>
      unit.write(
        () =>
          void insert.run({
            ...batch,
            payer: payer?.key_id ?? null,
            payer_cap_usd: payer?.max_cost_usd_per_day ?? null,
            process: processes.id,
          }),
      ),
    add: (id: string, items: Parameters<typeof add>[1]) =>
      unit.write(() => {
        const row = findDraft(id)
        const taken = add(row, items)
        if (taken === null) grow.run(items.length, row)
        return taken
      }),
    open: (id: string, claimed = false) =>
      unit.write(() => void open.run(claimed ? processes.id : null, findDraft(id))),
    discard: (id: string) =>
      unit.write(() => {
        const row = find(id)
        if (row !== undefined) forget(row)
      }),
    discardAbandoned: () =>
      unit.write(() => {
        const living = processes.living()
        const rows = drafts.all() as { readonly rowid: number; readonly process: string }[]
        const abandoned = rows.filter((row) => !living.has(row.process))
        for (const { rowid } of abandoned) forget(rowid)
        return abandoned.length
      }),
  } satisfies Partial<BatchStore>
}

function batchReader({ db, unit, spending }: BatchStoreDeps) {
  const select = db.prepare(GET_BATCH)
  const toRecord = prepareBatchRecord(db, spending)
  const statements = new Map<string, Database.Statement>()
  const prepare = (sql: string): Database.Statement => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  // Several SELECTs: in a transaction they see one state, so that counts always add up.
  const get = db.transaction((id: string) => {
    const row = select.get(id) as BatchRow | undefined
    return row === undefined ? null : toRecord(row)
  })
  const list = db.transaction((query: Parameters<BatchStore['list']>[0]) =>
    (prepare(renderBatchListSql(query)).all({ ...query }) as BatchRow[]).map(toRecord),
  )
  const payer = db.prepare('SELECT payer, payer_cap_usd FROM batches WHERE id = ?')
  return {
    get: (id: string) => unit.read(() => get(id)),
    payer: (id: string) =>
      unit.read(() => {
        const row = payer.get(id) as { payer: string | null; payer_cap_usd: number | null } | undefined
        return row === undefined || row.payer === null
          ? null
          : { key_id: row.payer, max_cost_usd_per_day: row.payer_cap_usd }
      }),
    list: (query: Parameters<BatchStore['list']>[0]) => unit.read(() => list(query)),
  } satisfies Partial<BatchStore>
}

/** Who runs a batch. A process that claims what it has already keeps it. */
function batchClaims({ db, unit, processes }: BatchStoreDeps) {
  const toRun = db.prepare(TO_RUN)
  const owner = db.prepare("SELECT process FROM batches WHERE id = ? AND status IN ('running', 'parked', 'cancelling')")
  const take = db.prepare('UPDATE batches SET process = ? WHERE id = ?')
  const release = db.prepare("UPDATE batches SET process = NULL WHERE id = ? AND process = ? AND status <> 'draft'")
  return {
    listUnclaimed: () =>
      unit.read(() => {
        // Batches before processes: a process that claims in between is known.
        const rows = toRun.all() as { readonly id: string; readonly process: string | null }[]
        const living = processes.living()
        const free = rows.filter((row) => row.process === null || !living.has(row.process))
        return free.map((row) => row.id).sort()
      }),
    claim: (id: string) =>
      unit.write(() => {
        const row = owner.get(id) as { readonly process: string | null } | undefined
        if (row === undefined) return false
        if (row.process !== null && row.process !== processes.id && processes.living().has(row.process)) return false
        take.run(processes.id, id)
        return true
      }),
    release: (id: string) => unit.write(() => void release.run(id, processes.id)),
  } satisfies Partial<BatchStore>
}
