import { normalizeGroundTruth } from '../domain/cache-key.ts'
import { digestValue } from '../domain/digest.ts'
import type { BatchStore, ItemRecord } from '../grading/batch-ports.ts'
import { type GradeStore, questionOf } from '../grading/grade-ports.ts'
import type { Grade } from '../schemas/grade.ts'
import { nextTurn } from './next-turn.ts'
import type { TrialFilter } from './standing-opinions.ts'

const PAGE = 200

export interface BatchStores {
  readonly batches: Pick<BatchStore, 'get' | 'results'>
  readonly grades: Pick<GradeStore, 'getMany'>
}

/** A trial of a batch as it ended there, whatever was graded since. */
export interface BatchTrial {
  readonly item: ItemRecord
  /** What was made for it, or answered it from the cache; null where nothing was graded. */
  readonly grade: Grade | null
  readonly question: string
  readonly judge: string
  readonly rubric: string
}

/** The trials of a batch that have ended, in order, a page of the store at a time. */
export async function* readBatchTrials({ batches, grades }: BatchStores, batch: string): AsyncGenerator<BatchTrial> {
  let after = -1
  for (;;) {
    const page = await batches.results(batch, after, PAGE)
    const ids = new Set(page.flatMap(({ grade_id }) => grade_id ?? []))
    const byId = new Map((await grades.getMany([...ids])).map((grade) => [grade.id, grade]))
    for (const item of page) yield toTrial(item, byId.get(item.grade_id ?? '') ?? null)
    after = page.at(-1)?.index ?? after
    if (page.length < PAGE) return
    await nextTurn()
  }
}

/** Judge and rubric stand in every item by their full names since it was taken in. */
const toTrial = (item: ItemRecord, grade: Grade | null): BatchTrial => ({
  item,
  grade,
  question: grade === null ? questionOfItem(item) : questionOf(grade),
  judge: grade?.receipt.judge ?? item.request.judge ?? '',
  rubric: grade?.receipt.rubric ?? item.request.rubric ?? '',
})

export const questionOfItem = ({ trajectory, request }: Pick<ItemRecord, 'trajectory' | 'request'>): string =>
  `${trajectory}/${digestValue(normalizeGroundTruth(request.ground_truth))}`

/** Whether the trial is of every given name; what it is called is said by its item, not by an older grade that answered it. */
export function fitsTrial({ item, judge, rubric }: BatchTrial, filter: Omit<TrialFilter, 'batch'>): boolean {
  const { agent, model, task } = item.request.metadata ?? {}
  const own = { label: item.label, status: item.status, judge, rubric, agent, model, task }
  return (Object.keys(own) as (keyof typeof own)[]).every(
    (name) => filter[name] === undefined || filter[name] === own[name],
  )
}
