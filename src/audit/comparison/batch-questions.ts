import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BatchStores, type EndedItem, endedPages, withGrades } from '../../batches/follow.ts'
import { fitsNames, type GradeFilter, type GradeStore, questionOf } from '../../db/grades.ts'
import type { ItemRecord } from '../../db/items.ts'
import { normalizeGroundTruth } from '../../domain/cache-key.ts'
import { digestValue } from '../../domain/digest.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { nameOf } from '../disagreements/clashes.ts'
import { newestFirst, type QuestionRow, rowFor, subjectOf, toRow } from '../disagreements/standing-opinions.ts'

/** A trial of a batch with its end in that batch, regardless of later grades. */
export interface BatchTrial extends EndedItem {
  readonly question: string
  readonly judge: string
  readonly rubric: string
}

/** Reads the ended trials of a batch in order, a page of the store at a time. */
export async function* readBatchTrials({ batches, grades }: BatchStores, batch: string): AsyncGenerator<BatchTrial> {
  for await (const page of endedPages(batches, batch)) {
    for (const ended of await withGrades(grades, page)) yield toTrial(ended)
    await nextTurn()
  }
}

/** Makes a trial of an item. Every item keeps the full names of its judge and rubric from its submission. */
const toTrial = ({ item, grade }: EndedItem): BatchTrial => ({
  item,
  grade,
  question: grade === null ? questionOfItem(item) : questionOf(grade),
  judge: grade?.receipt.judge ?? item.request.judge ?? '',
  rubric: grade?.receipt.rubric ?? item.request.rubric ?? '',
})

/**
 * Returns the question of an item: its trajectory and the digest of its ground truth. `instructions`: those of its rubric, where the rubric
 * is loaded; a bare text counts as an instruction only by its name.
 */
export const questionOfItem = (
  { trajectory, request }: Pick<ItemRecord, 'trajectory' | 'request'>,
  instructions?: readonly string[],
): string => `${trajectory}/${digestValue(normalizeGroundTruth(request.ground_truth, instructions))}`

/** Tells whether a trial fits every given name. The item's own names count, not those of an older grade that answered it. */
export function fitsTrial({ item, judge, rubric }: BatchTrial, filter: Omit<GradeFilter, 'batch'>): boolean {
  const { agent, model, task } = item.request.metadata ?? {}
  return fitsNames({ label: item.label, status: item.status, judge, rubric, agent, model, task }, filter)
}

const TURN = 200

/**
 * Reads the questions of a batch with a trial that fits, each with its judges' answers in that batch, regardless of later ones; beside them
 * the standing answers of judges and rubrics that the batch did not use.
 *
 * @param among limits the result to these questions.
 */
export async function readBatchQuestions(
  stores: BatchStores & { readonly grades: GradeStore },
  { batch, ...filter }: GradeFilter & { readonly batch: string },
  among?: ReadonlySet<string>,
): Promise<Map<string, QuestionRow>> {
  const questions = new Map<string, QuestionRow>()
  const chosen = new Set<string>()
  for await (const trial of readBatchTrials(stores, batch)) {
    const subject = subjectOf(trial.question, trial.rubric)
    if (among?.has(subject) === false) continue
    addTrial(questions, subject, trial)
    if (fitsTrial(trial, filter)) chosen.add(subject)
  }
  let turn = 0
  for (const [subject, row] of questions) {
    if (!chosen.has(subject)) questions.delete(subject)
    else await addOthers(stores.grades, row)
    if (++turn % TURN === 0) await nextTurn()
  }
  return questions
}

function addTrial(
  questions: Map<string, QuestionRow>,
  subject: string,
  { item, grade, judge, rubric }: BatchTrial,
): void {
  const { metadata = {}, ground_truth } = item.request
  const row = rowFor(questions, subject, metadata, ground_truth.signals ?? {})
  if (grade !== null) row.opinions.push(toRow(grade))
  else if (item.status === 'failed' || item.status === 'cancelled')
    row.ungraded.push({ judge, rubric, status: item.status })
}

async function addOthers(
  grades: GradeStore,
  { question, rubric, opinions, ungraded, others }: QuestionRow,
): Promise<void> {
  const asked = new Set([...opinions, ...ungraded].map(nameOf))
  opinions.sort(newestFirst)
  for (const { grade } of await grades.listForQuestion(question))
    if (rubricIdOf(grade.receipt.rubric) === rubric && !asked.has(nameOf(grade.receipt))) others.push(toRow(grade))
}
