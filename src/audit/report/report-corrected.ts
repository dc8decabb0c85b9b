import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import { chooseEstimator, correctedShares, type ReviewedPair } from '../../domain/statistics/shares/corrected-shares.ts'
import type { Corrected } from '../../schemas/audit/report.ts'
import { SAMPLING_DESIGNS, type SamplingDesign } from '../../schemas/audit/review.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import type { TrialReview, TrialRow } from './report-rows.ts'

interface CorrectionOptions {
  clusterOf(trial: TrialRow): string | null
}

/** A trial with a label from the judge and one from humans. */
export interface Reviewed {
  readonly trial: TrialRow
  readonly judge: Label
  readonly review: TrialReview
}

/** Lists the reviewed trials in which the judge gives a category; without `judged` its label. */
export const reviewedOf = (trials: readonly TrialRow[], judged: Shares['judged'] = ({ label }) => label): Reviewed[] =>
  trials.flatMap((trial) => {
    const judge = judged(trial)
    return judge !== null && trial.review !== null ? [{ trial, judge, review: trial.review }] : []
  })

/** The categories whose shares are corrected: the labels, or the values of one claim. */
interface Shares {
  readonly labels: readonly string[]
  /** Returns the judge's category; null where the judge gives none. */
  judged(trial: TrialRow): string | null
  /** Returns the humans' category; null where the review lacks it. */
  reviewed(review: TrialReview): string | null
}

/** Corrects the judge's shares by the reviews of one design. */
export function correctShares(trials: readonly TrialRow[], shares: Shares, options: CorrectionOptions): Corrected {
  const { labels, judged } = shares
  const both = reviewedOf(trials, judged)
  const lost = trials.filter((trial) => trial.review !== null).length - both.length
  const silent = both.filter(({ review }) => shares.reviewed(review) === null).length
  const reviewed = silent > 0 ? [] : both
  const design = mainDesign(reviewed)
  const used = reviewed.flatMap(({ trial, judge, review }) => {
    const sampling = review.samplings.find((sampling) => sampling.design === design)
    if (sampling === undefined) return []
    const human = shares.reviewed(review) ?? ''
    return [{ human, judge, weight: weightOf(sampling), cluster: options.clusterOf(trial) } satisfies ReviewedPair]
  })
  const corrected = correctedShares({
    labels,
    graded: trials.flatMap((trial) => {
      const judge = judged(trial)
      return judge === null ? [] : [{ judge, count: 1, cluster: options.clusterOf(trial) }]
    }),
    reviews: used,
    sampling: design ?? 'random',
  })
  const { estimator, reason, reviews_to_halve, warnings } = corrected
  return {
    estimator,
    reason: silent > 0 ? `${count(silent, 'review says', 'reviews say')} nothing of it` : reason,
    design,
    n_reviews: used.length,
    reviews_to_halve,
    shares: corrected.shares,
    warnings: [...warnings, ...designWarnings(reviewed, used.length, design, lost)],
  }
}

/**
 * Chooses the design with the most reviewed trials, among those for which some estimator is honest, if any: a settled queue must not hide a
 * random sample. Ties go to the more informative design, in the order of the list.
 */
function mainDesign(reviewed: readonly Reviewed[]): SamplingDesign | null {
  const designs = SAMPLING_DESIGNS.flatMap((design) => {
    const weights = reviewed.flatMap(({ review }) => {
      const sampling = review.samplings.find((sampling) => sampling.design === design)
      return sampling === undefined ? [] : [weightOf(sampling)]
    })
    const honest = chooseEstimator({ sampling: design, weights }).estimator !== null
    return weights.length === 0 ? [] : [{ design, n: weights.length, honest }]
  })
  const usable = designs.some(({ honest }) => honest) ? designs.filter(({ honest }) => honest) : designs
  return usable.toSorted((a, b) => b.n - a.n)[0]?.design ?? null
}

/** Returns the inverse of the probability of a review; null for an unknown probability. */
const weightOf = ({ probability }: TrialReview['samplings'][number]): number | null =>
  probability === null ? null : 1 / probability

function designWarnings(
  reviewed: readonly Reviewed[],
  used: number,
  design: SamplingDesign | null,
  lost: number,
): string[] {
  const other = reviewed.length - used
  const seeing = reviewed.filter(({ review }) => !review.blind).length
  return notesOf({
    [`${count(other, 'reviewed trial was', 'reviewed trials were')} not drawn by "${design}", as the others were, and ${other === 1 ? 'is' : 'are'} left out`]:
      other > 0,
    [`${seeing} of ${count(reviewed.length, 'reviewed trial')} had a review that was not blind`]: seeing > 0,
    [`${count(lost, 'reviewed trial has no label of the judge and is', 'reviewed trials have no label of the judge and are')} left out`]:
      lost > 0,
  })
}
