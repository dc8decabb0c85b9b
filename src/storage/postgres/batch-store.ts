import type { BatchQuery, BatchRecord, BatchStore, NewBatch, NewItem } from '../../ports/batch-ports.ts'
import { type KeptBatch, renderRecord, type Tally } from '../batch-rows.ts'
import { type Amounts, COLUMNS, NOTHING } from '../sqlite/spending.ts'
import { StorageError } from '../storage-error.ts'
import { addItems, createItemLists, settleItem } from './batch-items.ts'
import type { Processes } from './cluster/processes.ts'
import type { Sql } from './connection/pool.ts'
import { createValues, insertOf, type Statement } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

const PARK = `
  UPDATE batches SET status = 'parked', parked_reason = $2, resumes_at = $3 WHERE id = $1 AND status = 'running'`

const RESUME = `
  UPDATE batches SET status = 'running', parked_reason = NULL, resumes_at = NULL WHERE id = $1 AND status = 'parked'`

const REQUEST_CANCEL = `
  UPDATE batches SET status = 'cancelling', parked_reason = NULL, resumes_at = NULL
  WHERE id = $1 AND status IN ('running', 'parked', 'cancelling')`

const CANCEL_ITEMS = `
  UPDATE batch_items SET status = 'cancelled'
  WHERE batch = (SELECT seq FROM batches WHERE id = $1 AND status = 'cancelling') AND status IN ('pending', 'waiting')`

const CANCEL = `
  UPDATE batches SET status = 'cancelled', process = NULL, finished_at = $2 WHERE id = $1 AND status = 'cancelling'`

/** Every item has left `pending`, and none waits. The sum takes no walk over the items. */
const FINISH = `
  UPDATE batches SET status = 'done', process = NULL, finished_at = $2
  WHERE id = $1 AND status = 'running' AND total = (
    SELECT coalesce(sum(n), 0) FROM batch_tallies WHERE batch = batches.seq AND status <> 'waiting'
  )`

/** What should run; a parked batch that wakes by itself needs somebody who wakes it. */
const UNCLAIMED = `
  SELECT id FROM batches
  WHERE (status IN ('running', 'cancelling') OR (status = 'parked' AND resumes_at IS NOT NULL))
    AND (process IS NULL OR NOT process = ANY($1)) ORDER BY id`

const CLAIM = `
  UPDATE batches SET process = $2 WHERE id = $1 AND status IN ('running', 'parked', 'cancelling')
    AND (process IS NULL OR process = $2 OR NOT process = ANY($3))`

const FIND_DRAFT = "SELECT seq FROM batches WHERE id = $1 AND status = 'draft' FOR UPDATE"

/** Batches and their items over PostgreSQL. `add` and `open` reject for what is no draft. */
export function createBatchStore(unit: Unit, processes: Processes): BatchStore {
  const change = async (text: string, values: unknown[]) => (await unit.write((sql) => sql.run(text, values))) > 0
  return {
    ...createDrafts(unit, processes),
    ...createClaims(unit, processes),
    ...createItemLists(unit),
    get: async (id) => (await readBatches(unit, { id, limit: 1 }))[0] ?? null,
    list: (query) => readBatches(unit, query),
    async payer(id) {
      const [row] = await unit.rows<{ payer: string | null; payer_cap_usd: number | null }>(
        'SELECT payer, payer_cap_usd FROM batches WHERE id = $1',
        [id],
      )
      if (row === undefined || row.payer === null) return null
      return { key_id: row.payer, max_cost_usd_per_day: row.payer_cap_usd }
    },
    settle: (item, end) => settleItem(unit, item, end),
    park: async (id, reason, resumesAt) => void (await change(PARK, [id, reason, resumesAt])),
    resume: (id) => change(RESUME, [id]),
    requestCancel: (id) => change(REQUEST_CANCEL, [id]),
    finishCancel: (id, at) =>
      unit.write(async (sql) => {
        await sql.run(CANCEL_ITEMS, [id])
        await sql.run(CANCEL, [id, at])
      }),
    finish: (id, at) => change(FINISH, [id, at]),
  }
}

/** A batch while its items arrive. */
function createDrafts(unit: Unit, processes: Processes) {
  const find = async (sql: Sql, id: string): Promise<number | undefined> =>
    (await sql.rows<{ seq: number }>(FIND_DRAFT, [id]))[0]?.seq
  const findDraft = async (sql: Sql, id: string): Promise<number> => {
    const seq = await find(sql, id)
    if (seq === undefined) throw new StorageError('storage_error', `the batch ${id} is no draft`)
    return seq
  }
  return {
    draft: ({ payer, id, kind, mode, name, key, max_cost_usd, created_at }: NewBatch) =>
      unit.write(async (sql) => {
        const paid = { payer: payer?.key_id ?? null, payer_cap_usd: payer?.max_cost_usd_per_day ?? null }
        const row = { id, kind, mode, name, key, max_cost_usd, created_at, ...paid }
        await sql.run(...insertOf('batches', { ...row, status: 'draft', process: processes.id }))
      }),
    add: (id: string, items: readonly NewItem[]) =>
      unit.write(async (sql) => {
        const seq = await findDraft(sql, id)
        const taken = await addItems(sql, seq, items)
        if (taken === null) await sql.run('UPDATE batches SET total = total + $1 WHERE seq = $2', [items.length, seq])
        return taken
      }),
    open: (id: string) =>
      unit.write(async (sql) => {
        const seq = await findDraft(sql, id)
        await sql.run("UPDATE batches SET status = 'running', process = NULL WHERE seq = $1", [seq])
      }),
    discard: (id: string) =>
      unit.write(async (sql) => {
        const seq = await find(sql, id)
        if (seq !== undefined) await forget(sql, [seq])
      }),
    discardAbandoned: () =>
      unit.write(async (sql) => {
        const rows = await sql.rows<{ seq: number }>(
          "SELECT seq FROM batches WHERE status = 'draft' AND NOT process = ANY($1) ORDER BY seq FOR UPDATE",
          [await processes.living(sql)],
        )
        await forget(
          sql,
          rows.map(({ seq }) => seq),
        )
        return rows.length
      }),
  } satisfies Partial<BatchStore>
}

async function forget(sql: Sql, batches: readonly number[]): Promise<void> {
  await sql.run('DELETE FROM batch_items WHERE batch = ANY($1)', [batches])
  await sql.run('DELETE FROM batch_tallies WHERE batch = ANY($1)', [batches])
  await sql.run('DELETE FROM batches WHERE seq = ANY($1)', [batches])
}

/** Who runs a batch. A process that claims what it has already keeps it. */
const createClaims = (unit: Unit, processes: Processes) =>
  ({
    async listUnclaimed() {
      const rows = await unit.rows<{ id: string }>(UNCLAIMED, [await processes.living(unit)])
      return rows.map(({ id }) => id)
    },
    claim: async (id: string) => (await unit.run(CLAIM, [id, processes.id, await processes.living(unit)])) > 0,
    release: async (id: string) =>
      void (await unit.run('UPDATE batches SET process = NULL WHERE id = $1 AND process = $2', [id, processes.id])),
  }) satisfies Partial<BatchStore>

interface FullRow extends KeptBatch {
  readonly tallies: readonly Tally[] | null
  readonly spent: Amounts | null
}

/** Newest first, with their tallies and what was spent: one statement, so that the counts always add up. */
async function readBatches(unit: Unit, query: BatchQuery & { readonly id?: string }): Promise<BatchRecord[]> {
  const rows = await unit.rows<FullRow>(...renderBatches(query))
  return rows.map(({ tallies, spent, ...row }) => renderRecord(row, tallies ?? [], spent ?? NOTHING))
}

function renderBatches(query: BatchQuery & { readonly id?: string }): Statement {
  const { values, mark } = createValues()
  const terms = (['id', 'key', 'status'] as const).flatMap((name) =>
    query[name] === undefined ? [] : [`${name} = ${mark(query[name])}`],
  )
  if (query.before !== undefined) terms.push(`id < ${mark(query.before)}`)
  const text = `
    SELECT id, kind, mode, name, key, status, max_cost_usd, parked_reason, resumes_at, total, created_at, finished_at,
      (SELECT json_agg(json_build_object('status', status, 'detail', detail, 'cached', cached, 'n', n) ORDER BY status, detail, cached)
       FROM (SELECT status, detail, cached, sum(n) AS n FROM batch_tallies WHERE batch = batches.seq GROUP BY 1, 2, 3) AS counted
       WHERE n > 0) AS tallies,
      (SELECT json_build_object(${COLUMNS.map((name) => `'${name}', sum(${name})`).join(', ')})
       FROM spending WHERE scope = 'batch:' || batches.id HAVING count(*) > 0) AS spent
    FROM batches WHERE ${[...terms, "status <> 'draft'"].join(' AND ')} ORDER BY id DESC LIMIT ${mark(query.limit)}`
  return [text, values]
}
