import { sql as raw, type Selectable, type SqlBool } from 'kysely'
import type { Batch, BatchCounts } from '../schemas/batch.ts'
import type { BatchKind, BatchMode, BatchStatus } from '../schemas/vocabulary.ts'
import type { Payer } from './attempts.ts'
import { type Db, isIn, lit, type Sql } from './db.ts'
import { refusal } from './errors.ts'
import { addItems, createItems, isOf, type NewItem } from './items.ts'
import { isDead } from './processes.ts'
import type { Tables } from './schema.ts'
import { type Amounts, NOTHING } from './spending.ts'

/** The reason of a batch that is parked because its command ended. */
export const COMMAND_STOPPED = 'the command that ran it was stopped'

export interface NewBatch {
  readonly id: string
  readonly kind: BatchKind
  readonly mode: BatchMode
  readonly name: string | null
  readonly key: string | null
  readonly max_cost_usd: number | null
  readonly payer: Payer | null
  readonly created_at: string
}

export interface BatchQuery {
  readonly key?: string
  readonly status?: BatchStatus
  readonly limit: number
  /** Exclusive: batches older than this id. */
  readonly before?: string
}

/** A batch as it is stored: `counts.running` counts only items that wait for a provider’s batch. */
export type BatchRecord = Batch

/** A batch that has not ended. */
export interface OpenBatch {
  readonly id: string
  readonly mode: BatchMode
  readonly status: 'running' | 'parked' | 'cancelling'
  /** The time at which a parked batch wakes by itself; ISO 8601. */
  readonly resumes_at: string | null
}

/** The facts of a batch that a runner needs. */
export interface RunPlan {
  readonly id: string
  readonly kind: BatchKind
  readonly mode: BatchMode
  readonly status: BatchRow['status']
  readonly max_cost_usd: number | null
  /** The key that pays; null: no key in particular. */
  readonly payer: Payer | null
}

export type BatchStore = ReturnType<typeof createBatches>

/** Batches and their items. `add` and `open` reject for a batch that is no draft. */
export function createBatches(db: Db) {
  const change = (id: string, statuses: readonly BatchRow['status'][], row: Partial<BatchRow>): Promise<boolean> =>
    db.write(async (sql) => {
      const query = sql.updateTable('batches').set(row).where('id', '=', id).where('status', 'in', statuses)
      return (await query.executeTakeFirstOrThrow()).numUpdatedRows > 0n
    })
  return {
    ...createItems(db),
    ...createDrafts(db),
    get: async (id: string): Promise<BatchRecord | null> => (await readBatches(db, { id, limit: 1 }))[0] ?? null,
    /** Lists batches, newest first. */
    list: (query: BatchQuery): Promise<readonly BatchRecord[]> => readBatches(db, query),
    /** Lists the batches that have not ended, oldest first. */
    listOpen: (): Promise<readonly OpenBatch[]> =>
      db.read
        .selectFrom('batches')
        .select(['id', 'mode', 'status', 'resumes_at'])
        .where('status', 'in', [lit('running'), lit('parked'), lit('cancelling')])
        .orderBy('id')
        .$castTo<OpenBatch>()
        .execute(),
    /** Reads the status of a batch alone: runners ask for it often. */
    async status(id: string): Promise<BatchRow['status'] | null> {
      const row = await db.read.selectFrom('batches').select('status').where('id', '=', id).executeTakeFirst()
      return row?.status ?? null
    },
    /** Reads the facts of a batch that a runner needs: without the counts, which cost a walk over the items. */
    async plan(id: string): Promise<RunPlan | null> {
      const row = await db.read
        .selectFrom('batches')
        .select(['kind', 'mode', 'status', 'max_cost_usd', 'payer', 'payer_cap_usd'])
        .where('id', '=', id)
        .executeTakeFirst()
      if (row === undefined) return null
      const { kind, mode, status, max_cost_usd } = row
      const payer = row.payer === null ? null : { key_id: row.payer, max_cost_usd_per_day: row.payer_cap_usd }
      return { id, kind, mode, status, max_cost_usd, payer }
    },
    /** Parks a running batch; false where the batch did not run. */
    park: (id: string, reason: string, resumesAt: string | null): Promise<boolean> =>
      change(id, ['running'], { status: 'parked', parked_reason: reason, resumes_at: resumesAt }),
    /** Lets a parked batch run again; false where the batch is not parked. */
    resume: (id: string): Promise<boolean> =>
      change(id, ['parked'], { status: 'running', parked_reason: null, resumes_at: null }),
    /** Asks for the end of a batch; false where the batch has ended. */
    requestCancel: (id: string): Promise<boolean> =>
      change(id, ['running', 'parked', 'cancelling'], { status: 'cancelling', parked_reason: null, resumes_at: null }),
    /**
     * Cancels the open items of a batch that is being cancelled, but items with a call in flight, or with a reply of the last moments whose grade
     * is being made. Returns whether no item is open any more: then the batch is cancelled.
     */
    finishCancel: (id: string, at: string): Promise<boolean> => db.write((sql) => finishCancel(db, sql, id, at)),
    /** Ends a running batch; false, without a change, while an item is open. */
    finish: (id: string, at: string): Promise<boolean> =>
      db.write(async (sql) => {
        if (await hasOpenItem(sql, id)) return false
        const row = { status: 'done', finished_at: at } as const
        const query = sql.updateTable('batches').set(row).where('id', '=', id).where('status', '=', lit('running'))
        return (await query.executeTakeFirstOrThrow()).numUpdatedRows > 0n
      }),
  }
}

type BatchRow = {
  status: 'draft' | 'running' | 'parked' | 'cancelling' | 'cancelled' | 'done'
  parked_reason: string | null
  resumes_at: string | null
}

/** Tells whether an item is open, in one reading: an item that becomes pending again after it waited is open all the time. */
async function hasOpenItem(sql: Sql, id: string): Promise<boolean> {
  const isAny = (status: 'pending' | 'waiting') =>
    raw`EXISTS (SELECT 1 FROM batch_items WHERE ${isOf(id)} AND status = ${lit(status)})`
  const { rows } = await raw<{ n: number }>`
    SELECT CASE WHEN ${isAny('pending')} OR ${isAny('waiting')} THEN 1 ELSE 0 END AS n`.execute(sql)
  return rows[0]?.n === 1
}

/** A grade is made of its replies within this time. */
const MAKING_MS = 3_000

/** Lists the items of a batch with a direct call in flight, or with a reply of the last moments whose grade is being made. */
async function itemsInWork(sql: Sql, id: string, now: number): Promise<number[]> {
  const rows = await sql
    .selectFrom('attempts')
    .select(['item', 'outcome', 'started_at', 'latency_ms'])
    .where('batch', '=', id)
    .where('item', 'is not', null)
    .where('submission', 'is', null)
    .where(
      raw<SqlBool>`(outcome = 'sent' OR (outcome = 'ok' AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)))`,
    )
    .execute()
  const isLate = (started_at: string, latency_ms: number | null) =>
    Date.parse(started_at) + (latency_ms ?? 0) > now - MAKING_MS
  return rows.flatMap(({ item, outcome, started_at, latency_ms }) =>
    item !== null && (outcome === 'sent' || isLate(started_at, latency_ms)) ? [item] : [],
  )
}

async function finishCancel(db: Db, sql: Sql, id: string, at: string): Promise<boolean> {
  // One process at a time: many at the items of a large batch would undo the work of each other by deadlocks.
  const turn = sql.selectFrom('batches').select('seq').where('id', '=', id).where('status', '=', lit('cancelling'))
  const locked = turn.$if(db.kind === 'postgres', (query) => query.forUpdate().skipLocked())
  if ((await locked.executeTakeFirst()) === undefined) return false
  const spared = await itemsInWork(sql, id, Date.parse(at))
  await sql
    .updateTable('batch_items')
    .set({ status: 'cancelled' })
    .where(isOf(id))
    .where('status', 'in', [lit('pending'), lit('waiting')])
    .where(({ not }) => not(isIn(db, 'idx', spared)))
    .execute()
  if (await hasOpenItem(sql, id)) return false
  const row = { status: 'cancelled', finished_at: at } as const
  const query = sql.updateTable('batches').set(row).where('id', '=', id).where('status', '=', lit('cancelling'))
  return (await query.executeTakeFirstOrThrow()).numUpdatedRows > 0n
}

/** A batch while its items arrive. */
function createDrafts(db: Db) {
  async function findDraft(sql: Sql, id: string): Promise<number> {
    const query = sql.selectFrom('batches').select('seq').where('id', '=', id).where('status', '=', lit('draft'))
    const row = await query.$if(db.kind === 'postgres', (locked) => locked.forUpdate()).executeTakeFirst()
    if (row === undefined) throw refusal(`the batch ${id} is no draft`)
    return row.seq
  }
  async function forget(sql: Sql, batches: readonly number[]): Promise<void> {
    await sql
      .deleteFrom('batch_items')
      .where(isIn(db, 'batch', batches))
      .execute()
    await sql
      .deleteFrom('batches')
      .where(isIn(db, 'seq', batches))
      .execute()
  }
  return {
    /** Makes a batch that is not listed until it is opened. */
    draft: ({ payer, ...batch }: NewBatch): Promise<void> =>
      db.write(async (sql) => {
        const paid = { payer: payer?.key_id ?? null, payer_cap_usd: payer?.max_cost_usd_per_day ?? null }
        await sql
          .insertInto('batches')
          .values({ ...batch, ...paid, status: 'draft', process: db.process })
          .execute()
      }),
    /** Returns the index of the first item whose `item_id` the batch has already; then none of the items is added. */
    add: (id: string, items: readonly NewItem[]): Promise<number | null> =>
      db.write(async (sql) => {
        const seq = await findDraft(sql, id)
        const twice = await addItems(db, sql, seq, items)
        if (twice !== null) return twice
        await sql
          .updateTable('batches')
          .set(({ eb }) => ({ total: eb('total', '+', items.length) }))
          .where('seq', '=', seq)
          .execute()
        return null
      }),
    /** Ends the draft: the batch runs from now on. `onOpen` belongs to the same unit of work. */
    open: (id: string, onOpen: (sql: Sql) => Promise<void> = async () => undefined): Promise<void> =>
      db.write(async (sql) => {
        const seq = await findDraft(sql, id)
        await sql.updateTable('batches').set({ status: 'running' }).where('seq', '=', seq).execute()
        await onOpen(sql)
      }),
    /** Forgets a draft and its items. */
    discard: (id: string): Promise<void> =>
      db.write(async (sql) => {
        const query = sql.selectFrom('batches').select('seq').where('id', '=', id).where('status', '=', lit('draft'))
        const row = await query.executeTakeFirst()
        if (row !== undefined) await forget(sql, [row.seq])
      }),
    /** Forgets drafts of dead processes: on PostgreSQL, and of other machines, drafts that were begun before a time. Returns their number. */
    discardAbandoned: (before: string): Promise<number> =>
      db.write(async (sql) => {
        const query = sql.selectFrom('batches').select(['seq', 'created_at', 'process'])
        const drafts = await query.where('status', '=', lit('draft')).execute()
        const dead = drafts.filter(({ created_at, process }) => created_at < before || isDead(db, process))
        await forget(
          sql,
          dead.map(({ seq }) => seq),
        )
        return dead.length
      }),
  }
}

/** Drafts are only read by their id. */
type RecordQuery = BatchQuery & { readonly id?: string }

/** Reads batches with the counts of their items and their spending, newest first. */
async function readBatches(db: Db, query: RecordQuery): Promise<BatchRecord[]> {
  let page = db.read.selectFrom('batches').selectAll().where('status', '<>', 'draft').orderBy('id', 'desc')
  for (const name of ['id', 'key'] as const) if (query[name] !== undefined) page = page.where(name, '=', query[name])
  // The unary plus keeps SQLite from the index of the status, which many batches share, where the key is known.
  const unused = db.kind === 'sqlite' && query.key !== undefined ? raw`+` : raw``
  if (query.status !== undefined) page = page.where(raw<SqlBool>`${unused}status = ${query.status}`)
  if (query.before !== undefined) page = page.where('id', '<', query.before)
  const rows = await page.limit(query.limit).execute()
  if (rows.length === 0) return []
  const [tallies, spent] = await Promise.all([
    countItems(
      db,
      rows.map(({ seq }) => seq),
    ),
    readSpent(
      db,
      rows.map(({ id }) => `batch:${id}`),
    ),
  ])
  return rows.map((row) => toRecord(row, tallies.get(row.seq) ?? [], spent.get(`batch:${row.id}`) ?? NOTHING))
}

/** A number of items of a batch in one state. */
interface Tally {
  readonly batch: number
  readonly status: keyof BatchCounts | 'waiting' | 'pending'
  readonly detail: string | null
  readonly cached: number
  readonly n: number
}

async function countItems(db: Db, batches: readonly number[]): Promise<Map<number, Tally[]>> {
  const rows = await db.read
    .selectFrom('batch_items')
    .select(['batch', 'status', 'cached', raw<string | null>`coalesce(label, failure_code)`.as('detail')])
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where(isIn(db, 'batch', batches))
    .groupBy(['batch', 'status', 'cached', 'detail'])
    .orderBy('status')
    .orderBy('detail')
    .execute()
  return Map.groupBy(
    rows.map((row): Tally => ({ ...row, n: Number(row.n) })),
    ({ batch }) => batch,
  )
}

async function readSpent(db: Db, scopes: readonly string[]): Promise<Map<string, Amounts>> {
  const rows = await db.read
    .selectFrom('spending')
    .selectAll()
    .where(isIn(db, 'scope', scopes))
    .execute()
  return new Map(rows.map((row) => [row.scope, row]))
}

type Row = Selectable<Tables['batches']>

function toRecord(row: Row, tallies: readonly Tally[], spent: Amounts): BatchRecord {
  const { id, kind, mode, name, key, max_cost_usd, parked_reason, resumes_at, total } = row
  const status = row.status as BatchStatus
  const count = (fits: (tally: Tally) => boolean): number =>
    tallies.reduce((sum, tally) => sum + (fits(tally) ? tally.n : 0), 0)
  const ended = (end: Tally['status']): number => count((tally) => tally.status === end)
  const byDetail = (end: Tally['status']): Record<string, number> => {
    const details = new Set(tallies.filter((tally) => tally.status === end).map(({ detail }) => detail ?? ''))
    return Object.fromEntries(
      [...details].map((detail) => [detail, count((tally) => tally.status === end && tally.detail === detail)]),
    )
  }
  return {
    ...{ id, kind, mode, name, key, status, max_cost_usd, parked_reason, resumes_at },
    counts: {
      total,
      pending: ended('pending'),
      running: ended('waiting'),
      graded: ended('graded'),
      unverified: ended('unverified'),
      failed: ended('failed'),
      cancelled: ended('cancelled'),
    },
    labels: byDetail('graded'),
    failures: byDetail('failed'),
    cached: count((tally) => tally.cached === 1),
    calls: { made: spent.calls, unknown: spent.unknown_calls },
    uncertain_usd: spent.uncertain_usd,
    cost_usd: spent.unpriced_calls > 0 ? null : spent.settled_usd,
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}
