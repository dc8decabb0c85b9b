import type { Payer } from '../db/attempts.ts'
import { fitsNames, type GradeQuery, isOwnBatch, namesOf } from '../db/grades.ts'
import type { Stores } from '../db/stores.ts'
import type { Grade } from '../schemas/grade.ts'
import { faultAt } from '../schemas/problem.ts'
import type { GradeSelection, RegradeRequest } from '../schemas/regrade.ts'
import { endedPages, withGrades } from './follow.ts'
import type { BatchPlan, IntakeItem } from './intake.ts'

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
  const kind = request.recheck === true ? 'recheck' : 'regrade'
  const source = isOwnBatch(request.query.batch) ? await batches.get(request.query.batch) : null
  return {
    kind,
    mode: request.mode ?? 'direct',
    name: request.name ?? (source && `${kind} of ${source.name ?? source.id}`.slice(0, LONGEST_NAME).toWellFormed()),
    key: request.key ?? null,
    max_cost_usd: request.max_cost_usd ?? null,
    payer,
    defaults: {},
  }
}

function assertSense({ judge, rubric, samples, cache, recheck, mode, max_cost_usd }: RegradeRequest): void {
  const changes = judge !== undefined || rubric !== undefined || samples !== undefined || cache === 'refresh'
  const asks = (judge ?? rubric ?? samples ?? cache ?? mode ?? max_cost_usd) !== undefined
  if (recheck === true ? !asks : changes) return
  const message =
    recheck === true
      ? 'asks no judge: leave out judge, rubric, samples, cache, mode and max_cost_usd'
      : 'would change nothing: give a judge, a rubric, samples, "cache": "refresh" or "recheck": true'
  throw faultAt(recheck === true ? '/recheck' : '', message, 'invalid_request', 'this re-grade makes no sense')
}

/**
 * The stored grades that fit and that stand for their questions, as items to be graded again: what was superseded, and a failed retry
 * of a good grade, is not. The old grades are only read.
 */
export async function* selectGrades(stores: RegradeStores, request: RegradeRequest): AsyncGenerator<IntakeItem> {
  const seen = new Set<string>()
  let index = 0
  for await (const grade of findGrades(stores, request.query)) {
    const { key, trajectory, judge, rubric } = grade.receipt
    if (seen.has(key) || (request.recheck === true && grade.status === 'failed')) continue
    seen.add(key)
    const ground_truth = await stores.grades.getGroundTruth(grade.id)
    if (ground_truth === null) throw new Error(`the ground truth of ${grade.id} is not stored`)
    const item = {
      item_id: grade.id,
      trajectory: { id: trajectory },
      ground_truth,
      judge: request.judge ?? judge,
      rubric: request.rubric ?? rubric,
      samples: request.samples ?? Math.max(1, grade.votes.length),
      ...(request.cache !== undefined && { cache: request.cache }),
      metadata: grade.metadata,
    }
    yield { item, place: `/items/${index++}`, base_grade: grade.id }
  }
}

async function* findGrades(stores: RegradeStores, { ids, ...filters }: GradeSelection): AsyncGenerator<Grade> {
  const { batch, ...rest } = filters
  if (isOwnBatch(batch)) {
    const wanted = ids && new Set(ids)
    for await (const grade of gradesOf(batch, stores))
      if (fitsNames(namesOf(grade), rest) && wanted?.has(grade.id) !== false) yield grade
  } else if (ids === undefined) {
    yield* standingGrades(stores, { ...filters, limit: PAGE })
  } else {
    for (const id of ids) {
      const grade = await stores.grades.get(id)
      if (grade !== null && fitsNames(namesOf(grade), filters)) yield grade
    }
  }
}

/** Yields the grades of a batch, whatever replaced them since, in its order, with the names of its items: a grade of the cache has others. */
async function* gradesOf(batch: string, { batches, grades }: RegradeStores): AsyncGenerator<Grade> {
  for await (const page of endedPages(batches, batch))
    for (const { item, grade } of await withGrades(grades, page))
      if (grade !== null) yield { ...grade, metadata: item.request.metadata ?? grade.metadata }
}

async function* standingGrades({ grades }: RegradeStores, first: GradeQuery): AsyncGenerator<Grade> {
  for (let query: GradeQuery | null = first; query !== null; ) {
    const page: readonly Grade[] = (await grades.listStanding(query)).map(({ grade }) => grade)
    yield* page
    const before = page.at(-1)?.id
    query = before === undefined || page.length < PAGE ? null : { ...query, before }
  }
}
