import { fitsNames, isOwnBatch, namesOf } from '../db/grades.ts'
import type { Payer } from '../db/ledger.ts'
import type { Stores } from '../db/stores.ts'
import { defined } from '../domain/result.ts'
import type { Grade } from '../schemas/grade.ts'
import { faultAt } from '../schemas/problem.ts'
import type { RegradeRequest } from '../schemas/regrade.ts'
import { type EndedItem, endedPages, withGrades } from './follow.ts'
import { type BatchPlan, type IntakeItem, planOf } from './intake.ts'

const PAGE = 200
const LONGEST_NAME = 300

type RegradeStores = Pick<Stores, 'batches' | 'grades'>

/** Plans the batch of a re-grade, which takes its name from the batch that it grades again. Throws a RequestError where it makes no sense. */
export async function planRegrade(
  { batches }: RegradeStores,
  request: RegradeRequest,
  payer: Payer | null,
): Promise<BatchPlan> {
  assertSense(request)
  const { query, mode, key, max_cost_usd } = request
  const kind = request.recheck === true ? 'recheck' : 'regrade'
  const source = isOwnBatch(query.batch) ? await batches.get(query.batch) : null
  const own = source && `${kind} of ${source.name ?? source.id}`.slice(0, LONGEST_NAME).toWellFormed()
  return { ...planOf(defined({ mode, key, max_cost_usd }), payer), kind, name: request.name ?? own }
}

function assertSense({ judge, rubric, samples, cache, recheck, mode, max_cost_usd }: RegradeRequest): void {
  const changes = judge !== undefined || rubric !== undefined || samples !== undefined || cache === 'refresh'
  const asks = (judge ?? rubric ?? samples ?? cache ?? mode ?? max_cost_usd) !== undefined
  if (recheck === true ? !asks : changes) return
  const message =
    recheck === true
      ? 'asks no judge: leave out `judge`, `rubric`, `samples`, `cache`, `mode` and `max_cost_usd`'
      : 'would change nothing: give `judge`, `rubric`, `samples`, `recheck`, or `cache` with refresh'
  throw faultAt(recheck === true ? '/recheck' : '', message, 'invalid_request', 'this re-grade makes no sense')
}

/**
 * The stored grades that fit and that stand for their questions, as items to be graded again: what was superseded, and a failed retry
 * of a good grade, is not. The old grades are only read.
 */
export async function* selectGrades(stores: RegradeStores, request: RegradeRequest): AsyncGenerator<IntakeItem> {
  const seen = new Set<string>()
  for await (const { grade, item_id = grade.id } of findGrades(stores, request.query)) {
    const { key, trajectory, judge, rubric } = grade.receipt
    if (seen.has(key) || (request.recheck === true && grade.status === 'failed')) continue
    seen.add(key)
    const ground_truth = await stores.grades.getGroundTruth(grade.id)
    if (ground_truth === null) throw new Error(`the ground truth of ${grade.id} is not stored`)
    const item = {
      item_id,
      trajectory: { id: trajectory },
      ground_truth,
      judge: request.judge ?? judge,
      rubric: request.rubric ?? rubric,
      samples: request.samples ?? Math.max(1, grade.votes.length),
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
