import { type BatchStores, type EndedItem, endedPages, withGrades } from '../../batches/ended-items.ts'
import { normalizeGroundTruth } from '../../domain/cache-key.ts'
import { digestValue } from '../../domain/digest.ts'
import type { ItemRecord } from '../../ports/batch-ports.ts'
import { fitsNames } from '../../ports/fits-names.ts'
import { type GradeFilter, questionOf } from '../../ports/grade-ports.ts'
import { nextTurn } from '../disagreements/next-turn.ts'

/** A trial of a batch as it ended there, whatever was graded since. */
export interface BatchTrial extends EndedItem {
  readonly question: string
  readonly judge: string
  readonly rubric: string
}

/** The trials of a batch that have ended, in order, a page of the store at a time. */
export async function* readBatchTrials({ batches, grades }: BatchStores, batch: string): AsyncGenerator<BatchTrial> {
  for await (const page of endedPages(batches, batch)) {
    for (const ended of await withGrades(grades, page)) yield toTrial(ended)
    await nextTurn()
  }
}

/** Judge and rubric stand in every item by their full names since it was taken in. */
const toTrial = ({ item, grade }: EndedItem): BatchTrial => ({
  item,
  grade,
  question: grade === null ? questionOfItem(item) : questionOf(grade),
  judge: grade?.receipt.judge ?? item.request.judge ?? '',
  rubric: grade?.receipt.rubric ?? item.request.rubric ?? '',
})

/** `instructions`: those of its rubric, where that is loaded; a text alone is taken for one only by its name. */
export const questionOfItem = (
  { trajectory, request }: Pick<ItemRecord, 'trajectory' | 'request'>,
  instructions?: readonly string[],
): string => `${trajectory}/${digestValue(normalizeGroundTruth(request.ground_truth, instructions))}`

/** Whether the trial is of every given name; what it is called is said by its item, not by an older grade that answered it. */
export function fitsTrial({ item, judge, rubric }: BatchTrial, filter: Omit<GradeFilter, 'batch'>): boolean {
  const { agent, model, task } = item.request.metadata ?? {}
  return fitsNames({ label: item.label, status: item.status, judge, rubric, agent, model, task }, filter)
}
