import type { SamplingDesign } from '../../../schemas/audit/review.ts'
import { notesOf } from '../../notes.ts'
import { type CorrectionTable, type GradedCount, type ReviewedPair, tally } from './correction-table.ts'
import { chooseEstimator, type Estimator } from './estimator-choice.ts'
import { sum } from './linear-algebra.ts'
import { byJudgeStratum, byPpi, byWeight, type Estimation } from './share-estimators.ts'
import type { Interval } from './share-interval.ts'
import { isWeight } from './weighted-shares.ts'

export interface CorrectionInput {
  /** All labels, in the order of the answer. */
  readonly labels: readonly string[]
  /** The judge's labels of all graded items, reviewed ones included. */
  readonly graded: readonly GradedCount[]
  /** Reviewed items of `graded`. */
  readonly reviews: readonly ReviewedPair[]
  readonly sampling: SamplingDesign
}

interface CorrectedShare {
  /** In [0, 1]; null with the reason of the whole, or of a warning. */
  readonly value: number | null
  readonly ci95: Interval | null
}

interface CorrectedShares {
  readonly estimator: Estimator | null
  /** Why this estimator, or why none. */
  readonly reason: string
  /** One per label. The values that are there add to 1. */
  readonly shares: Readonly<Record<string, CorrectedShare>>
  readonly n_graded: number
  readonly n_reviews: number
  /** Weight of the judge in PPI++: 0 humans alone, 1 fully trusted. */
  readonly lambda: number | null
  readonly effective_reviews: number | null
  /** More reviews that would about halve the widest interval; null where no number of reviews of these graded items would. */
  readonly reviews_to_halve: number | null
  readonly warnings: readonly string[]
}

const FEW = 30
/** Simulated down to here. */
const FEW_TASKS = 10

/**
 * The judge's label shares corrected for its errors by human reviews, with 95% intervals, by the estimator that the way of
 * sampling allows (`chooseEstimator`). Intervals are about the population that the graded items are drawn from, as in ppi_py,
 * and allow for clusters where given. Where nothing honest can be said every value is null and `reason` says why.
 */
export function correctedShares(input: CorrectionInput): CorrectedShares {
  const counted = tally(input.labels, input.graded, input.reviews)
  if ('error' in counted) return refused(input, counted.error)
  const { table } = counted
  const choice = chooseEstimator({ sampling: input.sampling, weights: input.reviews.map(({ weight }) => weight) })
  if (choice.estimator === null) return refused(input, choice.reason)
  const obstacle = obstacleTo(table)
  if (obstacle !== null) return refused(input, obstacle)
  const all = choice.estimator === 'ppi_plus_plus' && sum(table.unreviewed) < 2
  const estimator = all ? 'human_only' : choice.estimator
  const estimate = runEstimator(estimator, table, input)
  if (estimate.shares === null) return refused(input, estimate.reason)
  const reason = all ? 'all graded items, or all but one, are reviewed: the human shares need no judge' : choice.reason
  return {
    estimator,
    reason,
    shares: Object.fromEntries(
      input.labels.map((label, k) => [label, { value: estimate.shares[k] ?? null, ci95: estimate.ci95[k] ?? null }]),
    ),
    n_graded: sum(table.judgeCounts),
    n_reviews: input.reviews.length,
    lambda: estimate.lambda ?? null,
    effective_reviews: estimate.effectiveReviews ?? null,
    reviews_to_halve: estimate.reviewsToHalve ?? null,
    warnings: [...estimate.warnings, ...designWarnings(estimator, table, input)],
  }
}

function runEstimator(estimator: Estimator, table: CorrectionTable, input: CorrectionInput): Estimation {
  switch (estimator) {
    case 'ppi_plus_plus':
      return byPpi(table)
    case 'post_stratified':
      return byJudgeStratum(table, input.labels)
    case 'inverse_probability':
      return byWeight(
        table,
        input.reviews.map(({ weight }) => (isWeight(weight) ? weight : Number.NaN)),
      )
    case 'human_only':
      return byWeight(
        table,
        input.reviews.map(() => 1),
      )
  }
}

function obstacleTo(table: CorrectionTable): string | null {
  if (sum(table.judgeCounts) === 0) return 'no graded item'
  if (table.reviews.length === 0) return 'no review'
  if (table.reviews.length < 2) return 'fewer than two reviews'
  if (table.foreign) {
    return 'some label has more reviews than graded items in its cluster: the reviews are not of these items'
  }
  return null
}

function designWarnings(estimator: Estimator, table: CorrectionTable, { reviews }: CorrectionInput): string[] {
  const tasks = new Set(table.reviews.flatMap(({ cluster }) => cluster ?? []))
  const weights = reviews.map(({ weight }) => weight ?? 0)
  const graded = sum(table.judgeCounts)
  const known = reviews.length > 0 && reviews.every(({ weight }) => isWeight(weight))
  const room = Math.max(0.25, 3 / Math.sqrt(reviews.length))
  const weighed = estimator === 'inverse_probability' || (estimator === 'ppi_plus_plus' && known)
  const off = weighed && Math.abs(sum(weights) / graded - 1) > room
  const unseen = table.judgeCounts.some((count, j) => count > 0 && !table.reviews.some(({ judge }) => judge === j))
  return notesOf([
    [reviews.length < FEW, `fewer than ${FEW} reviews: the intervals are rough`],
    [
      tasks.size > 0 && tasks.size < FEW_TASKS,
      `fewer than ${FEW_TASKS} tasks reviewed: the intervals are rough, and wide because of it`,
    ],
    [
      off,
      `the weights add to ${sum(weights).toFixed(1)}, not to the ${graded} graded items: were all able to be picked?`,
    ],
    [estimator === 'inverse_probability' && unseen, 'a judge label that occurs has no review'],
  ])
}

function refused(input: CorrectionInput, reason: string): CorrectedShares {
  return {
    estimator: null,
    reason,
    shares: Object.fromEntries(input.labels.map((label) => [label, { value: null, ci95: null }])),
    n_graded: sum(input.graded.map(({ count }) => count)),
    n_reviews: input.reviews.length,
    lambda: null,
    effective_reviews: null,
    reviews_to_halve: null,
    warnings: [],
  }
}
