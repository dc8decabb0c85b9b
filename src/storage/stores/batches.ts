import type { BatchQuery, BatchRecord, BatchStore, NewBatch, NewItem } from '../../ports/batch-ports.ts'
import type { BatchCounts } from '../../schemas/batch.ts'
import type { Db, Sql, Work } from '../db.ts'
import { columnOf, createValues, type Statement } from '../statements.ts'
import { refusal } from '../storage-error.ts'
import { addItems, createItems } from './batch-items.ts'
import { type Amounts, COLUMNS, sumOf } from './spending.ts'

const PARK = `
  UPDATE batches SET status = 'parked', parked_reason = $2, resumes_at = $3 WHERE id = $1 AND status = 'running'`

const RESUME = `
  UPDATE batches SET status = 'running', parked_reason = NULL, resumes_at = NULL WHERE id = $1 AND status = 'parked'`

const REQUEST_CANCEL = `
  UPDATE batches SET status = 'cancelling', parked_reason = NULL, resumes_at = NULL
  WHERE id = $1 AND status IN ('running', 'parked', 'cancelling')`

const CANCEL_ITEMS = `
  UPDATE batch_items SET status = 'cancelled'
  WHERE batch = (SELECT seq FROM batches WHERE id = $1 AND status = 'cancelling')
    AND /*+*/ status IN ('pending', 'waiting')`

const CANCEL = `
  UPDATE batches SET status = 'cancelled', process = NULL, finished_at = $2 WHERE id = $1 AND status = 'cancelling'`

/** Every item has left `pending`, and none waits. Tallies of waiting items count as open; the sum takes no walk over the items. */
export const FINISH = `
  UPDATE batches SET status = 'done', process = NULL, finished_at = $2
  WHERE id = $1 AND status = 'running' AND total = (
    SELECT coalesce(sum(n), 0) FROM batch_tallies WHERE batch = batches.seq AND status <> 'waiting'
  )`

/** What should run; a parked batch that wakes by itself needs a process that wakes it. */
export const TO_RUN = `
  SELECT id, process FROM batches
  WHERE status IN ('running', 'cancelling') OR (status = 'parked' AND resumes_at IS NOT NULL)`

const CLAIM = `
  UPDATE batches SET process = $2 WHERE id = $1 AND status IN ('running', 'parked', 'cancelling')
    AND (process IS NULL OR process = $2 OR NOT process = ANY($3))`

/** Batches and their items. `add` and `open` reject for what is no draft. */
export function createBatchStore(db: Db): BatchStore {
  const change = async (text: string, values: unknown[]) => (await db.write((sql) => sql.run(text, values))) > 0
  return {
    ...createDrafts(db),
    ...createClaims(db),
    ...createItems(db),
    get: async (id) => (await readBatches(db, { id, limit: 1 }))[0] ?? null,
    list: (query) => readBatches(db, query),
    async payer(id) {
      const [row] = await db.rows<{ payer: string | null; payer_cap_usd: number | null }>(
        'SELECT payer, payer_cap_usd FROM batches WHERE id = $1',
        [id],
      )
      if (row === undefined || row.payer === null) return null
      return { key_id: row.payer, max_cost_usd_per_day: row.payer_cap_usd }
    },
    park: (id, reason, resumesAt) => change(PARK, [id, reason, resumesAt]),
    resume: (id) => change(RESUME, [id]),
    requestCancel: (id) => change(REQUEST_CANCEL, [id]),
    finishCancel: (id, at) =>
      db.write(function* (sql) {
        yield* sql.run(CANCEL_ITEMS, [id])
        yield* sql.run(CANCEL, [id, at])
      }),
    finish: (id, at) => change(FINISH, [id, at]),
  }
}

/** A batch while its items arrive. */
function createDrafts(db: Db) {
  function* find(sql: Sql, id: string): Work<number | undefined> {
    const text = "SELECT seq AS number FROM batches WHERE id = $1 AND status = 'draft' FOR UPDATE"
    return (yield* sql.rows<{ number: number }>(text, [id]))[0]?.number
  }
  function* findDraft(sql: Sql, id: string): Work<number> {
    const number = yield* find(sql, id)
    if (number === undefined) throw refusal(`the batch ${id} is no draft`)
    return number
  }
  return {
    draft: ({ payer, id, kind, mode, name, key, max_cost_usd, created_at }: NewBatch) => {
      const paid = { payer: payer?.key_id ?? null, payer_cap_usd: payer?.max_cost_usd_per_day ?? null }
      const row = { id, kind, mode, name, key, max_cost_usd, created_at, ...paid, status: 'draft', process: db.process }
      return db.write((sql) => sql.insert('batches', row))
    },
    add: (id: string, items: readonly NewItem[]) =>
      db.write(function* (sql) {
        const number = yield* findDraft(sql, id)
        const taken = yield* addItems(sql, number, items)
        if (taken === null)
          yield* sql.run('UPDATE batches SET total = total + $1 WHERE seq = $2', [items.length, number])
        return taken
      }),
    open: (id: string) =>
      db.write(function* (sql) {
        const number = yield* findDraft(sql, id)
        yield* sql.run("UPDATE batches SET status = 'running', process = NULL WHERE seq = $1", [number])
      }),
    discard: (id: string) =>
      db.write(function* (sql) {
        const number = yield* find(sql, id)
        if (number !== undefined) yield* forget(sql, [number])
      }),
    discardAbandoned: () =>
      db.write(function* (sql) {
        const rows = yield* sql.rows<{ number: number }>(
          "SELECT seq AS number FROM batches WHERE status = 'draft' AND NOT process = ANY($1) ORDER BY seq FOR UPDATE",
          [yield* sql.living()],
        )
        yield* forget(sql, columnOf(rows, 'number'))
        return rows.length
      }),
  } satisfies Partial<BatchStore>
}

function* forget(sql: Sql, batches: readonly number[]): Work<void> {
  yield* sql.run('DELETE FROM batch_items WHERE batch = ANY($1)', [batches])
  // SQLite gives the number of the last row to the next one: nothing of this batch may be left for that.
  yield* sql.run('DELETE FROM batch_tallies WHERE batch = ANY($1)', [batches])
  yield* sql.run('DELETE FROM batches WHERE seq = ANY($1)', [batches])
}

/** Who runs a batch. A process that claims what it has already keeps it. */
const createClaims = (db: Db) =>
  ({
    async listUnclaimed() {
      // Batches before processes: a process that claims in between is known.
      const rows = await db.rows<{ id: string; process: string | null }>(TO_RUN)
      const living = new Set(await db.living())
      return columnOf(
        rows.filter(({ process }) => process === null || !living.has(process)),
        'id',
      ).sort()
    },
    claim: (id) =>
      db.write(function* (sql) {
        return (yield* sql.run(CLAIM, [id, db.process, yield* sql.living()])) > 0
      }),
    release: async (id) => {
      const text = "UPDATE batches SET process = NULL WHERE id = $1 AND process = $2 AND status <> 'draft'"
      await db.run(text, [id, db.process])
    },
  }) satisfies Partial<BatchStore>

interface Tally {
  readonly ended: keyof BatchCounts | 'waiting' | null
  readonly detail: string
  readonly cached: number
  readonly n: number
}

type Told = 'counts' | 'labels' | 'failures' | 'cached' | 'calls' | 'uncertain_usd' | 'cost_usd'

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

/** A batch with one of its tallies; it may have none, and nothing spent on it. */
interface BatchRow extends Omit<BatchRecord, Told>, Tally, Nullable<Amounts> {
  readonly total: number
}

/** Drafts are only read where they are asked for. */
type BatchRowQuery = BatchQuery & { readonly id?: string }

/** One statement, so that the counts always add up. */
async function readBatches(db: Db, query: BatchRowQuery): Promise<BatchRecord[]> {
  const rows = await db.rows<BatchRow>(...renderBatches(db.isShared, query))
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : toRecord(first, first.ended === null ? [] : [first, ...others]),
  )
}

/** Newest first. SQLite takes the index of the first filter: the key is more selective than the status. */
export function renderBatches(isShared: boolean, query: BatchRowQuery): Statement {
  const { values, mark } = createValues()
  const given = (['id', 'key', 'status'] as const).filter((name) => query[name] !== undefined)
  const terms = given.map((name, index) => `${index === 0 ? '' : '/*+*/ '}${name} = ${mark(query[name])}`)
  if (query.before !== undefined) terms.push(`id < ${mark(query.before)}`)
  const text = `
    SELECT page.*, tally.status AS ended, tally.detail, tally.cached, tally.n, ${COLUMNS.join(', ')}
    FROM (
      SELECT seq AS number, id, kind, mode, name, key, status, max_cost_usd, parked_reason, resumes_at, total, created_at,
        finished_at
      FROM batches WHERE ${[...terms, "/*+*/ status <> 'draft'"].join(' AND ')} ORDER BY id DESC LIMIT ${mark(query.limit)}
    ) AS page
    ${isShared ? SUMS_OF_PARTS : COUNTERS}
    ORDER BY page.id DESC, tally.status, tally.detail, tally.cached`
  return [text, values]
}

const COUNTERS = `
  LEFT JOIN batch_tallies AS tally ON tally.batch = page.number
  LEFT JOIN spending ON scope = 'batch:' || page.id`

const SUMS_OF_PARTS = `
  LEFT JOIN LATERAL (
    SELECT status, detail, cached, CAST(sum(n) AS BIGINT) AS n FROM batch_tallies WHERE batch = page.number
    GROUP BY status, detail, cached
  ) AS tally ON true
  LEFT JOIN LATERAL (
    SELECT ${COLUMNS.map((name) => `${sumOf(name)} AS ${name}`).join(', ')} FROM spending WHERE scope = 'batch:' || page.id
  ) AS spent ON true`

/** A batch with how many of its items are in which end, and what was spent on it. */
function toRecord(row: BatchRow, tallies: readonly Tally[]): BatchRecord {
  const { id, kind, mode, name, key, status, max_cost_usd, parked_reason, resumes_at, total } = row
  const count = (fits: (tally: Tally) => boolean): number =>
    tallies.reduce((sum, tally) => sum + (fits(tally) ? tally.n : 0), 0)
  const ended = (end: Tally['ended']): number => count((tally) => tally.ended === end)
  const byDetail = (end: Tally['ended']): Record<string, number> => {
    const details = new Set(tallies.filter((tally) => tally.ended === end).map((tally) => tally.detail))
    const counted = [...details].map(
      (detail) => [detail, count((tally) => tally.ended === end && tally.detail === detail)] as const,
    )
    return Object.fromEntries(counted.filter(([, n]) => n > 0))
  }
  return {
    ...{ id, kind, mode, name, key, status, max_cost_usd, parked_reason, resumes_at },
    counts: {
      total,
      pending: total - count(() => true),
      running: ended('waiting'),
      graded: ended('graded'),
      unverified: ended('unverified'),
      failed: ended('failed'),
      cancelled: ended('cancelled'),
    },
    labels: byDetail('graded'),
    failures: byDetail('failed'),
    cached: count((tally) => tally.cached === 1),
    calls: { made: row.calls ?? 0, unknown: row.unknown_calls ?? 0 },
    uncertain_usd: row.uncertain_usd ?? 0,
    cost_usd: (row.unpriced_calls ?? 0) > 0 ? null : (row.settled_usd ?? 0),
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}
