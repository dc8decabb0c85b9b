import type { BatchStores } from '../../batches/ended-items.ts'
import { isOwnBatch } from '../../ports/batch-ports.ts'
import { fitsNames, namesOf } from '../../ports/fits-names.ts'
import { type GradeFilter, type GradeStore, questionOf } from '../../ports/grade-ports.ts'
import type { GradeSelection } from '../../schemas/regrade.ts'
import { readBatchQuestions } from '../comparison/batch-questions.ts'
import { nextTurn } from './next-turn.ts'
import { type QuestionRow, readChosen, readStandingQuestions, subjectOf } from './standing-opinions.ts'

const TURN = 200

export type QuestionStores = BatchStores & { readonly grades: GradeStore }

/**
 * The questions of what fits every filter, by subject, each with everything that judges said of it by that rubric, whether it fits or not: a judge’s disagreements are
 * with others. Of a batch its own trials are chosen from and shown, else standing grades. Memory grows with the rows alone.
 *
 * @param among of these questions alone.
 */
export function readQuestions(
  stores: QuestionStores,
  filter: GradeFilter,
  among?: ReadonlySet<string>,
): Promise<Map<string, QuestionRow>> {
  const { batch } = filter
  return isOwnBatch(batch)
    ? readBatchQuestions(stores, { ...filter, batch }, among)
    : readStandingQuestions(stores.grades, filter, among)
}

/** The questions of the stored grades that fit, with everything that judges said of them. Absent: all questions. */
export async function readSelected(
  stores: QuestionStores,
  selection: GradeSelection = {},
): Promise<Map<string, QuestionRow>> {
  const { ids, ...filter } = selection
  if (ids === undefined) return readQuestions(stores, filter)
  const { batch, ...own } = filter
  const chosen = await chooseByIds(stores.grades, ids, own)
  return batch === undefined ? readChosen(stores.grades, chosen) : readQuestions(stores, { batch }, chosen)
}

/** An id may be of a grade that stands no more; its question is meant all the same. */
async function chooseByIds(grades: GradeStore, ids: readonly string[], filter: GradeFilter): Promise<Set<string>> {
  const chosen = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const grade = await grades.get(id)
    if (grade !== null && fitsNames(namesOf(grade), filter))
      chosen.add(subjectOf(questionOf(grade), grade.receipt.rubric))
    if (index % TURN === TURN - 1) await nextTurn()
  }
  return chosen
}
