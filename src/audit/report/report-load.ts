import { count } from '../../domain/count.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ReviewStore } from '../../ports/grade-ports.ts'
import type { Review } from '../../schemas/audit/review.ts'
import { questionOfReview, readReviews, standingReviews } from '../disagreements/standing-reviews.ts'
import { settleReviews } from './report-reviews.ts'
import type { ReportInput, TrialRow } from './report-rows.ts'
import {
  addBaselines,
  type Found,
  findTrials,
  type Held,
  type ReportFilter,
  type TrialStores,
} from './report-trials.ts'

/** More than one of what must be one: a trial would be counted as often as it was graded. */
export interface SeveralGraders {
  readonly judges: readonly string[]
  readonly rubrics: readonly string[]
}

type AuditStores = TrialStores & { readonly reviews: ReviewStore }

/** The trials of a report: small rows of those that fit the filter, in one pass and then one over the reviews. */
export async function loadReport(
  stores: AuditStores,
  filter: ReportFilter,
  by: { readonly judge: boolean },
): Promise<Result<ReportInput, SeveralGraders>> {
  const { held, judges, rubrics, baselines, notes } = await findTrials(stores, filter)
  if (rubrics.size > 1 || (judges.size > 1 && !by.judge))
    return err({ judges: [...judges].sort(), rubrics: [...rubrics].sort() })
  if (needsBaselines(held, filter)) await addBaselines(stores.grades, filter, baselines)
  const reviewed = await addReviews(stores.reviews, held)
  const [rubric = null] = rubrics
  return ok({
    trials: reviewed.trials,
    baselines: [...baselines.values()],
    rubric,
    notes: [...notes, ...doubledTruths(held), ...reviewed.notes],
  })
}

/** The first pass has seen only what fits the filter. */
const needsBaselines = (held: Found['held'], { judge, rubric, batch }: ReportFilter): boolean =>
  [judge, rubric, batch].some((one) => one !== undefined) &&
  held.some(({ row }) => row.terminal_bench_resolved === null)

async function addReviews(store: ReviewStore, held: readonly Held[]) {
  const byQuestion = new Map<string, Review[]>(held.map(({ question }) => [question, []]))
  for await (const review of readReviews(store, {})) byQuestion.get(questionOfReview(review))?.push(review)
  let unsettled = 0
  const trials = held.map(({ question, grade_id, row }): TrialRow => {
    const all = byQuestion.get(question) ?? []
    const settled = settleReviews(standingReviews(all), grade_id, all)
    if (settled.review === null && settled.reason === 'unsettled') unsettled++
    return { ...row, review: settled.review }
  })
  const notes =
    unsettled > 0
      ? [
          `the reviews of ${count(unsettled, 'trial')} have no label that more than half of the raters share: they are not used`,
        ]
      : []
  return { trials, notes }
}

function doubledTruths(held: readonly Held[]): string[] {
  const truths = new Map<string, Set<string>>()
  for (const { question } of held) {
    const [trajectory = '', truth = ''] = question.split('/')
    truths.set(trajectory, (truths.get(trajectory) ?? new Set()).add(truth))
  }
  const doubled = [...truths.values()].filter(({ size }) => size > 1).length
  return doubled > 0
    ? [
        `${count(doubled, 'trajectory is', 'trajectories are')} stored with several ground truths: each counts as a trial`,
      ]
    : []
}
