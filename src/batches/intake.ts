import type { NewBatch, NewItem } from '../db/batches.ts'
import { fitsNames, isOwnBatch, namesOf } from '../db/grades.ts'
import type { Payer } from '../db/spending.ts'
import type { Stores } from '../db/stores.ts'
import { defined, settleAll } from '../domain/result.ts'
import { sum } from '../domain/statistics/weighted-shares.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import { refuseSelf } from '../grading/question.ts'
import type { Judge } from '../judges/judge.ts'
import type { RegradeRequest } from '../schemas/agreement.ts'
import type { Batch, BatchItem, BatchOptions } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import { type EndedItem, endedPages, withGrades } from './follow.ts'
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

/** One item on its way into a batch. */
export interface IntakeItem {
  readonly item: BatchItem
  /** A JSON pointer, which errors name: `/items/41`. */
  readonly place: string
  /** In a re-grade: what is graded again. */
  readonly base_grade?: string
  /** Of its line. */
  readonly bytes?: number
  /** The trajectory of the item, where the intake has read it already. */
  readonly trajectory?: Trajectory | null
}

export type Incoming = AsyncIterable<IntakeItem>

/** An item with its number in the batch, and the options that its plan gives. */
interface PlannedItem extends Omit<IntakeItem, 'item'> {
  readonly index: number
  readonly item_id: string
  readonly request: Omit<BatchItem, 'item_id'>
}

/** Yields the items of a batch. Throws a RequestError for an item too many or named twice, and for a batch without items. */
export async function* planItems(deps: BatchDeps, plan: BatchPlan, items: Incoming): AsyncGenerator<PlannedItem> {
  const names = new Set<string>()
  const tooMany = `a batch takes at most ${deps.most_items} items`
  for await (const { item, ...incoming } of items) {
    const index = names.size
    const { item_id = String(index), ...own } = item
    const { place } = incoming
    if (index === deps.most_items)
      throw faultAt(place, 'is one too many: send several batches', 'too_many_items', tooMany)
    if (names.size === names.add(item_id.toWellFormed()).size)
      throw impossible(`${place}/item_id`, 'is used twice in this batch', 'two items have the same item_id')
    yield { ...incoming, index, item_id, request: { ...plan.defaults, ...own } }
  }
  if (names.size > 0) return
  if (plan.kind === 'grade') throw impossible('/items', 'send at least one', 'the batch has no items')
  throw impossible('/query', NOTHING_CHOSEN, 'no stored grade is chosen')
}

const CHUNK = 64
const CHUNK_BYTES = 8 * 1024 * 1024

/** Takes a batch in, whole or not at all: into a draft, which is opened where no item has a fault. Never holds more than one chunk of items. */
export async function takeBatch(deps: BatchDeps, plan: BatchPlan, items: Incoming): Promise<Batch> {
  const { batches } = deps.stores
  const { defaults: _, ...columns } = plan
  const id = deps.newId('bat')
  await batches.draft({ id, ...columns, created_at: deps.clock.now().toISOString() })
  try {
    for await (const chunk of chunksOf(planItems(deps, plan, items))) {
      const admitting = chunk.map((item) => admit(deps, plan, item))
      await batches.add(id, await settleAll(admitting))
    }
    return await batches.open(id)
  } catch (error) {
    await batches.discard(id)
    throw error
  }
}

async function* chunksOf(items: AsyncIterable<PlannedItem>): AsyncGenerator<readonly PlannedItem[]> {
  const chunk: PlannedItem[] = []
  for await (const item of items) {
    const isFull = chunk.push(item) === CHUNK || sum(chunk.map(({ bytes }) => bytes ?? 0)) >= CHUNK_BYTES
    if (isFull) yield chunk.splice(0)
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
export function assertPossible(plan: BatchPlan, judge: Judge, item: PlannedItem, trajectory: Trajectory): void {
  const { kind, mode, max_cost_usd } = plan
  const { request, place } = item
  const { name, price } = judge.info
  if (kind === 'recheck') return
  refuseSelf(judge, metadataOf(trajectory, request.metadata), request, place)
  if (mode === 'provider' && judge.batch === undefined)
    throw impossible('/mode', `the judge ${name} has no batch endpoint: take mode direct, or a judge that has one`)
  const advice = `give judges.${name}.price in the file that VERIDICT_CONFIG names (docs/configuration.md)`
  if (max_cost_usd !== null && judge.info.kind === 'model' && price === null)
    throw impossible('/max_cost_usd', `a cap needs a price, and ${name} has none: ${advice}`)
}

const NOTHING_CHOSEN =
  'fits no grade that stands: those that a newer one replaced, failed retries and rechecks are only taken by their batch or their ids'

const impossible = (path: string, message: string, detail?: string) => faultAt(path, message, 'invalid_request', detail)

/** Throws an error, with the places of an item’s faults in the batch. */
export const placeAt =
  (place: string) =>
  (error: unknown): never => {
    if (!(error instanceof RequestError)) throw error
    const errors = (error.extras.errors ?? []).map(({ path, message }) => ({ path: place + path, message }))
    throw new RequestError(error.code, error.message, { errors })
  }

const PAGE = 200
const LONGEST_NAME = 300

type RegradeStores = Pick<Stores, 'batches' | 'grades'>

/** Plans the batch of a re-grade, which takes its name from the batch that it grades again. Throws a RequestError where it makes no sense. */
export async function planRegrade({ batches }: RegradeStores, request: RegradeRequest, payer: Payer | null) {
  assertSense(request)
  const { query, mode, key, max_cost_usd } = request
  const kind = request.recheck === true ? 'recheck' : 'regrade'
  const source = isOwnBatch(query.batch) ? await batches.get(query.batch) : null
  const own = source && `${kind} of ${source.name ?? source.id}`.slice(0, LONGEST_NAME).toWellFormed()
  return { ...planOf(defined({ mode, key, max_cost_usd }), payer), kind, name: request.name ?? own } satisfies BatchPlan
}

function assertSense({ judge, rubric, samples, cache, recheck, mode, max_cost_usd }: RegradeRequest): void {
  const changes = judge !== undefined || rubric !== undefined || samples !== undefined || cache === 'refresh'
  const asks = (judge ?? rubric ?? samples ?? cache ?? mode ?? max_cost_usd) !== undefined
  const detail = 'this re-grade makes no sense'
  const tooMuch = 'asks no judge: leave out `judge`, `rubric`, `samples`, `cache`, `mode` and `max_cost_usd`'
  const nothing = 'would change nothing: give `judge`, `rubric`, `samples`, `recheck`, or `cache` with refresh'
  if (recheck === true && asks) throw impossible('/recheck', tooMuch, detail)
  if (recheck !== true && !changes) throw impossible('', nothing, detail)
}

/** Yields the grades that fit and stand for their questions, as items to be graded again. The old grades are only read. */
export async function* selectGrades(stores: RegradeStores, request: RegradeRequest): AsyncGenerator<IntakeItem> {
  const seen = new Set<string>()
  for await (const { grade, item_id = grade.id } of findGrades(stores, request.query)) {
    const { key, trajectory: id, judge, rubric } = grade.receipt
    if (seen.has(key) || (request.recheck === true && grade.status === 'failed')) continue
    seen.add(key)
    const ground_truth = await stores.grades.getGroundTruth(grade.id)
    if (ground_truth === null) throw new Error(`the ground truth of ${grade.id} is not stored`)
    const samples = request.samples ?? Math.max(1, grade.votes.length)
    const item = {
      ...{ item_id, trajectory: { id }, ground_truth },
      ...{ judge: request.judge ?? judge, rubric: request.rubric ?? rubric, samples },
      ...defined({ cache: request.cache, allow_self: request.allow_self }),
      metadata: grade.metadata,
    }
    yield { item, place: `/items/${seen.size - 1}`, base_grade: grade.id }
  }
}

type Chosen = { readonly grade: Grade; readonly item_id?: string }

async function* findGrades({ batches, grades }: RegradeStores, query: RegradeRequest['query']): AsyncGenerator<Chosen> {
  const { ids, ...filters } = query
  if (isOwnBatch(query.batch)) {
    const choose = chosenOf(query)
    for await (const page of endedPages(batches, query.batch)) yield* (await withGrades(grades, page)).flatMap(choose)
  } else if (ids !== undefined) {
    for (const id of ids) {
      const grade = await grades.get(id)
      if (grade !== null && fitsNames(namesOf(grade), filters)) yield { grade }
    }
  } else {
    let page: readonly Chosen[] = []
    do {
      page = await grades.listStanding({ ...filters, limit: PAGE, ...defined({ before: page.at(-1)?.grade.id }) })
      yield* page
    } while (page.length === PAGE)
  }
}

/** Chooses the grade of an item, whatever replaced it since, with the names of the item: a grade of the cache has others. */
function chosenOf({ ids, batch: _, ...names }: RegradeRequest['query']) {
  const wanted = ids && new Set(ids)
  return ({ item: { item_id, request }, grade }: EndedItem): Chosen[] => {
    if (grade === null || wanted?.has(grade.id) === false) return []
    const named = { ...grade, metadata: request.metadata ?? grade.metadata }
    return fitsNames(namesOf(named), names) ? [{ item_id, grade: named }] : []
  }
}
