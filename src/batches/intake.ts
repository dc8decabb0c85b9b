import type { Payer } from '../db/attempts.ts'
import type { NewBatch } from '../db/batches.ts'
import { settleAll } from '../db/db.ts'
import type { NewItem } from '../db/items.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Judge } from '../judges/judge.ts'
import type { Batch, BatchItem, BatchOptions } from '../schemas/batch.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import type { BatchDeps } from './run-chunk.ts'

/** The options of a batch: an absent option has a default, and an item takes its absent options from the plan. */
export interface BatchPlan extends Omit<NewBatch, 'id' | 'created_at'> {
  readonly defaults: Partial<Pick<BatchItem, 'judge' | 'rubric' | 'samples' | 'cache'>>
}

/** Makes the plan of a batch of new trials. */
export const planOf = (
  { dry_run: _, name, key, mode, max_cost_usd, ...defaults }: BatchOptions,
  payer: Payer | null,
): BatchPlan => ({
  kind: 'grade',
  mode: mode ?? 'direct',
  name: name ?? null,
  key: key ?? null,
  max_cost_usd: max_cost_usd ?? null,
  payer,
  defaults,
})

/** One item on its way into a batch, with the place that an error names. */
export interface IntakeItem {
  readonly item: BatchItem
  /** A JSON pointer: `/items/41`. */
  readonly place: string
  /** In a re-grade: what is graded again. */
  readonly base_grade?: string
  /** Of its line. */
  readonly bytes?: number
  /** The trajectory of the item, where the intake has read it already. */
  readonly trajectory?: Trajectory | null
}

/** Items that are read and written together. */
const CHUNK = 64
const CHUNK_BYTES = 8 * 1024 * 1024

/**
 * Opens a draft. On PostgreSQL the jobs belong to the unit of work that opens the batch, which reads by no second connection; on SQLite the jobs
 * begin afterwards.
 */
export async function openDraft({ stores, jobs }: Pick<BatchDeps, 'stores' | 'jobs'>, id: string): Promise<Batch> {
  const chunks = stores.run_lock === null ? await stores.batches.chunks(id) : []
  return stores.batches.open(id, (sql) => jobs.addChunks(chunks, sql))
}

/**
 * Takes a batch in, whole or not at all: items arrive in a draft that is not listed, every one is read as far as it can be without
 * asking a judge, and only a draft without a fault is opened. Never holds more than one chunk of items. Throws a RequestError for a fault.
 */
export async function takeBatch(deps: BatchDeps, plan: BatchPlan, items: AsyncIterable<IntakeItem>): Promise<Batch> {
  const { batches } = deps.stores
  const { defaults: _, ...columns } = plan
  const id = deps.newId('bat')
  await batches.draft({ id, ...columns, created_at: deps.clock.now().toISOString() })
  try {
    await addAll(deps, id, plan, items)
    return await openDraft(deps, id)
  } catch (error) {
    await batches.discard(id)
    throw error
  }
}

async function addAll(deps: BatchDeps, id: string, plan: BatchPlan, items: AsyncIterable<IntakeItem>): Promise<void> {
  let chunk: IntakeItem[] = []
  let [count, bytes] = [0, 0]
  const add = async () => {
    const first = count - chunk.length
    const storing: Promise<unknown>[] = []
    const admitting = chunk.map((incoming, at) => admit(deps, plan, incoming, first + at, storing))
    await settleAll(admitting).finally(() => storing.forEach((stored) => void stored.catch(() => undefined)))
    // The trajectories and their items share the commits of an SQLite file.
    const adding = deps.stores.batches.add(id, await Promise.all(admitting))
    const [duplicate] = await Promise.all([adding, ...storing])
    if (duplicate !== null) throw twice(chunk[duplicate - first]?.place ?? '')
    chunk = []
    bytes = 0
  }
  for await (const incoming of items) {
    chunk.push(incoming)
    count++
    if (count > deps.most_items) throw tooMany(deps.most_items, incoming.place)
    bytes += incoming.bytes ?? 0
    if (chunk.length >= CHUNK || bytes >= CHUNK_BYTES) await add()
  }
  if (count === 0) throw nothing(plan)
  if (chunk.length > 0) await add()
}

/** Looks everything up and reads everything; the trajectory is being stored, so that the item only has its id. */
async function admit(
  { service }: BatchDeps,
  plan: BatchPlan,
  { item: { item_id, ...item }, place, base_grade, trajectory: read = null }: IntakeItem,
  index: number,
  storing: Promise<unknown>[],
): Promise<NewItem> {
  const request = { ...plan.defaults, ...item }
  const { judge, rubric, trajectory, document } = await service.admit(request, read).catch(placeAt(place))
  assertPossible(plan, judge)
  if (document !== null) storing.push(service.store(trajectory, document))
  const { trajectory: _, ...rest } = request
  return {
    ...{ index, item_id: item_id ?? String(index), trajectory: trajectory.id, base_grade: base_grade ?? null },
    // By their full names: what a default means may change before the item is run.
    request: { ...rest, judge: judge.info.name, rubric: rubric.name, metadata: metadataOf(trajectory, rest.metadata) },
  }
}

/** Throws a RequestError where the plan is impossible with this judge. */
export function assertPossible({ kind, mode, max_cost_usd }: BatchPlan, judge: Judge): void {
  const { name, price } = judge.info
  if (kind === 'recheck') return
  if (mode === 'provider' && judge.batch === undefined)
    throw impossible('/mode', `the judge ${name} has no batch endpoint: take mode direct, or a judge that has one`)
  if (max_cost_usd !== null && judge.info.kind === 'model' && price === null)
    throw impossible(
      '/max_cost_usd',
      `a cap needs a price, and ${name} has none: give judges.${name}.price in the file that VERIDICT_CONFIG names (docs/configuration.md)`,
    )
}

const impossible = (path: string, message: string) => faultAt(path, message, 'invalid_request')

/** Throws an error, with the places of an item’s faults in the batch. */
export const placeAt =
  (place: string) =>
  (error: unknown): never => {
    if (!(error instanceof RequestError)) throw error
    const errors = (error.extras.errors ?? []).map(({ path, message }) => ({ path: place + path, message }))
    throw new RequestError(error.code, error.message, { errors })
  }

/** Makes the refusal of a batch of no items, or of a re-grade of grades that do not stand. */
export const nothing = ({ kind }: BatchPlan) =>
  kind === 'grade'
    ? faultAt('/items', 'send at least one', 'invalid_request', 'the batch has no items')
    : faultAt('/query', NOTHING_CHOSEN, 'invalid_request', 'no stored grade is chosen')

const NOTHING_CHOSEN =
  'fits no grade that stands: those that a newer one replaced, failed retries and rechecks are only taken by their batch or their ids'

export const twice = (place: string) =>
  faultAt(`${place}/item_id`, 'is used twice in this batch', 'invalid_request', 'two items have the same item_id')

export const tooMany = (most: number, place: string) =>
  faultAt(place, 'is one too many: send several batches', 'too_many_items', `a batch takes at most ${most} items`)
