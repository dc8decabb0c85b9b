import type { Payer } from '../db/attempts.ts'
import type { BatchStore } from '../db/batches.ts'
import { fitsNames, type GradeFilter, type GradeQuery, type GradeStore, isOwnBatch, namesOf } from '../db/grades.ts'
import type { BatchItem } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeSelection, RegradeRequest } from '../schemas/regrade.ts'
import { endedPages, withGrades } from './follow.ts'
import type { BatchPlan, IntakeItem } from './intake.ts'

const PAGE = 200
const LONGEST_NAME = 300

/** Plans the batch of a re-grade, which takes its name from the batch that it grades again. */
export async function planRegrade(
  batches: Pick<BatchStore, 'get'>,
  request: RegradeRequest,
  payer: Payer | null,
): Promise<BatchPlan> {
  const kind = request.recheck === true ? 'recheck' : 'regrade'
  const source = isOwnBatch(request.query.batch) ? await batches.get(request.query.batch) : null
  return {
    kind,
    mode: request.mode ?? 'direct',
    name: request.name ?? (source && `${kind} of ${source.name ?? source.id}`.slice(0, LONGEST_NAME).toWellFormed()),
    key: request.key ?? null,
    max_cost_usd: request.max_cost_usd ?? null,
    payer,
  }
}

/** Why a re-grade makes no sense; null: it does. */
export function findRegradeFault(request: RegradeRequest): { path: string; message: string } | null {
  const { judge, rubric, samples, cache, recheck, mode, max_cost_usd } = request
  const changes = judge !== undefined || rubric !== undefined || samples !== undefined || cache === 'refresh'
  if (recheck === true) {
    const given = judge ?? rubric ?? samples ?? cache ?? mode ?? max_cost_usd
    if (given === undefined) return null
    return {
      path: '/recheck',
      message: 'asks no judge: leave out judge, rubric, samples, cache, mode and max_cost_usd',
    }
  }
  if (changes) return null
  return {
    path: '',
    message: 'would change nothing: give a judge, a rubric, samples, "cache": "refresh" or "recheck": true',
  }
}

/**
 * The stored grades that fit and that stand for their questions, as items to be graded again: what was superseded, and a failed retry
 * of a good grade, is not. The old grades are only read.
 */
export async function* selectGrades(
  stores: { readonly batches: BatchStore; readonly grades: GradeStore },
  request: RegradeRequest,
): AsyncGenerator<IntakeItem> {
  const { grades } = stores
  const seen = new Set<string>()
  let index = 0
  for await (const grade of findGrades(stores, request.query)) {
    const { key } = grade.receipt
    if (seen.has(key)) continue
    if (request.recheck === true && grade.status === 'failed') continue
    seen.add(key)
    const truth = await grades.getGroundTruth(grade.id)
    if (truth === null) throw new Error(`the ground truth of ${grade.id} is not stored`)
    yield { item: itemOf(grade, truth, request), place: `/items/${index++}`, base_grade: grade.id }
  }
}

const itemOf = (grade: Grade, ground_truth: BatchItem['ground_truth'], request: RegradeRequest): BatchItem => ({
  item_id: grade.id,
  trajectory: { id: grade.receipt.trajectory },
  ground_truth,
  judge: request.judge ?? grade.receipt.judge,
  rubric: request.rubric ?? grade.receipt.rubric,
  samples: request.samples ?? Math.max(1, grade.votes.length),
  ...(request.cache !== undefined && { cache: request.cache }),
  metadata: grade.metadata,
})

async function* findGrades(
  { batches, grades }: { readonly batches: BatchStore; readonly grades: GradeStore },
  { ids, ...filters }: GradeSelection,
): AsyncGenerator<Grade> {
  const { batch, ...rest } = filters
  const wanted = ids && new Set(ids)
  if (isOwnBatch(batch)) {
    for await (const grade of gradesOf(batch, batches, grades))
      if (fitsNames(namesOf(grade), rest) && wanted?.has(grade.id) !== false) yield grade
  } else if (ids === undefined) {
    yield* listStanding(grades, filters)
  } else {
    for (const id of ids) {
      const grade = await grades.get(id)
      if (grade !== null && fitsNames(namesOf(grade), filters)) yield grade
    }
  }
}

/** A batch's own grades, whatever replaced them since, in its order; with the names of its items: one that answered a cache hit has others. */
async function* gradesOf(batch: string, batches: BatchStore, grades: GradeStore): AsyncGenerator<Grade> {
  for await (const page of endedPages(batches, batch))
    for (const { item, grade } of await withGrades(grades, page))
      if (grade !== null) yield { ...grade, metadata: item.request.metadata ?? grade.metadata }
}

async function* listStanding(grades: GradeStore, filters: GradeFilter): AsyncGenerator<Grade> {
  let before: string | undefined
  for (;;) {
    const query: GradeQuery = { ...filters, limit: PAGE, ...(before !== undefined && { before }) }
    const page = (await grades.listStanding(query)).map(({ grade }) => grade)
    yield* page
    before = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}
