import type { GradeStore } from '../../db/grades.ts'
import type { ReviewStore } from '../../db/reviews.ts'
import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import type { Issue } from '../../domain/result.ts'
import type { Review } from '../../schemas/audit/review.ts'
import { RequestError } from '../../schemas/problem.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { questionOfReview, readReviews, standingReviews } from '../disagreements/standing-reviews.ts'
import { settleReviews } from './report-reviews.ts'
import type { ReportInput, TrialRow } from './report-rows.ts'
import { hasAlignment, type ReportRubric } from './report-rows.ts'
import {
  addBaselines,
  findTrials,
  type ReportFilter,
  type SelectedTrials,
  type TrialStores,
  type UnreviewedTrial,
} from './report-trials.ts'

type AuditStores = TrialStores & { readonly reviews: ReviewStore }

/** Loads the trials of a report as small rows: those that fit the filter, in one pass, then one pass over the reviews. */
export async function loadReport(
  stores: AuditStores,
  filter: ReportFilter,
  groupBy: string,
  rubricOf: (name: string | null) => ReportRubric,
): Promise<ReportInput> {
  const { selected, fields, judges, rubrics, baselines, notes } = await findTrials(stores, filter, groupBy)
  const several = [...oneOf('judge', groupBy === 'judge' ? [] : judges), ...oneOf('rubric', rubrics)]
  if (several.length > 0) throw new RequestError('several_graders', SEVERAL_GRADERS, { errors: several })
  const [name = null] = rubrics
  const rubric = rubricOf(name)
  if (hasAlignment(rubric.name) && needsBaselines(selected, filter))
    await addBaselines(stores.grades, filter, baselines)
  const reviewed = await addReviews(stores, selected, rubric)
  return {
    trials: await addInstructions(stores.grades, selected, reviewed.trials, rubric),
    baselines: [...baselines.values()],
    fields: [...fields].sort(),
    rubric,
    found: name,
    notes: [...notes, ...doubledTruths(selected), ...reviewed.notes],
  }
}

const SEVERAL_GRADERS = 'the selected trials were graded by several judges or rubrics, and would count several times'

/** Lists the names of several judges or rubrics, to choose from: a trial must count once. */
const oneOf = (name: string, names: Iterable<string>): Issue[] => {
  const sorted = [...names].sort()
  return sorted.length > 1 ? [{ path: `/${name}`, message: `is needed, one of: ${sorted.join(', ')}` }] : []
}

/** Tells whether Terminal-Bench runs must be read apart, because the first pass saw only trials that fit the filter. */
const needsBaselines = (selected: SelectedTrials['selected'], { judge, rubric, batch }: ReportFilter): boolean =>
  [judge, rubric, batch].some((one) => one !== undefined) &&
  selected.some(({ row }) => row.terminal_bench_resolved === null)

/** Adds the instructions of each trial, where a claim depends on them. Each ground truth is read once: tasks share few. */
async function addInstructions(
  grades: GradeStore,
  selected: readonly UnreviewedTrial[],
  rows: readonly TrialRow[],
  { claims }: ReportRubric,
): Promise<readonly TrialRow[]> {
  if (claims.every((claim) => claim.only_if_given === null)) return rows
  const instructions = new Map<string, readonly string[]>()
  for (const { question, given, grade_id } of selected) {
    const truth = truthOf(question)
    if (instructions.has(truth) || (given === null && grade_id === null)) continue
    instructions.set(truth, given ?? Object.keys((await grades.getGroundTruth(grade_id ?? '')) ?? {}))
  }
  return rows.map((row, index) => ({ ...row, given: instructions.get(truthOf(selected[index]?.question)) ?? [] }))
}

/** Returns the digest of the ground truth of a question. */
const truthOf = (question = ''): string => question.slice(question.indexOf('/') + 1)

async function addReviews(
  { reviews, grades }: AuditStores,
  selected: readonly UnreviewedTrial[],
  rubric: ReportRubric,
): Promise<{ trials: TrialRow[]; notes: string[] }> {
  const byQuestion = new Map<string, Review[]>(selected.map(({ question }) => [question, []]))
  for await (const review of readReviews(reviews, {})) byQuestion.get(questionOfReview(review))?.push(review)
  await dropOtherRubrics(grades, byQuestion, selected, rubric)
  let unsettled = 0
  const trials = selected.map(({ question, grade_id, row }): TrialRow => {
    const all = byQuestion.get(question) ?? []
    const review = settleReviews(standingReviews(all), rubric, grade_id, all)
    if (review === null && all.length > 0) unsettled++
    return { ...row, review }
  })
  const notes = notesOf({
    [`the reviews of ${count(unsettled, 'trial')} have no label that more than half of the raters share: they are not used`]:
      unsettled > 0,
  })
  return { trials, notes }
}

/** Grades looked up at once. */
const PAGE = 200

/** Removes reviews of grades by other rubrics: the same run may have been asked other questions. */
async function dropOtherRubrics(
  grades: GradeStore,
  byQuestion: Map<string, Review[]>,
  selected: readonly UnreviewedTrial[],
  rubric: ReportRubric,
): Promise<void> {
  const wanted = rubricIdOf(rubric.name)
  const rubrics = new Map(
    selected.flatMap(({ grade_id, rubric: name }) => (grade_id === null ? [] : [[grade_id, name]])),
  )
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

function doubledTruths(selected: readonly UnreviewedTrial[]): string[] {
  const truths = new Map<string, Set<string>>()
  for (const { question } of selected) {
    const [trajectory = '', truth = ''] = question.split('/')
    truths.set(trajectory, (truths.get(trajectory) ?? new Set()).add(truth))
  }
  const doubled = [...truths.values()].filter(({ size }) => size > 1).length
  return notesOf({
    [`${count(doubled, 'trajectory is', 'trajectories are')} stored with several ground truths: each counts as a trial`]:
      doubled > 0,
  })
}
