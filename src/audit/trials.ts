import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BatchStores, type EndedItem, endedPages, withGrades } from '../batches/follow.ts'
import { fitsNames, type GradeFilter, type GradeStore, questionOf, type StandingGrade } from '../db/grades.ts'
import type { ItemRecord } from '../db/items.ts'
import { normalizeGroundTruth } from '../domain/cache-key.ts'
import { digestValue } from '../domain/digest.ts'
import type { Grade } from '../schemas/grade.ts'
import type { Signals } from '../schemas/ground-truth.ts'
import { type FailureCode, type ItemStatus, type Label, TAB_BEHAVIOR } from '../schemas/vocabulary.ts'

/** A trial as one judge graded it: a standing grade, or the end of an item of a batch, regardless of later grades. */
export interface Trial {
  /** The digests of the trajectory and of the ground truth: `sha256:…/sha256:…`. */
  readonly question: string
  readonly judge: string
  /** `id@version`. */
  readonly rubric: string
  readonly status: ItemStatus
  readonly failure: FailureCode | null
  readonly label: Label | null
  readonly metadata: Grade['metadata']
  readonly signals: Signals
  /** The instructions in the ground truth, where they are known without the stored truth. */
  readonly given: readonly string[] | null
  readonly grade: Grade | null
}

/** Makes the trial of a standing grade. */
export const trialOfGrade = ({ grade, signals }: StandingGrade): Trial => ({
  question: questionOf(grade),
  judge: grade.receipt.judge,
  rubric: grade.receipt.rubric,
  status: grade.status,
  failure: grade.failure?.code ?? null,
  label: grade.label,
  metadata: grade.metadata,
  signals,
  given: null,
  grade,
})

/** Makes the trial of an ended item. Every item keeps the full names of its judge and rubric from its submission. */
const trialOfItem = ({ item, grade }: EndedItem): Trial => ({
  question: grade === null ? questionOfItem(item) : questionOf(grade),
  judge: grade?.receipt.judge ?? item.request.judge ?? '',
  rubric: grade?.receipt.rubric ?? item.request.rubric ?? TAB_BEHAVIOR,
  status: item.status,
  failure: item.failure?.code ?? null,
  label: item.label,
  metadata: item.request.metadata ?? {},
  signals: item.request.ground_truth.signals ?? {},
  given: Object.keys(item.request.ground_truth),
  grade,
})

/**
 * Returns the question of an item: its trajectory and the digest of its ground truth. `instructions`: those of its rubric, where the rubric
 * is loaded; a bare text counts as an instruction only by its name.
 */
export const questionOfItem = (
  { trajectory, request }: Pick<ItemRecord, 'trajectory' | 'request'>,
  instructions?: readonly string[],
): string => `${trajectory}/${digestValue(normalizeGroundTruth(request.ground_truth, instructions))}`

/** Reads the ended trials of a batch in order, a page of the store at a time. */
export async function* readBatchTrials({ batches, grades }: BatchStores, batch: string): AsyncGenerator<Trial> {
  for await (const page of endedPages(batches, batch)) {
    yield* (await withGrades(grades, page)).map(trialOfItem)
    await nextTurn()
  }
}

const PAGE = 200

/** Reads the standing grades that fit, newest first, a page of the store at a time. */
export async function* readStandingTrials(grades: GradeStore, filter: GradeFilter): AsyncGenerator<Trial> {
  let before: string | undefined
  for (;;) {
    const page = await grades.listStanding({ ...filter, limit: PAGE, ...(before !== undefined && { before }) })
    yield* page.map(trialOfGrade)
    before = page.at(-1)?.grade.id
    if (page.length < PAGE) return
    await nextTurn()
  }
}

/** Tells whether a trial fits every given name. The item's own names count, not those of an older grade that answered it. */
export function fitsTrial(trial: Trial, filter: Omit<GradeFilter, 'batch'>): boolean {
  const { label, status, judge, rubric, metadata } = trial
  const { agent, model, task } = metadata
  return fitsNames({ label, status, judge, rubric, agent, model, task }, filter)
}
