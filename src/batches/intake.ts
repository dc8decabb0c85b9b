import type { NewBatch } from '../db/batches.ts'
import { settleAll } from '../db/db.ts'
import type { NewItem } from '../db/items.ts'
import type { Payer } from '../db/ledger.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import { refuseSelf } from '../grading/question.ts'
import type { Judge } from '../judges/judge.ts'
import type { Batch, BatchItem, BatchOptions } from '../schemas/batch.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import type { BatchDeps } from './run-chunk.ts'

/** The options of a batch: an absent option has a default, and an item takes its absent options from the plan. */
export interface BatchPlan extends Omit<NewBatch, 'id' | 'created_at'> {
  readonly defaults: Partial<Pick<BatchItem, 'judge' | 'rubric' | 'samples' | 'cache' | 'allow_self'>>
}

/** Makes the plan of a batch of new trials. */
export function planOf({ dry_run: _, ...options }: BatchOptions, payer: Payer | null): BatchPlan {
  const { name = null, key = null, mode = 'direct', max_cost_usd = null, ...defaults } = options
  return { kind: 'grade', mode, name, key, max_cost_usd, payer, defaults }
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

/** An item with its number in the batch, its name, and the options that its plan gives. */
export interface PlannedItem extends Omit<IntakeItem, 'item'> {
  readonly index: number
  readonly item_id: string
  readonly request: Omit<BatchItem, 'item_id'>
}

/** Yields the items of a batch. Throws a RequestError for an item too many or named twice, and for a batch without items. */
export async function* planItems(
  { most_items }: Pick<BatchDeps, 'most_items'>,
  plan: BatchPlan,
  items: AsyncIterable<IntakeItem>,
): AsyncGenerator<PlannedItem> {
  const names = new Set<string>()
  for await (const { item, ...incoming } of items) {
    const index = names.size
    const { item_id = String(index), ...own } = item
    const { place } = incoming
    if (index === most_items) throw tooMany(most_items, place)
    if (names.size === names.add(item_id.toWellFormed()).size) throw twice(place)
    yield { ...incoming, index, item_id, request: { ...plan.defaults, ...own } }
  }
  if (names.size === 0) throw nothing(plan)
}

/** Items that are read and written together. */
const CHUNK = 64
const CHUNK_BYTES = 8 * 1024 * 1024

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
    for await (const chunk of chunksOf(planItems(deps, plan, items))) {
      const admitting = chunk.map((item) => admit(deps, plan, item))
      await settleAll(admitting)
      await batches.add(id, await Promise.all(admitting))
    }
    return await batches.open(id)
  } catch (error) {
    await batches.discard(id)
    throw error
  }
}

async function* chunksOf(items: AsyncIterable<PlannedItem>): AsyncGenerator<readonly PlannedItem[]> {
  let [chunk, bytes] = [[] as PlannedItem[], 0]
  for await (const item of items) {
    chunk.push(item)
    bytes += item.bytes ?? 0
    if (chunk.length < CHUNK && bytes < CHUNK_BYTES) continue
    yield chunk
    ;[chunk, bytes] = [[], 0]
  }
  if (chunk.length > 0) yield chunk
}

/** Looks everything up, reads everything, and stores the trajectory, so that the item only has its id. */
async function admit({ service }: BatchDeps, plan: BatchPlan, incoming: PlannedItem): Promise<NewItem> {
  const { index, item_id, request, place, base_grade = null } = incoming
  const admitting = service.admit(request, incoming.trajectory ?? null)
  const { judge, rubric, trajectory, document } = await admitting.catch(placeAt(place))
  assertPossible(plan, judge, incoming, trajectory)
  if (document !== null) await service.store(trajectory, document)
  const { trajectory: _, ...rest } = request
  return {
    ...{ index, item_id, trajectory: trajectory.id, base_grade },
    // By their full names: what a default means may change before the item is run.
    request: { ...rest, judge: judge.info.name, rubric: rubric.name, metadata: metadataOf(trajectory, rest.metadata) },
  }
}

/** Throws a RequestError where the plan is impossible with this judge, or the judge is the model of the agent. */
export function assertPossible(
  { kind, mode, max_cost_usd }: BatchPlan,
  judge: Judge,
  { request, place }: PlannedItem,
  trajectory: Trajectory,
): void {
  const { name, price } = judge.info
  if (kind === 'recheck') return
  refuseSelf(judge, metadataOf(trajectory, request.metadata), request, place)
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
const nothing = ({ kind }: BatchPlan) =>
  kind === 'grade'
    ? faultAt('/items', 'send at least one', 'invalid_request', 'the batch has no items')
    : faultAt('/query', NOTHING_CHOSEN, 'invalid_request', 'no stored grade is chosen')

const NOTHING_CHOSEN =
  'fits no grade that stands: those that a newer one replaced, failed retries and rechecks are only taken by their batch or their ids'

const twice = (place: string) =>
  faultAt(`${place}/item_id`, 'is used twice in this batch', 'invalid_request', 'two items have the same item_id')

const tooMany = (most: number, place: string) =>
  faultAt(place, 'is one too many: send several batches', 'too_many_items', `a batch takes at most ${most} items`)
