import type { Payer } from '../db/attempts.ts'
import type { BatchStore, NewBatch } from '../db/batches.ts'
import { type Sql, settleAll } from '../db/db.ts'
import type { NewItem } from '../db/items.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { GradingService } from '../grading/grade.ts'
import type { Clock } from '../ports/clock.ts'
import type { Judge } from '../ports/judge.ts'
import type { Batch, BatchItem, BatchOptions } from '../schemas/batch.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'

/** The options of a batch: an absent option has a default, and an item takes its absent options from the plan. */
export interface BatchPlan extends Omit<NewBatch, 'id' | 'created_at'> {
  readonly judge?: string
  readonly rubric?: string
  readonly samples?: number
  readonly cache?: BatchItem['cache']
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
  ...defaults,
})

export function withDefaults({ item_id: _, ...item }: BatchItem, plan: BatchPlan): Omit<BatchItem, 'item_id'> {
  const { judge, rubric, samples, cache } = plan
  return {
    ...(judge !== undefined && { judge }),
    ...(rubric !== undefined && { rubric }),
    ...(samples !== undefined && { samples }),
    ...(cache !== undefined && { cache }),
    ...item,
  }
}

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

export interface IntakeDeps {
  readonly batches: BatchStore
  readonly service: GradingService
  readonly judges: ReadonlyMap<string, Judge>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly most_items: number
}

/** Items that are read and written together. */
const CHUNK = 64
const CHUNK_BYTES = 8 * 1024 * 1024
const MOST_READS = 5
const READ_AGAIN_MS = 200

/**
 * Takes a batch in, whole or not at all: items arrive in a draft that is not listed, every one is read as far as it can be without
 * asking a judge, and only a draft without a fault is opened. Throws a RequestError with the place of the first fault. Never holds more than one chunk
 * of items.
 */
export async function takeBatch(
  deps: IntakeDeps,
  plan: BatchPlan,
  items: AsyncIterable<IntakeItem>,
  prepare: (id: string) => Promise<(sql: Sql) => Promise<void>>,
): Promise<Batch> {
  const id = deps.newId('bat')
  const { kind, mode, name, key, max_cost_usd, payer } = plan
  const draft = { id, kind, mode, name, key, max_cost_usd, payer, created_at: deps.clock.now().toISOString() }
  await deps.batches.draft(draft)
  let opened = false
  try {
    await addAll(deps, plan, items, (chunk) => deps.batches.add(id, chunk))
    await deps.batches.open(id, await prepare(id))
    opened = true
    return await readOpened(deps, id)
  } finally {
    if (!opened) await deps.batches.discard(id)
  }
}

/** Stores items; answers the index of the first whose `item_id` is taken, and then stores none. */
type AddItems = (items: readonly NewItem[]) => Promise<number | null>

/** Reads an opened batch, which is stored and will run: a client that met a passing error of the database here would send the batch again. */
async function readOpened({ batches, clock }: IntakeDeps, id: string): Promise<Batch> {
  for (let tries = 1; ; tries++) {
    try {
      const batch = await batches.get(id)
      if (batch === null) throw new Error(`the batch ${id} was opened and is not there`)
      return batch
    } catch (error) {
      if (tries >= MOST_READS) throw error
      await clock.sleep(READ_AGAIN_MS)
    }
  }
}

async function addAll(
  deps: IntakeDeps,
  plan: BatchPlan,
  items: AsyncIterable<IntakeItem>,
  add: AddItems,
): Promise<void> {
  let chunk: IntakeItem[] = []
  let count = 0
  let bytes = 0
  const addThem = () => addChunk(deps, plan, add, chunk, count - chunk.length)
  for await (const incoming of items) {
    chunk.push(incoming)
    count++
    if (count > deps.most_items) throw tooMany(deps.most_items, incoming.place)
    bytes += incoming.bytes ?? 0
    if (chunk.length < CHUNK && bytes < CHUNK_BYTES) continue
    await addThem()
    chunk = []
    bytes = 0
  }
  if (count === 0) throw nothing(plan)
  await addThem()
}

async function addChunk(
  deps: IntakeDeps,
  plan: BatchPlan,
  add: AddItems,
  chunk: readonly IntakeItem[],
  first: number,
): Promise<void> {
  const admitting = chunk.map((incoming, at) => admit(deps, plan, incoming, first + at))
  await settleAll(admitting)
  const duplicate = await add(await Promise.all(admitting))
  if (duplicate !== null) throw twice(chunk[duplicate - first]?.place ?? '')
}

/** Everything looked up and read; the trajectory is stored, so that the item only has its id. */
async function admit(
  deps: IntakeDeps,
  plan: BatchPlan,
  { item, place, base_grade, trajectory: read = null }: IntakeItem,
  index: number,
): Promise<NewItem> {
  const request = withDefaults(item, plan)
  const { judge, rubric, trajectory, document } = await deps.service.admit(request, read).catch(placeAt(place))
  checkPlan(plan, judge)
  if (document !== null) await deps.service.store(trajectory, document)
  const { trajectory: _, ...rest } = request
  return {
    index,
    item_id: item.item_id ?? String(index),
    trajectory: trajectory.id,
    // By their full names: what a default means may change before the item is run.
    request: { ...rest, judge: judge.info.name, rubric: rubric.name, metadata: metadataOf(trajectory, rest.metadata) },
    base_grade: base_grade ?? null,
  }
}

/** Throws a RequestError for a plan that is impossible with this judge. */
export function checkPlan(plan: BatchPlan, judge: Judge): void {
  const { name, kind, price } = judge.info
  if (plan.kind === 'recheck') return
  if (plan.mode === 'provider' && judge.batch === undefined)
    throw impossible('/mode', `the judge ${name} has no batch endpoint: take mode direct, or a judge that has one`)
  if (plan.max_cost_usd !== null && kind === 'model' && price === null)
    throw impossible(
      '/max_cost_usd',
      `a cap needs a price, and ${name} has none: give judges.${name}.price in the file that VERIDICT_CONFIG names (docs/configuration.md)`,
    )
}

const impossible = (path: string, message: string): RequestError => faultAt(path, message, 'invalid_request')

/** Throws an error, with the places of an item’s faults in the batch. */
export const placeAt =
  (place: string) =>
  (error: unknown): never => {
    if (!(error instanceof RequestError)) throw error
    const errors = (error.extras.errors ?? []).map(({ path, message }) => ({ path: place + path, message }))
    throw new RequestError(error.code, error.message, { errors })
  }

/** Makes the refusal of a batch of no items, and of a re-grade of grades that do not stand. */
export const nothing = ({ kind }: BatchPlan): RequestError =>
  kind === 'grade'
    ? faultAt('/items', 'send at least one', 'invalid_request', 'the batch has no items')
    : faultAt('/query', NOTHING_CHOSEN, 'invalid_request', 'no stored grade is chosen')

const NOTHING_CHOSEN =
  'fits no grade that stands: those that a newer one replaced, failed retries and rechecks are only taken by their batch or their ids'

export const twice = (place: string): RequestError =>
  faultAt(`${place}/item_id`, 'is used twice in this batch', 'invalid_request', 'two items have the same item_id')

export const tooMany = (most: number, place: string): RequestError =>
  faultAt(place, 'is one too many: send several batches', 'too_many_items', `a batch takes at most ${most} items`)
