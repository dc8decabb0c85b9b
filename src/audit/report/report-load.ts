import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { GradeStore, ReviewStore } from '../../ports/grade-ports.ts'
import type { Review } from '../../schemas/audit/review.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { questionOfReview, readReviews, standingReviews } from '../disagreements/standing-opinions.ts'
import { settleReviews } from './report-reviews.ts'
import type { ReportInput, TrialRow } from './report-rows.ts'
import { hasAlignment, type ReportRubric } from './report-rows.ts'
import {
  addBaselines,
  type Found,
  findTrials,
  type Held,
  type ReportFilter,
  type TrialStores,
} from './report-trials.ts'

/** Several judges or rubrics where a report allows one: a trial would count once per grade. */
export interface SeveralGraders {
  readonly judges: readonly string[]
  readonly rubrics: readonly string[]
}

type AuditStores = TrialStores & { readonly reviews: ReviewStore }

/** Loads the trials of a report as small rows: those that fit the filter, in one pass, then one pass over the reviews. */
export async function loadReport(
  stores: AuditStores,
  filter: ReportFilter,
  groupBy: string,
  rubricOf: (name: string | null) => ReportRubric,
): Promise<Result<ReportInput, SeveralGraders>> {
  const { held, fields, judges, rubrics, baselines, notes } = await findTrials(stores, filter, groupBy)
  if (rubrics.size > 1 || (judges.size > 1 && groupBy !== 'judge'))
    return err({ judges: [...judges].sort(), rubrics: [...rubrics].sort() })
  const [found = null] = rubrics
  const rubric = rubricOf(found)
  if (hasAlignment(rubric.name) && needsBaselines(held, filter)) await addBaselines(stores.grades, filter, baselines)
  const reviewed = await addReviews(stores, held, rubric)
  return ok({
    trials: await addGiven(stores.grades, held, reviewed.trials, rubric),
    baselines: [...baselines.values()],
    fields: [...fields].sort(),
    rubric,
    found,
    notes: [...notes, ...doubledTruths(held), ...reviewed.notes],
  })
}

/** Tells whether Terminal-Bench runs must be read apart, because the first pass saw only trials that fit the filter. */
const needsBaselines = (held: Found['held'], { judge, rubric, batch }: ReportFilter): boolean =>
  [judge, rubric, batch].some((one) => one !== undefined) &&
  held.some(({ row }) => row.terminal_bench_resolved === null)

/** Adds the instructions of each trial, where a claim depends on them. Each ground truth is read once: tasks share few. */
async function addGiven(
  grades: GradeStore,
  held: readonly Held[],
  rows: readonly TrialRow[],
  { claims }: ReportRubric,
): Promise<readonly TrialRow[]> {
  if (claims.every((claim) => claim.only_if_given === null)) return rows
  const known = new Map<string, readonly string[]>()
  for (const { truth, given, grade_id } of held) {
    if (known.has(truth) || (given === null && grade_id === null)) continue
    known.set(truth, given ?? Object.keys((await grades.getGroundTruth(grade_id ?? '')) ?? {}))
  }
  return rows.map((row, index) => ({ ...row, given: known.get(held[index]?.truth ?? '') ?? [] }))
}

async function addReviews(
  { reviews, grades }: AuditStores,
  held: readonly Held[],
  rubric: ReportRubric,
): Promise<{ trials: TrialRow[]; notes: string[] }> {
  const byQuestion = new Map<string, Review[]>(held.map(({ question }) => [question, []]))
  for await (const review of readReviews(reviews, {})) byQuestion.get(questionOfReview(review))?.push(review)
  await dropOtherRubrics(grades, byQuestion, held, rubric)
  let unsettled = 0
  const trials = held.map(({ question, grade_id, row }): TrialRow => {
    const all = byQuestion.get(question) ?? []
    const review = settleReviews(standingReviews(all), rubric, grade_id, all)
    if (review === null && all.length > 0) unsettled++
    return { ...row, review }
  })
  const notes = notesOf([
    [
      unsettled > 0,
      `the reviews of ${count(unsettled, 'trial')} have no label that more than half of the raters share: they are not used`,
    ],
  ])
  return { trials, notes }
}

/** Grades looked up at once. */
const PAGE = 200

/** Removes reviews of grades by other rubrics: the same run may have been asked other questions. */
async function dropOtherRubrics(
  grades: GradeStore,
  byQuestion: Map<string, Review[]>,
  held: readonly Held[],
  rubric: ReportRubric,
): Promise<void> {
  const wanted = rubricIdOf(rubric.name)
  const rubrics = new Map(held.flatMap(({ grade_id, rubric: name }) => (grade_id === null ? [] : [[grade_id, name]])))
  const others = [...byQuestion.values()].flat().flatMap(({ grade_id }) => (rubrics.has(grade_id) ? [] : [grade_id]))
  const unknown = [...new Set(others)]
  for (let at = 0; at < unknown.length; at += PAGE)
    for (const { id, receipt } of await grades.getMany(unknown.slice(at, at + PAGE))) rubrics.set(id, receipt.rubric)
  for (const [question, reviews] of byQuestion)
    byQuestion.set(
      question,
      reviews.filter(({ grade_id }) => rubricIdOf(rubrics.get(grade_id) ?? '') === wanted),
    )
}

function doubledTruths(held: readonly Held[]): string[] {
  const truths = new Map<string, Set<string>>()
  for (const { question } of held) {
    const [trajectory = '', truth = ''] = question.split('/')
    truths.set(trajectory, (truths.get(trajectory) ?? new Set()).add(truth))
  }
  const doubled = [...truths.values()].filter(({ size }) => size > 1).length
  return notesOf([
    [
      doubled > 0,
      `${count(doubled, 'trajectory is', 'trajectories are')} stored with several ground truths: each counts as a trial`,
    ],
  ])
}
