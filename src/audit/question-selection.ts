import { type GradeStore, questionOf } from '../grading/grade-ports.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeSelection } from '../schemas/regrade.ts'
import { nextTurn } from './next-turn.ts'
import { chooseQuestions, type QuestionRow, readChosen, readQuestions } from './standing-opinions.ts'

const TURN = 200

/** The questions of the stored grades that fit, with everything that judges said of them. Absent: all questions. */
export async function readSelected(
  grades: GradeStore,
  selection: GradeSelection | undefined,
): Promise<Map<string, QuestionRow>> {
  const { ids, ...filter } = selection ?? {}
  if (ids === undefined) return readQuestions(grades, filter)
  return readChosen(grades, await chooseByIds(grades, ids, filter))
}

/** An id may be of a grade that stands no more; its question is meant all the same. */
async function chooseByIds(
  grades: GradeStore,
  ids: readonly string[],
  { batch, ...filter }: Omit<GradeSelection, 'ids'>,
): Promise<Set<string>> {
  const inBatch = batch === undefined ? null : await chooseQuestions(grades, { batch })
  const chosen = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const grade = await grades.get(id)
    if (grade !== null && fits(grade, filter) && inBatch?.has(questionOf(grade)) !== false)
      chosen.add(questionOf(grade))
    if (index % TURN === TURN - 1) await nextTurn()
  }
  return chosen
}

function fits(grade: Grade, filter: Omit<GradeSelection, 'ids' | 'batch'>): boolean {
  const { agent, model, task } = grade.metadata
  const { judge, rubric } = grade.receipt
  const own = { label: grade.label, status: grade.status, judge, rubric, agent, model, task }
  return (Object.keys(filter) as (keyof typeof own)[]).every((name) => filter[name] === own[name])
}
